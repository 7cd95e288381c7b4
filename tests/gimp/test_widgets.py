# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""The dialogs' special widgets: a chain's steps, a matrix's numbers, a histogram's limits."""
import pathlib

import numpy as np

import engine
import xcf
from cases import picture
from gimps import poll
from screen import Program

SHOTS = engine.BUILD / "screenshots"
# The categories in the order of their menus.
CATEGORIES = ("blur", "enhance", "edges", "colors", "artistic", "mattes", "geometry", "combine", "generic")


def _open(gimp, screen, name, row):
    """A program in which the dialog of a filter is open, for picture()."""
    path = gimp.path(name)
    xcf.write(f"{path}.in.xcf", xcf.Image([xcf.Layer(picture("u1", 4), "one")]))
    body = f"""
(let* ((img (load-image "{path}.in.xcf")))
  {gimp.call(row, {}, mode="RUN-INTERACTIVE")}
  (save-image img "{path}.xcf")
  (gimp-image-delete img))"""
    return Program(gimp, screen, body)


def _accept(gimp, screen, program, name, dialog):
    """Presses OK; the pixels after it."""
    SHOTS.mkdir(exist_ok=True)
    screen.settled(dialog)
    screen.photograph(dialog, SHOTS / f"{name}-{gimp}.png")
    screen.keys(dialog, "alt+o")
    program.wait()
    return xcf.read(f"{gimp.path(name)}.xcf").layers[0].pixels


def _add_step(screen, dialog, name):
    """Chooses a filter in the menu of the button Add, which has a submenu for each category."""
    rows = [row for row in engine.in_place() if row.name != "chain"]
    submenus = [category for category in CATEGORIES if category in {row.category for row in rows}]
    category = engine.find(name).category
    names = [row.name for row in rows if row.category == category]
    before = screen.settled(dialog)
    screen.keys(dialog, "alt+a")
    screen.settled(dialog)  # the menu has opened
    for key in (["Down"] * (submenus.index(category) + 1) + ["Right"] + ["Down"] * names.index(name)
                + ["Return"]):
        screen.do("xdotool", "key", key)
        screen.settled(dialog)
    assert screen.settled(dialog) != before


def test_steps_built_by_keys(gimp, screen):
    """A chain of three, added, moved, edited and switched off and on, is the same as its text."""
    row, name = engine.find("chain"), "steps"
    with _open(gimp, screen, name, row) as program:
        dialog = screen.window(row.title)
        _add_step(screen, dialog, "convolution-matrix")  # goes again
        _add_step(screen, dialog, "sobel")
        _add_step(screen, dialog, "invert")
        _add_step(screen, dialog, "gaussian-blur")  # goes before invert
        screen.keys(dialog, "alt+t", "alt+Up")
        screen.keys(dialog, "Up", "Up", "Delete")  # convolution-matrix
        screen.settled(dialog)
        # sobel, gaussian-blur, invert; the first one is selected.
        screen.keys(dialog, "alt+t", "Down", "Down", "space", "Up")
        screen.settled(dialog)
        # From the list past its four buttons to the first number.
        screen.keys(dialog, *["Tab"] * 5, "ctrl+a")
        screen.type(dialog, "3.25")
        screen.keys(dialog, "Tab")
        screen.settled(dialog)
        SHOTS.mkdir(exist_ok=True)
        screen.photograph(dialog, SHOTS / f"steps-off-{gimp}.png")
        screen.keys(dialog, "alt+t", "Down", "space", "alt+x")
        pixels = _accept(gimp, screen, program, name, dialog)
    wanted = engine.apply("chain", {"steps": "sobel | gaussian-blur std-dev-x=3.25 | invert"},
                          picture("u1", 4), linear=False)
    engine.assert_same(pixels, wanted)


def test_matrix_typed_into_its_grid(gimp, screen):
    """Numbers in the grid, which has grown before, give what the same text gives."""
    row, name = engine.find("convolution-matrix"), "grid"
    with _open(gimp, screen, name, row) as program:
        dialog = screen.window(row.title)
        before = screen.settled(dialog)
        screen.keys(dialog, "alt+m", "shift+Tab", "shift+Tab", "Up")  # one step: 5 columns
        screen.settled(dialog, before)
        screen.keys(dialog, "alt+m")
        for number in ("1", "-2", "0.5", "0", "0", "0", "3"):
            screen.keys(dialog, "ctrl+a")
            screen.type(dialog, number)
            screen.keys(dialog, "Tab")
        pixels = _accept(gimp, screen, program, name, dialog)
    wanted = engine.apply(row.name, {"matrix": "1,-2,.5,0,0;0,3,1,0,0;0,0,0,0,0"}, picture("u1", 4),
                          linear=False)
    engine.assert_same(pixels, wanted)


