# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""plug-in-cuda-statistics gives what NumPy says of the same numbers, or says why it cannot."""
import csv
import json
import pathlib
import re

import numpy as np
import pytest

import engine
import xcf
from cases import picture
from gimps import poll
from screen import Session

PROCEDURE = "plug-in-cuda-statistics"
SHOTS = engine.BUILD / "screenshots"
SHOTS.mkdir(exist_ok=True)
NAMES = ("min", "max", "mean", "std-dev", "median")
SELECTED = "(gimp-image-select-rectangle img CHANNEL-OP-REPLACE 20 30 70 60)"
OFF_THE_LAYER = "(gimp-image-select-rectangle img CHANNEL-OP-REPLACE 300 10 50 40)"
TARGETS = {"layer": "(layer img 0)", "channel": "(channel img 0)",
           "mask": "(car (gimp-layer-get-mask (layer img 0)))"}

# The number type, curve and channels of an image, and what is measured of it.
KINDS = [("u1", xcf.ENCODED, 4), ("u1", xcf.LINEAR, 3), ("u1", xcf.ENCODED, 1),
         ("u2", xcf.ENCODED, 2), ("u4", xcf.LINEAR, 4), ("f2", xcf.ENCODED, 3),
         ("f4", xcf.LINEAR, 4), ("f4", xcf.ENCODED, 2), ("f8", xcf.LINEAR, 4)]
CASES = [(*kind, "layer", selected) for kind in KINDS for selected in (False, True)]
CASES += [("u1", xcf.ENCODED, 4, target, True) for target in ("mask", "channel")]


def _pixels(number, channels):
    """The picture with a transparent corner."""
    pixels = picture(number, channels).copy()
    if channels in (2, 4):
        pixels[:50, :40, -1] = 0
    return pixels


def _image(number="u1", trc=xcf.ENCODED, channels=4):
    plane = picture(number, 1, seed=2)
    return xcf.Image([xcf.Layer(_pixels(number, channels), mask=plane)], trc, {"channel": plane})


def _call(gimp, drawables, mode="RUN-NONINTERACTIVE"):
    if gimp.is3:
        return f"({PROCEDURE} #:run-mode {mode} #:image img #:drawables (vector {drawables}))"
    return f"({PROCEDURE} {mode} img {drawables})"


def _measure(gimp, name, image, drawables="(layer img 0)", before=""):
    """The outcome of a call, 'ok' or an error, and the list it returned as Scheme writes it."""
    path = gimp.path("statistics-" + name)
    xcf.write(f"{path}.xcf", image)
    gimp.script_fu(f"""
(let* ((img (load-image "{path}.xcf")))
  {before}
  (attempt "{path}.told" (lambda ()
    (let ((found {_call(gimp, drawables)}))
      (call-with-output-file "{path}" (lambda (port) (write found port))))))
  (gimp-image-delete img))""")
    told = gimp.path(f"statistics-{name}.told").read_text()
    return told, path.read_text() if told == "ok" else ""


def _parsed(gimp, text):
    """The statistics of a list that was written: an array a name, and the count."""
    vectors = [list(map(float, vector.split())) for vector in re.findall(r"#\(([^)]*)\)", text)]
    assert len(vectors) == len(NAMES), text
    if not gimp.is3:  # each is preceded by its length
        assert list(map(int, re.findall(r"(\d+) #\(", text))) == list(map(len, vectors))
    return dict(zip(NAMES, vectors)), float(re.search(r"([\d.e+]+)\s*\)\s*$", text).group(1))


def _numpys(pixels, selected):
    """The statistics by NumPy."""
    numbers = pixels.astype("f8")
    if pixels.dtype.kind == "u":
        numbers = numbers / np.iinfo(pixels.dtype).max
    counts = np.ones(pixels.shape[:2], bool)
    if selected:
        counts[:] = False
        counts[30:90, 20:90] = True
    if pixels.shape[2] in (2, 4):
        counts &= numbers[..., -1] > 0
    chosen = numbers[counts]
    assert 0 < len(chosen) < counts.size or pixels.shape[2] in (1, 3)
    return {"min": chosen.min(0), "max": chosen.max(0), "mean": chosen.mean(0),
            "std-dev": chosen.std(0), "median": np.median(chosen, axis=0)}, len(chosen)


def _assert_same(found, count, pixels, selected):
    wanted, wanted_count = _numpys(pixels, selected)
    assert count == wanted_count
    for name in NAMES:
        np.testing.assert_allclose(found[name], wanted[name], rtol=2e-6, atol=2e-7, err_msg=name)


@pytest.mark.parametrize("number,trc,channels,target,selected", CASES)
def test_statistics_are_numpys(gimp, number, trc, channels, target, selected):
    name = f"{number}-{trc}-{channels}-{target}-{selected}"
    image = _image(number, trc, channels)
    told, text = _measure(gimp, name, image, TARGETS[target], SELECTED if selected else "")
    assert told == "ok"
    pixels = _pixels(number, channels) if target == "layer" else picture(number, 1, seed=2)
    _assert_same(*_parsed(gimp, text), pixels, selected)


