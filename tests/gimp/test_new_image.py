# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Align plates: a new image with the engine's pixels, the shifts, and a scan that stays as it was."""
import json
from dataclasses import dataclass

import numpy as np
import pytest

import engine
import gimps
import xcf
from cases import SHIFTS, scan
from screen import Session

ALIGN = engine.find("align-plates")
SHOTS = engine.BUILD / "screenshots"


@dataclass(frozen=True)
class Case:
    """One call: the values that are not initial, the scan's kind, and what happens to it before."""

    name: str
    values: tuple = ()
    number: str = "u1"
    channels: int = 1
    trc: int = xcf.ENCODED
    prepare: str = ""


_SELECT = "(gimp-image-select-rectangle img CHANNEL-OP-REPLACE 20 30 40 50)"
_LOCK = "(gimp-item-set-lock-content (layer img 0) TRUE)"

CASES = (
    Case("u8"), Case("u16", number="u2"), Case("half", number="f2"), Case("float", number="f4"),
    Case("double", number="f8"), Case("u32", number="u4"),
    Case("linear", number="u2", trc=xcf.LINEAR), Case("alpha", channels=2),
    Case("rgb", channels=3), Case("rgba", number="f4", channels=4),
    Case("order", (("order", "rgb"),)), Case("metric", (("metric", "mse"),)),
    Case("subpixel", (("subpixel", 4), ("crop-frame", False))),
    Case("gray-world", (("post", "gray-world"),), number="u2"),
    Case("unsharp", (("post", "unsharp"),), number="f4"),
    Case("autocontrast", (("post", "autocontrast"),)),
    Case("selection", prepare=_SELECT), Case("locked", prepare=_LOCK))
NEXT = {"gray-world": "gray-world", "unsharp": "unsharp-mask", "autocontrast": "autocontrast"}


def _wanted(case):
    """The engine's image: of the scan, and then of the filter that follows."""
    values = dict(case.values)
    post = values.pop("post", None)
    linear = case.trc == xcf.LINEAR
    made = engine.apply(ALIGN.name, values, scan(case.number, case.channels), linear)
    return engine.apply(NEXT[post], {}, made, linear) if post else made


def _report(path):
    """Script-Fu that saves `new`, and what the call found, and whether the scan has changed."""
    return f"""
(save-image new "{path}.new.xcf")
(write-file "{path}.found" (string-append
  (apply string-append (map (lambda (n) (string-append (number->string n) " ")) (cdr result)))
  (let ((dirty (car (gimp-image-is-dirty img))))
    (if (or (eq? dirty #t) (eqv? dirty 1)) "dirty" "clean"))))
(save-image img "{path}.xcf")"""


def _story(gimp, case):
    path = gimp.path(f"new-{case.name}")
    xcf.write(f"{path}.in.xcf", xcf.Image([xcf.Layer(scan(case.number, case.channels), "scan")],
                                          case.trc))
    return f"""
(attempt "{path}.told" (lambda ()
  (let* ((img (load-image "{path}.in.xcf")))
    {case.prepare}
    (gimp-image-clean-all img)
    (let* ((result {gimp.call(ALIGN, dict(case.values))}) (new (car result)))
      {_report(path)}
      (gimp-image-delete new))
    (gimp-image-delete img))))"""


_LOGS = {}


def _check(path, case):
    """That the files which a call left hold what it must give."""
    words = open(f"{path}.found", encoding="utf-8").read().split()
    assert words.pop() == "clean", "the scan has changed"
    assert [float(word) for word in words] == list(SHIFTS.values())
    new = xcf.read(f"{path}.new.xcf")
    assert new.trc == case.trc and len(new.layers) == 1
    layer = new.layers[0]
    assert layer.name == "scan"
    wanted = _wanted(case)
    assert layer.pixels.dtype == wanted.dtype
    engine.assert_same(layer.pixels, wanted)
    after = xcf.read(f"{path}.xcf").layers
    assert len(after) == 1 and (after[0].pixels == scan(case.number, case.channels)).all()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_new_image(gimp, case):
    """Of every kind of scan comes an RGB image of its precision, aligned; the scan stays."""
    if gimp not in _LOGS:
        _LOGS[gimp] = gimp.script_fu("".join(_story(gimp, each) for each in CASES))
    path = gimp.path(f"new-{case.name}")
    told = gimp.path(f"new-{case.name}.told")
    assert told.exists(), _LOGS[gimp]
    assert told.read_text() == "ok"
    _check(path, case)


