# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""The dialogs, on a screen: a user changes a value, presses OK or Cancel, undoes."""
import re

import numpy as np
import pytest

import engine
import gimps
import xcf
from cases import other_values, picture, share_of_ties
from screen import Program, undo, undo_story, wait_until_ready

ROWS = engine.changing()
SHOTS = engine.BUILD / "screenshots"
SHOTS.mkdir(exist_ok=True)


def _image():
    return xcf.Image([xcf.Layer(picture("u1", 4), "one"),
                      xcf.Layer(picture("u1", 3, 90, 30, 5), "two", offset=(7, 9))])


def _asked(gimp, path, row):
    """Script-Fu that calls a filter with its dialog, once, and saves what became of the image."""
    return f"""
(let* ((img (load-image "{path}.in.xcf")))
  (attempt "{path}.told" (lambda () {gimp.call(row, {}, mode="RUN-INTERACTIVE")}))
  (save-image img "{path}.xcf")
  (gimp-image-delete img))"""


def _prepare(gimp, name):
    """Writes the image and returns the path that the results' names begin with."""
    path = gimp.path(name)
    xcf.write(f"{path}.in.xcf", _image())
    return path


def _changed(row):
    """The first parameter that has a number or a choice, and all values after it was changed."""
    values = row.initial()
    param = next((p for p in row.params if p.kind in ("real", "integer")), row.params[0])
    value = other_values(row)[param.name]
    if param.kind == "real":
        value = round(value * 4) / 4
    values[param.name] = value
    for other in row.params:
        if other.linked_to == param.name:
            values[other.name] = value
    return param, values


def _mnemonic(row, name):
    """The keys that lead to a parameter."""
    label = next(param.label for param in row.params if param.name == name)
    return "alt+" + re.search("_(.)", label).group(1).lower()


def _enter(screen, dialog, row, name, value):
    """Sets a value as a user does who likes the keyboard."""
    param = next(param for param in row.params if param.name == name)
    screen.keys(dialog, _mnemonic(row, name))
    if param.kind == "choice":
        down = param.choices.index(value) - param.choices.index(param.initial)
        screen.keys(dialog, "space")
        screen.settled(dialog)  # a list has opened
        screen.keys(dialog, *["Down"] * down)
        screen.settled(dialog)
        screen.keys(dialog, "Return")
    elif param.kind != "toggle":
        if param.kind == "text":  # other widgets stand for it; what it says is folded away
            screen.keys(dialog, "alt+x")
            screen.settled(dialog)
        screen.keys(dialog, "ctrl+a")
        screen.type(dialog, value)
        screen.keys(dialog, "Tab")


def _show_preview(screen, dialog, row):
    """Switches the result off and on in the preview and waits until that shows what the filter does."""
    if row.resizes:  # without a preview
        return
    preview = (14, 14, 350, 260)
    image = picture("u1", 4)
    screen.settled(dialog)
    screen.keys(dialog, "alt+p")
    screen.settled(dialog)
    without = screen.look(dialog, *preview)
    screen.keys(dialog, "alt+p")
    screen.settled(dialog)
    if (engine.apply(row.name, row.initial(), image, linear=False) != image).any():
        def filtered():
            """the filtered preview"""
            return screen.look(dialog, *preview) != without
        gimps.poll(filtered)


@pytest.mark.parametrize("row", [row for row in ROWS if row.params], ids=lambda row: row.name)
def test_dialog(gimp, screen, row):
    """OK applies what was entered, the next call repeats it, Cancel does nothing, Reset resets."""
    path = _prepare(gimp, f"dialog-{row.name}")
    interactive = gimp.call(row, {}, mode="RUN-INTERACTIVE")
    body = f"""
(let* ((img (load-image "{path}.in.xcf")))
  {interactive}
  (save-image img "{path}.ok.xcf")
  {gimp.call(row, {}, "(layer img 1)", mode="RUN-WITH-LAST-VALS")}
  (save-image img "{path}.last.xcf")
  (attempt "{path}.cancelled" (lambda () {interactive}))
  (save-image img "{path}.cancel.xcf")
  (gimp-image-delete img))
(let* ((img (load-image "{path}.in.xcf")))
  {interactive}
  (save-image img "{path}.reset.xcf")
  (gimp-image-delete img))"""
    param, values = _changed(row)
    with Program(gimp, screen, body) as program:
        dialog = screen.window(row.title)
        _show_preview(screen, dialog, row)
        _enter(screen, dialog, row, param.name, values[param.name])
        screen.keys(dialog, "alt+o")
        screen.gone(dialog)
        dialog = screen.window(row.title)
        screen.keys(dialog, "Escape")
        screen.gone(dialog)
        dialog = screen.window(row.title)
        screen.settled(dialog)
        screen.keys(dialog, "alt+r")
        screen.settled(dialog)
        screen.keys(dialog, "alt+o")
        program.wait()
    one, two = (layer.pixels for layer in _image().layers)
    share = share_of_ties(row)
    wanted = engine.apply(row.name, values, one, linear=False)
    engine.assert_same(xcf.read(f"{path}.ok.xcf").layers[0].pixels, wanted, share)
    last = xcf.read(f"{path}.last.xcf")
    engine.assert_same(last.layers[1].pixels, engine.apply(row.name, values, two, linear=False), share)
    cancelled = xcf.read(f"{path}.cancel.xcf")
    for before, after in zip(last.layers, cancelled.layers):
        assert (before.pixels == after.pixels).all()
    wanted = engine.apply(row.name, row.initial(), one, linear=False)
    engine.assert_same(xcf.read(f"{path}.reset.xcf").layers[0].pixels, wanted, share)