def test_pixels_that_are_locked_can_be_measured(gimp):
    told, text = _measure(gimp, "locked", _image(),
                          before="(gimp-item-set-lock-content (layer img 0) TRUE)")
    assert told == "ok"
    _assert_same(*_parsed(gimp, text), _pixels("u1", 4), False)


def test_selection_beside_the_layer_is_an_error(gimp):
    image = xcf.Image([xcf.Layer(picture("u1", 4))], size=(400, 300))
    told, _ = _measure(gimp, "beside", image, before=OFF_THE_LAYER)
    assert "selected" in told and "Select" in told


def test_indexed_image_is_an_error(gimp):
    told, _ = _measure(gimp, "indexed", xcf.Image([xcf.Layer(picture("u1", 1))], indexed=True))
    assert "RGB" in told


def test_group_layer_is_an_error(gimp):
    before = "(define group (make-group img)) (gimp-image-insert-layer img group 0 0)"
    told, _ = _measure(gimp, "group", _image(), "group", before)
    assert "group" in told


def test_two_drawables_are_an_error(gimp):
    if not gimp.is3:
        pytest.skip("GIMP 2.10 gives a plug-in one drawable")
    told, _ = _measure(gimp, "two", _image(), "(layer img 0) (channel img 0)")
    assert "one" in told.lower()


def _bars(pixels):
    """How high the bars of the histograms in the picture of a window are, by the color of each."""
    paper = (np.abs(pixels.astype(int) - 230) <= 1).all(2)
    top = np.flatnonzero(paper.sum(1) > 100)[0]
    inside = (pixels[top] != pixels[top, 0]).any(1)
    starts = np.flatnonzero(inside[1:] & ~inside[:-1]) + 1
    areas = [np.s_[top:top + 64, start:start + 128] for start in starts]
    return [(pixels[area][-1].min(0), (~paper[area]).sum(0)) for area in areas]


def test_table(gimp, screen):
    """The window shows numbers and a histogram of each channel, and saves the numbers as text."""
    path, image = gimp.path("statistics-table"), _image()
    xcf.write(f"{path}.xcf", image)
    body = f"""
(let* ((img (load-image "{path}.xcf")))
  {_call(gimp, "(layer img 0)", "RUN-INTERACTIVE")}
  (gimp-image-delete img))"""
    with Session(gimp, screen, body) as session:
        window = screen.window("^Statistics$")
        screen.settled(window)
        screen.photograph(window, SHOTS / f"statistics-{gimp}.png")
        bars = _bars(screen.pixels(window))
        screen.keys(window, "alt+s")
        chooser = screen.window("^Save Statistics$")
        screen.settled(chooser)
        screen.keys(chooser, "ctrl+a")
        screen.type(chooser, f"{path}.csv")
        screen.settled(chooser)
        screen.keys(chooser, "alt+s")
        poll(pathlib.Path(f"{path}.csv").exists)
        screen.settled(window)
        screen.keys(window, "Escape")
        session.wait()
    with open(f"{path}.csv", encoding="utf-8", newline="") as file:
        head, *rows, pixels = csv.reader(file)
    assert head == ["", "Red", "Green", "Blue", "Alpha"]
    wanted, count = _numpys(_pixels("u1", 4), False)
    for name, row in zip(NAMES, rows, strict=True):
        np.testing.assert_allclose(np.array(row[1:], float), wanted[name], atol=1e-6, err_msg=name)
    assert pixels == ["Pixels", str(count)]
    measured = _pixels("u1", 4).reshape(-1, 4)
    measured = measured[measured[:, 3] > 0]
    inks = [(204, 0, 0), (0, 140, 0), (0, 0, 204), (64, 64, 64)]
    for channel, ((ink, heights), wanted_ink) in enumerate(zip(bars, inks, strict=True)):
        np.testing.assert_allclose(ink, wanted_ink, atol=1)
        counts = np.bincount(np.rint(measured[:, channel] / 255 * 127).astype(int), minlength=128)
        np.testing.assert_allclose(heights, 64 * np.sqrt(counts / counts.max()), atol=1)


_PYTHON = r"""
import json
from gi.repository import GObject
def numbers(array):
    value = GObject.Value(GObject.type_from_name("GimpDoubleArray"))
    value.set_boxed(array)
    return list(Gimp.value_get_double_array(value))
image = Gimp.file_load(Gimp.RunMode.NONINTERACTIVE, Gio.File.new_for_path("SOURCE"))
config = Gimp.get_pdb().lookup_procedure("plug-in-cuda-statistics").create_config()
procedure = config.get_procedure()
config.set_property("image", image)
config.set_core_object_array("drawables", [image.get_layers()[0]])
result = procedure.run(config)
arrays = [numbers(result.index(i + 1)) for i in range(5)]
json.dump([arrays, result.index(6)], open("SINK", "w"))
"""


def test_python_fu(gimp):
    if not gimp.is3:
        pytest.skip("GIMP 2.10 has no Python-Fu here")
    source, sink = gimp.path("statistics-python.xcf"), gimp.path("statistics-python.json")
    xcf.write(source, _image())
    log = gimp.python_fu(_PYTHON.replace("SOURCE", str(source)).replace("SINK", str(sink)))
    assert sink.exists(), log
    arrays, count = json.loads(sink.read_text())
    _assert_same(dict(zip(NAMES, arrays)), count, _pixels("u1", 4), False)