_PYTHON = r"""
import json
case = json.load(open("CASE"))
image = Gimp.file_load(Gimp.RunMode.NONINTERACTIVE, Gio.File.new_for_path(case["source"]))
procedure = Gimp.get_pdb().lookup_procedure(case["procedure"])
config = procedure.create_config()
config.set_property("run-mode", Gimp.RunMode.NONINTERACTIVE)
config.set_property("image", image)
config.set_core_object_array("drawables", [image.get_layers()[0]])
result = procedure.run(config)
names = [spec.get_name() for spec in procedure.get_return_values()]
json.dump({"names": names, "size": [result.index(1).get_width(), result.index(1).get_height()],
           "found": [result.index(i) for i in range(2, 6)]}, open(case["sink"], "w"))
"""


def test_python_fu(gimp):
    """In GIMP 3 the return values have names."""
    if not gimp.is3:
        pytest.skip("GIMP 2.10 names no return values")
    source, case, sink = (gimp.path(f"python.{end}") for end in ("in.xcf", "case", "json"))
    xcf.write(source, xcf.Image([xcf.Layer(scan(), "scan")]))
    case.write_text(json.dumps({"source": str(source), "sink": str(sink),
                                "procedure": ALIGN.procedure}))
    log = gimp.python_fu(_PYTHON.replace("CASE", str(case)))
    assert sink.exists(), log
    told = json.loads(sink.read_text())
    assert told["names"] == ["new-image", *SHIFTS]
    assert told["found"] == list(SHIFTS.values())
    height, width = _wanted(CASES[0]).shape[:2]
    assert told["size"] == [width, height]


def test_too_small(gimp):
    """The message says how large a scan must be."""
    path = gimp.path("small")
    xcf.write(f"{path}.xcf", xcf.Image([xcf.Layer(scan()[:100, :12])]))
    gimp.script_fu(f"""
(let* ((img (load-image "{path}.xcf")))
  (attempt "{path}.told" (lambda () {gimp.call(ALIGN, {})}))
  (gimp-image-delete img))""")
    message = gimp.path("small.told").read_text()
    assert "12 × 100" in message and "16 × 48" in message


def test_dialog(gimp, screen):
    """The dialog shows the new image, and where the plates go; its values are used."""
    case = Case("dialog", (("order", "rgb"),))
    path = gimp.path("new-dialog")
    xcf.write(f"{path}.in.xcf", xcf.Image([xcf.Layer(scan(), "scan")]))
    body = f"""
(let* ((img (load-image "{path}.in.xcf"))
       (ready (gimp-image-clean-all img))
       (result {gimp.call(ALIGN, {}, mode="RUN-INTERACTIVE")})
       (new (car result)))
  {_report(path)}
  (write-file "{path}.shown" "")
  (wait-for "{path}.seen")
  (gimp-image-delete img))"""

    def shown():
        """the new image's report"""
        return gimp.path("new-dialog.shown").exists()

    with Session(gimp, screen, body) as session:
        dialog = screen.window(ALIGN.title)
        screen.settled(dialog)
        screen.keys(dialog, "alt+d", "space")
        screen.settled(dialog)  # a list has opened
        screen.keys(dialog, "Down", "Return")
        wanted = _wanted(case)

        def previewed():
            """the new image in the preview"""
            pixels = screen.pixels(dialog)
            part = wanted[20:50, 20:60]
            starts = np.argwhere((pixels[:-30, :-40] == part[0, 0]).all(axis=2))
            return any((pixels[y:y + 30, x:x + 40] == part).all() for y, x in starts)
        gimps.poll(previewed)
        screen.settled(dialog)
        SHOTS.mkdir(exist_ok=True)
        screen.photograph(dialog, SHOTS / f"align-plates-preview-{gimp}.png")
        screen.keys(dialog, "alt+o")
        gimps.poll(shown)
        height, width = wanted.shape[:2]
        assert screen.window(f"{width}x{height}")  # GIMP's titles tell the size
        gimp.path("new-dialog.seen").touch()
        session.wait()
    _check(path, case)