# All filters, and resize in its other scope.
UNDONE = [(row.name, row, other_values(row)) for row in ROWS] + [
    ("resize-layer", engine.find("resize"), {"width": 60, "scope": "layer"})]


@pytest.mark.parametrize("name,row,values", UNDONE, ids=[name for name, _, _ in UNDONE])
def test_one_undo_step(gimp, screen, name, row, values):
    """Ctrl+Z, once, brings back every drawable of a call."""
    path = _prepare(gimp, f"undo-{name}")
    changed = (0, 1) if gimp.is3 else (1,)
    drawables = " ".join(f"(layer img {i})" for i in changed)
    body = f"""
(define img (load-image "{path}.in.xcf"))
(define display (car (gimp-display-new img)))
{gimp.call(row, values, drawables)}
(gimp-displays-flush)
(save-image img "{path}.filtered.xcf")
{undo_story(path)}
(gimp-image-clean-all img)
(gimp-display-delete display)"""
    before = _image()
    with Program(gimp, screen, body) as program:
        wait_until_ready(gimp, path)
        filtered = xcf.read(f"{path}.filtered.xcf").layers
        assert not any(np.array_equal(filtered[i].pixels, before.layers[i].pixels) for i in changed)
        undo(gimp, screen, path, before)
        program.wait()


def _open(screen, row):
    """Waits for the dialog of a filter, and resets what the calls before have left."""
    dialog = screen.window(row.title)
    screen.settled(dialog)
    screen.keys(dialog, "alt+r")
    screen.settled(dialog)
    return dialog


def test_wrong_values(gimp, screen):
    """Values that cannot go together: the dialog says so, and OK waits until they can."""
    path, row = _prepare(gimp, "wrong-values"), engine.find("canny")
    with Program(gimp, screen, _asked(gimp, path, row)) as program:
        dialog = _open(screen, row)
        right = screen.settled(dialog)
        _enter(screen, dialog, row, "low-threshold", 500)
        screen.settled(dialog, right)
        screen.photograph(dialog, SHOTS / f"wrong-values-{gimp}.png")
        screen.keys(dialog, "alt+o")
        screen.settled(dialog)
        assert not gimp.path("wrong-values.told").exists()
        _enter(screen, dialog, row, "low-threshold", 60)
        screen.settled(dialog)
        screen.keys(dialog, "alt+o")
        program.wait()
    wanted = engine.apply(row.name, {**row.initial(), "low-threshold": 60.0}, _image().layers[0].pixels,
                          linear=False)
    engine.assert_same(xcf.read(f"{path}.xcf").layers[0].pixels, wanted)


def test_size_that_has_no_room(gimp, screen):
    """OK does not accept a size for which there is no room; the dialog stays, and says so."""
    path, row = _prepare(gimp, "no-room"), engine.find("resize")
    with Program(gimp, screen, _asked(gimp, path, row)) as program:
        dialog = _open(screen, row)
        _enter(screen, dialog, row, "width", 524288)
        screen.settled(dialog)
        screen.photograph(dialog, SHOTS / f"no-room-{gimp}.png")
        screen.keys(dialog, "alt+o")
        screen.settled(dialog)
        screen.keys(dialog, "Escape")
        program.wait()
    assert all(np.array_equal(a.pixels, b.pixels)
               for a, b in zip(xcf.read(f"{path}.xcf").layers, _image().layers))


def _save_preset(screen, dialog, name):
    """Saves the values in a dialog as a preset, by the button behind the list."""
    screen.settled(dialog)
    screen.keys(dialog, "alt+s", "Tab", "space")
    question = screen.window("^Save Preset$")
    screen.settled(question)
    screen.type(question, name)
    screen.keys(question, "Return")
    screen.gone(question)
    screen.settled(dialog)


