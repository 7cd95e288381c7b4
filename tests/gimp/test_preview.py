# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""The preview in the filters' dialogs, on a screen: a user zooms, moves, compares and changes values."""
import re
from contextlib import contextmanager

import numpy as np
import pytest

import engine
import gimps
import xcf
from screen import Program

SHOTS = engine.BUILD / "screenshots"
SHOTS.mkdir(exist_ok=True)
WIDTH, HEIGHT, CORNER = 700, 500, 60
# A part of the dialog in which there is nothing but the preview: left, top, width and height.
INSIDE = 30, 30, 320, 220
MIDDLE = 190, 140
RED, GREEN, BLUE, YELLOW = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 0)


def _picture():
    """A picture like no other at any place, with a color of its own in each corner."""
    random = np.random.default_rng(7)
    grain = random.integers(30, 200, (HEIGHT // 4, WIDTH // 4, 3), "u1")
    pixels = grain.repeat(4, 0).repeat(4, 1) + random.integers(0, 30, (HEIGHT, WIDTH, 3), "u1")
    for rows, columns, color in ((slice(CORNER), slice(CORNER), RED),
                                 (slice(CORNER), slice(-CORNER, None), GREEN),
                                 (slice(-CORNER, None), slice(CORNER), BLUE),
                                 (slice(-CORNER, None), slice(-CORNER, None), YELLOW)):
        pixels[rows, columns] = color
    return pixels


def _filtered(row, **values):
    return engine.apply(row.name, row.initial() | values, _picture(), linear=False)


class User:
    """Who looks at the preview in a dialog, and has a mouse and a keyboard."""

    def __init__(self, gimp, screen, row):
        self.gimp, self.screen, self.row = gimp, screen, row
        self.dialog = screen.window(row.title)
        self.settled()

    def settled(self):
        self.screen.settled(self.dialog)

    def photograph(self, name):
        self.screen.photograph(self.dialog, SHOTS / f"preview-{name}-{self.gimp}.png")

    def move(self, x, y):
        self.screen.do("xdotool", "mousemove", "--window", self.dialog, x, y)

    def click(self, button=1):
        self.move(*MIDDLE)
        self.screen.do("xdotool", "click", button)
        self.settled()

    def drag(self, start, end):
        self.move(*start)
        self.screen.do("xdotool", "mousedown", 1)
        self.move(*end)
        self.screen.do("xdotool", "mouseup", 1)
        self.settled()

    def keys(self, *keys):
        self.screen.keys(self.dialog, *keys)
        self.settled()

    def pixels(self, *part):
        return self.screen.pixels(self.dialog, *(part or INSIDE))

    def center(self, color):
        """Where in the dialog the corner of that color lies, or nothing."""
        rows, columns = np.nonzero((self.pixels(0, 0, 2000, 2000) == color).all(axis=2))
        return np.array([columns.mean(), rows.mean()]) if len(rows) > 50 else None

    def place(self, wanted):
        """Which pixel of a picture stands at the first one of INSIDE, where these are all equal."""
        return _place(self.pixels(), wanted)

    def wait_for(self, wanted):
        """Waits until the preview shows a picture at 100 % and returns the place()."""
        def shown():
            """a result in the preview"""
            return self.place(wanted)
        return gimps.poll(shown, 60)


def _place(part, wanted):
    """Where a part of a picture stands in it, as (x, y), or nothing; its numbers may differ by one."""
    height, width = part.shape[:2]
    part, wanted = part.astype("i2"), wanted.astype("i2")
    ys, xs = np.mgrid[:wanted.shape[0] - height + 1, :wanted.shape[1] - width + 1].reshape(2, -1)
    # Some pixels, of the first one's color and of others, rule out nearly all; the rest is looked at as a whole.
    first = (part == part[0, 0]).all(axis=2)
    for places in np.argwhere(first), np.argwhere(~first):
        for y, x in np.random.default_rng(1).permutation(places)[:100]:
            same = (abs(wanted[ys + y, xs + x] - part[y, x]) <= 1).all(axis=1)
            ys, xs = ys[same], xs[same]
    for y, x in zip(ys, xs):
        if (abs(wanted[y:y + height, x:x + width] - part) <= 1).all():
            return int(x), int(y)
    return None


@contextmanager
def _dialog(gimp, screen, row, prepare="", after="", pixels=None):
    """A dialog with an image of _picture(), or of other pixels; Script-Fu before and after it, when it
    was accepted."""
    path = gimp.path(f"preview-{row.name}")
    xcf.write(f"{path}.in.xcf", xcf.Image([xcf.Layer(_picture() if pixels is None else pixels)]))
    body = f"""
(let* ((img (load-image "{path}.in.xcf")))
  {prepare}
  (attempt "{path}.told" (lambda () {gimp.call(row, {}, mode="RUN-INTERACTIVE")}))
  {after}
  (save-image img "{path}.xcf")
  (gimp-image-delete img))"""
    with Program(gimp, screen, body) as program:
        user = User(gimp, screen, row)
        user.keys("alt+r")  # GIMP has kept what was set before
        user.click()  # the preview has the keyboard
        yield user
        screen.keys(user.dialog, "alt+o")
        program.wait()


def test_fitted_zoomed_and_moved(gimp, screen):
    """All of the layer at first; the wheel and keys zoom, dragging and arrows move."""
    row = engine.find("gaussian-blur")
    wanted = _filtered(row)
    with _dialog(gimp, screen, row) as user:
        user.photograph("fitted")
        red, yellow = user.center(RED), user.center(YELLOW)
        assert user.center(GREEN) is not None and user.center(BLUE) is not None
        assert abs((yellow - red) / (WIDTH - CORNER, HEIGHT - CORNER) - 360 / WIDTH).max() < 0.03
        user.click(4)
        user.click(4)
        x, y = user.wait_for(wanted)
        assert user.center(RED) is None
        user.drag(MIDDLE, (MIDDLE[0] - 31, MIDDLE[1] + 17))
        assert user.place(wanted) == (x + 31, y - 17)
        user.keys("Left", "Up")
        assert user.place(wanted) == (x + 31 - 32, y - 17 - 32)
        user.keys("plus", "plus")
        assert _place(user.pixels()[1::2, 1::2], wanted) or _place(user.pixels()[::2, ::2], wanted)
        user.photograph("200")
        user.keys(*["plus"] * 8)
        user.photograph("1600")
        part = user.pixels()
        left = next(x for x in range(1, 17) if (part[:, x] != part[:, x - 1]).any())
        top = next(y for y in range(1, 17) if (part[y] != part[y - 1]).any())
        blocks = part[top:top + 12 * 16, left:left + 18 * 16]
        assert _place(blocks[8::16, 8::16], wanted)
        assert (blocks == blocks[8::16, 8::16].repeat(16, 0).repeat(16, 1)).all()
        user.drag(MIDDLE, (MIDDLE[0] - 60, MIDDLE[1] - 40))
        moved = user.pixels()
        assert (moved[:-40, :-60] == part[40:, 60:]).all()
        user.click(5)
        assert (user.pixels() != moved).any()
        user.keys("0")
        assert abs(user.center(RED) - red).max() < 1


@pytest.mark.parametrize("name,changed", [("gaussian-blur", ("std-dev-x", 4.0)), ("median-blur", ("radius", 4)),
                                          ("autocontrast", ("low-fraction", 0.25)),
                                          ("canny", ("low-threshold", 60.0))])
def test_shows_what_ok_gives(gimp, screen, name, changed):
    """At 100 % every pixel is that of the result, also after a value was changed."""
    row = engine.find(name)
    with _dialog(gimp, screen, row) as user:
        user.keys("1")
        place = user.wait_for(_filtered(row))
        param, value = changed
        linked = {param: value} | {each.name: value for each in row.params if each.linked_to == param}
        label = next(each.label for each in row.params if each.name == param)
        screen.keys(user.dialog, "alt+" + re.search("_(.)", label).group(1).lower(), "ctrl+a")
        screen.type(user.dialog, value)
        screen.keys(user.dialog, "Tab")
        assert user.wait_for(_filtered(row, **linked)) == place
        user.settled()
        user.photograph(name)
        shown = user.pixels()
    found = xcf.read(gimp.path(f"preview-{name}.xcf")).layers[0].pixels
    engine.assert_same(found, _filtered(row, **linked))
    (x, y), (height, width) = place, shown.shape[:2]
    assert (found[y:y + height, x:x + width] == shown).all()


def test_before_and_after(gimp, screen):
    """A key shows the picture as it was while it is pressed, and a handle parts before and after."""
    row = engine.find("gaussian-blur")
    before, after = _picture(), _filtered(row)
    with _dialog(gimp, screen, row) as user:
        user.keys("1")
        place = user.wait_for(after)
        screen.do("xdotool", "keydown", "space")
        assert user.wait_for(before) == place
        screen.do("xdotool", "keyup", "space")
        assert user.wait_for(after) == place
        user.keys(*["Tab"] * 5, "space")  # the check button for the result
        assert user.wait_for(before) == place
        user.keys("space")
        assert user.wait_for(after) == place
        user.keys("Tab", "space")  # the one for the split view

        def handle():
            """Where the handle stands; left of it is what was before, right of it what comes after."""
            left, top, width, height = INSIDE
            part, rows = user.pixels(), slice(place[1], place[1] + height)
            of_before, of_after = (
                (part == picture[rows, place[0]:place[0] + width]).all(axis=(0, 2))
                for picture in (before, after))
            x = int(of_before.argmin())
            assert 20 < x < width - 20 and of_after[x + 12:].all() and not of_after[:x - 12].any()
            return left + x
        at = handle()
        user.photograph("split")
        user.drag((at + 2, 100), (at + 2 - 70, 120))
        assert abs(handle() - (at - 70)) <= 4  # half of the line
        user.photograph("split-moved")


def test_grows_with_the_window(gimp, screen):
    """A fitted picture stays fitted when the window is made larger."""
    row = engine.find("gaussian-blur")
    with _dialog(gimp, screen, row) as user:
        width, height = user.pixels(0, 0, 2000, 2000).shape[1::-1]
        distance = user.center(YELLOW) - user.center(RED)
        screen.do("xdotool", "windowsize", user.dialog, width + 250, height + 180)

        def grown():
            """a larger picture"""
            found = [user.center(color) for color in (RED, GREEN, BLUE, YELLOW)]
            if any(each is None for each in found):
                return False
            return ((found[3] - found[0]) / distance).min() > 1.6
        gimps.poll(grown)
        user.settled()
        user.photograph("grown")


@pytest.mark.parametrize("feather", [0, 25])
def test_selection(gimp, screen, feather):
    """What is not selected stays, and GIMP blends the result as the preview does."""
    row = engine.find("autocontrast")
    select = "(gimp-image-select-rectangle img CHANNEL-OP-REPLACE 280 170 90 130)" + (
        f"(gimp-selection-feather img {feather})" if feather else "")
    with _dialog(gimp, screen, row, select) as user:
        user.keys("1")
        user.photograph(f"selection-{feather}")
        shown = user.pixels()
    found = xcf.read(gimp.path("preview-autocontrast.xcf")).layers[0].pixels
    assert (found != _picture()).any()
    height, width = shown.shape[:2]
    first = _place(shown[:8, :8], _picture())
    assert first
    part = found[first[1]:first[1] + height, first[0]:first[0] + width]
    assert (part != _picture()[first[1]:first[1] + height, first[0]:first[0] + width]).any()
    # GIMP's own rounding, where it blends.
    assert np.abs(shown.astype(int) - part).max() <= (1 if feather else 0)


def test_channels_that_are_not_active(gimp, screen):
    """What GIMP leaves as it is, such as red when it is not active, stays in the preview, too."""
    row = engine.find("gaussian-blur")
    wanted = _filtered(row)
    wanted[..., 0] = _picture()[..., 0]
    with _dialog(gimp, screen, row, "(gimp-image-set-component-active img 0 FALSE)") as user:
        user.keys("1")
        user.wait_for(wanted)
        user.photograph("inactive")
    engine.assert_same(xcf.read(gimp.path("preview-gaussian-blur.xcf")).layers[0].pixels, wanted)


def test_locked_alpha(gimp, screen):
    """Alpha that is locked stays, where the filter would blur it, and the preview shows it so."""
    row = engine.find("gaussian-blur")
    pixels = np.dstack([_picture(), np.full((HEIGHT, WIDTH), 255, "u1")])
    edge = WIDTH // 2
    pixels[:, :edge, 3] = 0
    wanted = engine.apply(row.name, row.initial(), pixels, linear=False)
    assert (wanted[:, edge - 1:edge + 1, 3] % 255 != 0).all()
    wanted[..., 3] = pixels[..., 3]
    with _dialog(gimp, screen, row, "(gimp-layer-set-lock-alpha (layer img 0) TRUE)",
                 pixels=pixels) as user:
        user.keys("1")
        begin = 200  # right of the edge

        def shown():
            """the opaque half of the result in the preview"""
            return _place(user.pixels()[:, begin:], wanted[..., :3])
        x, y = gimps.poll(shown, 60)
        user.settled()
        user.photograph("locked-alpha")
        part, column = user.pixels(), edge - (x - begin)
        assert 20 < column < begin
        height, width = part.shape[:2]
        opaque = wanted[y:y + height, edge:edge + width - column, :3]
        assert abs(part[:, column:].astype(int) - opaque).max() <= 1
        checks = np.unique(part[:, :column].reshape(-1, 3), axis=0)
        assert [color.tobytes().hex() for color in checks] == ["666666", "999999"]
    found = xcf.read(gimp.path("preview-gaussian-blur.xcf")).layers[0].pixels
    assert (found[..., 3] == pixels[..., 3]).all()
    engine.assert_same(found[:, edge:], wanted[:, edge:])
    assert (found[y:y + height, edge:edge + width - column, :3] == part[:, column:]).all()