def test_matrix_as_lines(gimp, screen):
    """Blanks and line breaks separate numbers for scripts, too; a word that is none is told of."""
    row = engine.find("convolution-matrix")
    path = gimp.path("lines")
    xcf.write(f"{path}.in.xcf", xcf.Image([xcf.Layer(picture("u1", 4), "one")]))
    gimp.script_fu(f"""
(let* ((img (load-image "{path}.in.xcf")))
  {gimp.call(row, {**row.initial(), "matrix": "0 -1 0 " + chr(10) + "-1 5 -1" + chr(10) + " 0 -1 0"})}
  (save-image img "{path}.xcf")
  (attempt "{path}.told" (lambda () {gimp.call(row, {**row.initial(), "matrix": "1 2 x"})}))
  (gimp-image-delete img))""")
    wanted = engine.apply(row.name, {"matrix": "0,-1,0;-1,5,-1;0,-1,0"}, picture("u1", 4),
                          linear=False)
    engine.assert_same(xcf.read(f"{path}.xcf").layers[0].pixels, wanted)
    assert "'x'" in gimp.path("lines.told").read_text()


def test_file_chosen(gimp, screen):
    """The button beside the name of a table leads to the folder of that one, and to others."""
    row, name = engine.find("color-lut"), "chosen"
    folder = pathlib.Path(gimp.path("tables"))
    folder.mkdir(exist_ok=True)
    for file, white in (("a.cube", 1.0), ("b.cube", 0.5)):
        (folder / file).write_text(f"LUT_1D_SIZE 2\n0 0 0\n{white} {white} {white}\n")
    with _open(gimp, screen, name, row) as program:
        dialog = screen.window(row.title)
        screen.settled(dialog)
        screen.keys(dialog, "alt+f")
        screen.type(dialog, str(folder / "a.cube"))
        screen.settled(dialog)
        screen.keys(dialog, "Tab", "space")
        chooser = screen.window("^Choose a file$")
        screen.settled(chooser)
        screen.keys(chooser, "Down")
        screen.settled(chooser)
        SHOTS.mkdir(exist_ok=True)
        screen.photograph(chooser, SHOTS / f"file-chooser-{gimp}.png")
        screen.keys(chooser, "Return")
        screen.gone(chooser)
        pixels = _accept(gimp, screen, program, name, dialog)
    wanted = engine.apply(row.name, {"file": str(folder / "b.cube")}, picture("u1", 4), linear=False)
    engine.assert_same(pixels, wanted)


def test_error_in_a_formula_is_underlined(gimp, screen):
    """What is wrong in a formula has a red line below it as long as it is wrong."""
    row, name = engine.find("pixel-math"), "formula"

    def red_columns():
        """How many columns beside the preview have something red."""
        pixels = screen.pixels(dialog).astype(int)[:, 380:]
        return (pixels[..., 0] - pixels[..., 1:].max(-1) > 60).any(0).sum()

    with _open(gimp, screen, name, row) as program:
        dialog = screen.window(row.title)
        screen.settled(dialog)
        screen.keys(dialog, "alt+f")
        screen.type(dialog, "c = 1 - wrong")
        wrong = screen.settled(dialog)
        SHOTS.mkdir(exist_ok=True)
        screen.photograph(dialog, SHOTS / f"formula-error-{gimp}.png")
        assert 25 < red_columns() < 60  # under five letters
        screen.keys(dialog, *["BackSpace"] * 5)
        screen.type(dialog, "c")
        screen.settled(dialog, wrong)
        assert red_columns() == 0
        pixels = _accept(gimp, screen, program, name, dialog)
    wanted = engine.apply("invert", {}, picture("u1", 4), linear=False)
    engine.assert_same(pixels, wanted)


def _handles(screen, dialog):
    """The middles of the handles of a histogram's limits: squares of nine pixels of their gray."""
    gray = np.isin(screen.pixels(dialog), (242, 243)).all(2)  # as it is rounded
    ys, xs = np.nonzero(np.lib.stride_tricks.sliding_window_view(gray, (3, 3)).all((2, 3)))
    columns = np.unique(xs)
    groups = np.split(columns, np.flatnonzero(np.diff(columns) > 2) + 1)
    return [((int(group[0]) + int(group[-1])) // 2 + 1, int(ys.max()) + 1) for group in groups]


def test_limits_dragged(gimp, screen):
    """The low limit of threshold, dragged to the middle of what lies left of it, has that value."""
    row, name = engine.find("threshold"), "limits"
    with _open(gimp, screen, name, row) as program:
        dialog = screen.window(row.title)
        screen.settled(dialog)
        (low, y), (high, _) = _handles(screen, dialog)
        place = screen.place(dialog)
        left = 2 * low - high  # where the value is 0
        screen.do("xdotool", "mousemove", place[0] + low, place[1] + y, "mousedown", 1)
        for x in (low - 2, (low + left) // 2 + 3, (low + left) // 2):
            screen.do("xdotool", "mousemove", place[0] + x, place[1] + y)
        screen.do("xdotool", "mouseup", 1, "mousemove", 1279, 899)

        def moved():
            """the limit where it was dragged to"""
            handles = _handles(screen, dialog)
            return len(handles) == 2 and abs(handles[0][0] - (low + left) // 2) <= 1
        poll(moved)
        pixels = _accept(gimp, screen, program, name, dialog)
    value = ((low + left) // 2 - left) / (high - left)
    original = picture("u1", 4)
    near = [engine.apply(row.name, {"low": value + shift}, original, linear=False)
            for shift in (-0.012, 0.012)]
    # A pixel of the screen is more than a step of the value: what lies clearly beyond it is decided.
    decided = near[0] == near[1]
    assert decided.mean() > 0.9
    assert (pixels == near[0])[decided].all()
    assert (pixels != engine.apply(row.name, {}, original, linear=False)).any()