def _choose_last_preset(screen, dialog):
    """Chooses the last of the list, where what users have saved stands."""
    screen.settled(dialog)
    screen.keys(dialog, "alt+s", "End")
    screen.settled(dialog)


def test_presets(gimp, screen):
    """Values saved under a name come back by it, also in the next call; a broken file does no harm."""
    path, row = _prepare(gimp, "presets"), engine.find("unsharp-mask")
    file = gimp.folder / ".config/gimp-cuda-filters/presets/unsharp-mask.ini"
    calls = "".join(f"""
(let* ((img (load-image "{path}.in.xcf")))
  (attempt "{path}.{name}.told" (lambda () {gimp.call(row, {}, mode="RUN-INTERACTIVE")}))
  (save-image img "{path}.{name}.xcf")
  (gimp-image-delete img))""" for name in ("saved", "chosen", "deleted"))
    with Program(gimp, screen, calls) as program:
        dialog = _open(screen, row)
        _enter(screen, dialog, row, "scale", 2)
        _save_preset(screen, dialog, "Mine [1] = ä")
        assert "scale=2\n" in file.read_text()
        screen.keys(dialog, "alt+r")
        _choose_last_preset(screen, dialog)
        screen.photograph(dialog, SHOTS / f"preset-{gimp}.png")
        screen.keys(dialog, "alt+o")
        screen.gone(dialog)

        dialog = screen.window(row.title)
        screen.settled(dialog)
        screen.keys(dialog, "alt+r")
        _choose_last_preset(screen, dialog)
        screen.keys(dialog, "alt+s", "Tab", "Tab", "space")  # deletes it, and the values stay
        screen.settled(dialog)
        assert "scale=" not in file.read_text()
        screen.keys(dialog, "alt+o")
        screen.gone(dialog)

        file.write_text("of another program")
        dialog = screen.window(row.title)
        _save_preset(screen, dialog, "new")
        assert file.with_suffix(".ini.broken").read_text() == "of another program"
        assert "preset-name=new\n" in file.read_text()
        screen.keys(dialog, "Escape")
        program.wait()
    wanted = engine.apply(row.name, {**row.initial(), "scale": 2.0}, _image().layers[0].pixels,
                          linear=False)
    for name in "saved", "chosen":
        engine.assert_same(xcf.read(f"{path}.{name}.xcf").layers[0].pixels, wanted)


def test_real_size(gimp, screen):
    """The dialog of resize shows the size that half of the picture has, and goes on from there."""
    path, row = _prepare(gimp, "real-size"), engine.find("resize")
    with Program(gimp, screen, _asked(gimp, path, row)) as program:
        dialog = _open(screen, row)
        _enter(screen, dialog, row, "scale", 50)
        screen.keys(dialog, _mnemonic(row, "height"), "Up", "Tab")
        screen.settled(dialog)
        screen.photograph(dialog, SHOTS / f"real-size-{gimp}.png")
        screen.keys(dialog, "alt+o")
        program.wait()
    before = _image().layers[0].pixels
    wanted = engine.apply(row.name, {**row.initial(), "height": before.shape[0] // 2 + 1}, before,
                          linear=False)
    engine.assert_same(xcf.read(f"{path}.xcf").layers[0].pixels, wanted)


def test_grey_parameters(gimp, screen):
    """Where 'normalize' makes the divisor useless, nothing can be entered there."""
    path, row = _prepare(gimp, "grey"), engine.find("convolution-matrix")
    with Program(gimp, screen, _asked(gimp, path, row)) as program:
        dialog = _open(screen, row)
        _enter(screen, dialog, row, "divisor", 2)
        screen.settled(dialog)
        screen.keys(dialog, "alt+n")
        screen.settled(dialog)
        screen.photograph(dialog, SHOTS / f"grey-{gimp}.png")
        _enter(screen, dialog, row, "divisor", 5)
        screen.keys(dialog, "alt+n")
        screen.settled(dialog)
        screen.keys(dialog, "alt+o")
        program.wait()
    wanted = engine.apply(row.name, {**row.initial(), "divisor": 2.0}, _image().layers[0].pixels,
                          linear=False)
    engine.assert_same(xcf.read(f"{path}.xcf").layers[0].pixels, wanted)


def test_shared_gimp_ends(gimp, screen):
    """The GIMP that ran the programs above ends by itself, and has nothing to report."""
    with Program(gimp, screen, "(gimp-version)") as program:
        program.wait()
    shared = screen.shared
    screen.end_shared()
    assert shared.session.process.returncode in (0, 1), shared.session.process.returncode
