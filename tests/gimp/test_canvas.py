# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""What a user of GIMP 3 sees of an effect, from the menu to undo, and of a call inside of GIMP."""
import contextlib
import struct

import numpy as np
import pytest

import engine
import gimps
import xcf
from cases import picture
from gimps import poll
from screen import Session, open_effect

GIMPS = [gimp for gimp in gimps.find() if gimp.is3]
SHOTS = engine.BUILD / "screenshots"
IMAGE = xcf.Image([xcf.Layer(picture("u1", 4, 500, 400))])
FIRST_ENTRY = (0, 4, 200, 24)  # of a menu
CANVAS = (225, 125, 110, 120)  # a part of the image that GIMP lays no dialog over


def _story(path):
    """Shows the image; when the effect is there, saves it; when it is undone, counts once more."""
    count = "(number->string (vector-length (car (gimp-drawable-get-filters (layer img 0)))))"
    return f"""
(let* ((img (load-image "{path}.in.xcf")))
  (gimp-display-new img)
  (wait-for "{path}.accepted")
  (write-file "{path}.effects" {count})
  (save-image img "{path}.effect.xcf")
  (let* ((again (load-image "{path}.effect.xcf")))
    (gimp-drawable-merge-filters (layer again 0))
    (save-image again "{path}.merged.xcf")
    (gimp-image-delete again))
  (write-file "{path}.saved" "")
  (wait-for "{path}.undone")
  (write-file "{path}.effects-left" {count})
  (gimp-image-clean-all img))"""


def _brightest(screen, window, *part):
    """The lightest of the colors in a part of a window, whose letters are light on dark."""
    return max((int(color[1:3], 16) for color in screen.colors(window, *part)), default=0)


@pytest.mark.parametrize("gimp", GIMPS, ids=str)
def test_effect_on_the_canvas(gimp, screen):
    """The canvas follows the dialog's values; OK keeps the effect in the XCF; Ctrl+Z removes it."""
    path = gimp.path("canvas")
    xcf.write(f"{path}.in.xcf", IMAGE)
    SHOTS.mkdir(exist_ok=True)
    with Session(gimp, screen, _story(path)) as session:
        def shows(other):
            """a change on the canvas"""
            look = screen.look(window, *CANVAS)
            return look != other and look

        window = screen.window(r"canvas\.in\.xcf")
        screen.settled(window)
        before = screen.look(window, *CANVAS)
        dialog = open_effect(screen, window, "gaussian-blur")
        slightly = poll(lambda: shows(before))
        screen.settled(dialog)
        screen.do("xdotool", "mousemove", "--window", dialog, "366", "84", "click", "1")  # a number
        screen.keys(dialog, "ctrl+a")
        screen.type(dialog, "12")
        screen.keys(dialog, "Tab")
        poll(lambda: shows(slightly))
        screen.settled(dialog)
        screen.photograph(dialog, SHOTS / f"effect-dialog-{gimp}.png")
        screen.keys(dialog, "alt+o")
        screen.settled(window)
        screen.photograph(window, SHOTS / f"effect-{gimp}.png")
        poll(lambda: shows(before) and shows(slightly))
        gimp.path("canvas.accepted").touch()
        poll(gimp.path("canvas.saved").exists)
        screen.keys(window, "ctrl+z")
        poll(lambda: screen.look(window, *CANVAS) == before)
        gimp.path("canvas.undone").touch()
        session.wait()
    assert gimp.path("canvas.effects").read_text() == "1"
    assert gimp.path("canvas.effects-left").read_text() == "0"
    wanted = engine.apply("gaussian-blur", {"std-dev-x": 12.0, "std-dev-y": 12.0},
                          IMAGE.layers[0].pixels, linear=False)
    engine.assert_same(xcf.read(f"{path}.merged.xcf").layers[0].pixels, wanted)


@pytest.mark.parametrize("gimp", GIMPS, ids=str)
def test_error_in_the_dialog(gimp, screen):
    """Values that cannot go together: the dialog says so, and the canvas shows the picture as it is.

    The dialog says nothing as long as nothing is wrong, and the terminal nothing beside it.
    """
    path = gimp.path("wrong")
    xcf.write(f"{path}.in.xcf", IMAGE)
    SHOTS.mkdir(exist_ok=True)
    body = f"""
(let* ((img (load-image "{path}.in.xcf")))
  (gimp-display-new img)
  (wait-for "{path}.seen")
  (gimp-image-clean-all img))"""
    with Session(gimp, screen, body) as session:
        window = screen.window(r"wrong\.in\.xcf")
        screen.settled(window)
        before = screen.look(window, *CANVAS)
        dialog = open_effect(screen, window, "canny")
        message = (0, 230, 362, 60)  # where it comes, below the values; else there is Clipping
        right = screen.look(dialog, *message)
        screen.do("xdotool", "mousemove", "--window", dialog, "303", "116", "click", "1")  # a number

        def set_low_threshold(value):
            screen.keys(dialog, "ctrl+a")
            screen.type(dialog, value)
            screen.keys(dialog, "Tab", "shift+Tab")
        poll(lambda: screen.look(window, *CANVAS) != before)
        set_low_threshold("500")
        poll(lambda: screen.look(window, *CANVAS) == before)
        screen.settled(dialog)
        wrong = screen.look(dialog, *message)
        assert wrong != right
        screen.photograph(dialog, SHOTS / f"effect-error-{gimp}.png")
        set_low_threshold("70")
        poll(lambda: screen.look(window, *CANVAS) != before)
        poll(lambda: screen.look(dialog, *message) != wrong)
        screen.keys(dialog, "Escape")
        screen.settled(window)
        gimp.path("wrong.seen").touch()
        session.wait()


@pytest.mark.parametrize("gimp", GIMPS, ids=str)
def test_mask_grows(gimp, screen):
    """The mask of a layer grown by 40 pixels, as a user does it; nothing else changes."""
    path = gimp.path("grown")
    plane = 255 * (np.hypot(*np.mgrid[-200:200, -250:250]) < 60)[..., None].astype("u1")
    layer = xcf.Layer(picture("u1", 4, 500, 400), mask=plane)
    xcf.write(f"{path}.in.xcf", xcf.Image([layer]))
    SHOTS.mkdir(exist_ok=True)
    body = f"""
(let* ((img (load-image "{path}.in.xcf")))
  (gimp-layer-set-edit-mask (layer img 0) TRUE)
  (gimp-display-new img)
  (wait-for "{path}.accepted")
  (save-image img "{path}.xcf")
  (gimp-image-clean-all img))"""
    with Session(gimp, screen, body) as session:
        window = screen.window(r"grown\.in\.xcf")
        screen.settled(window)
        dialog = open_effect(screen, window, "morphology")
        screen.do("xdotool", "mousemove", "--window", dialog, "303", "144", "click", "1")  # the radius
        screen.keys(dialog, "ctrl+a")
        screen.type(dialog, "40")
        screen.keys(dialog, "Tab")
        screen.settled(dialog)
        screen.photograph(dialog, SHOTS / f"mask-grows-dialog-{gimp}.png")
        screen.keys(dialog, "alt+o")
        screen.settled(window)
        screen.photograph(window, SHOTS / f"mask-grows-{gimp}.png")
        gimp.path("grown.accepted").touch()
        session.wait()
    found = xcf.read(f"{path}.xcf").layers[0]
    wanted = engine.apply("morphology", {"radius": 40}, plane, linear=False)
    assert wanted.astype(int).sum() > 2.5 * plane.astype(int).sum()
    engine.assert_same(found.mask, wanted)
    engine.assert_same(found.pixels, layer.pixels)


@pytest.mark.parametrize("gimp", GIMPS, ids=str)
def test_center_is_picked(gimp, screen):
    """The center of a zoom is where the user clicks on the canvas."""
    path = gimp.path("picked")
    mark = [255, 0, 128]  # a color of nothing else in the window
    pixels = picture("u1", 4, 500, 400).copy()
    pixels[90:110, 50:70] = [*mark, 255]
    xcf.write(f"{path}.in.xcf", xcf.Image([xcf.Layer(pixels)]))
    SHOTS.mkdir(exist_ok=True)
    with Session(gimp, screen, _story(path)) as session:
        window = screen.window(r"picked\.in\.xcf")
        screen.settled(window)
        # Where the image lies in the window depends on what earlier sessions left in the profile.
        rows, columns = np.nonzero((screen.pixels(window) == mark).all(axis=-1))
        assert len(rows) > 0
        x, y = int(columns.mean()), int(rows.mean())
        dialog = open_effect(screen, window, "motion-blur")
        linear = screen.settled(dialog)
        screen.photograph(dialog, SHOTS / f"effect-angle-{gimp}.png")  # which has a dial
        screen.do("xdotool", "mousemove", "--window", dialog, "180", "87", "click", "1")  # the kind
        screen.settled(dialog)
        screen.keys(dialog, "Down", "Return")
        screen.settled(dialog, linear)
        screen.do("xdotool", "mousemove", "--window", dialog, "380", "220", "click", "1")  # the picker
        before = screen.settled(dialog)
        screen.do("xdotool", "mousemove", "--window", window, x, y, "click", "1")
        screen.settled(dialog, before)
        screen.photograph(dialog, SHOTS / f"effect-picked-{gimp}.png")
        screen.keys(dialog, "alt+o")
        screen.settled(window)
        screen.photograph(window, SHOTS / f"effect-zoom-{gimp}.png")
        gimp.path("picked.accepted").touch()
        poll(gimp.path("picked.saved").exists)
        gimp.path("picked.undone").touch()
        session.wait()
    file = gimp.path("picked.effect.xcf").read_bytes()

    def saved(name):
        """The number that the file has for a property of the effect, behind its name and its type."""
        return struct.unpack_from(">f", file, file.index(name + b"\0") + len(name) + 5)[0]
    center = saved(b"center-x"), saved(b"center-y")
    assert abs(center[0] - 60 / 500) < 0.01 and abs(center[1] - 100 / 400) < 0.01
    found = xcf.read(f"{path}.merged.xcf").layers[0].pixels
    wanted = engine.apply("motion-blur", {"kind": "zoom", "center-x": center[0], "center-y": center[1]},
                          pixels, linear=False)
    assert np.abs(found.astype(int) - wanted).max() <= 1


@contextlib.contextmanager
def _shown_effect(gimp, screen, name, channels, effect):
    """A layer in a window, and the dialog of an effect for it; both close in the end."""
    path = gimp.path(name)
    xcf.write(f"{path}.in.xcf", xcf.Image([xcf.Layer(picture("u1", channels, 500, 400))]))
    SHOTS.mkdir(exist_ok=True)
    body = f"""
(let* ((img (load-image "{path}.in.xcf")))
  (gimp-display-new img)
  (wait-for "{path}.seen")
  (gimp-image-clean-all img))"""
    with Session(gimp, screen, body) as session:
        window = screen.window(name + r"\.in\.xcf")
        screen.settled(window)
        dialog = open_effect(screen, window, effect)
        yield dialog
        screen.keys(dialog, "Escape")
        screen.settled(window)
        gimp.path(name + ".seen").touch()
        session.wait()


@pytest.mark.parametrize("gimp", GIMPS, ids=str)
def test_what_does_not_apply_is_grey(gimp, screen):
    """A parameter that does not apply with the values of others; the dialog follows them at once."""
    with _shown_effect(gimp, screen, "grey", 4, "sobel") as dialog:
        sign, border = (280, 106, 60, 20), (280, 162, 60, 20)  # the ends of two rows
        white = _brightest(screen, dialog, *sign)
        poll(lambda: _brightest(screen, dialog, *border) == white)
        screen.do("xdotool", "mousemove", "--window", dialog, "180", "87", "click", "1")  # output
        screen.settled(dialog)
        screen.keys(dialog, *["Down"] * 3, "Return")  # the direction has no sign
        screen.put_mouse_away()
        poll(lambda: _brightest(screen, dialog, *sign) < white - 40)
        poll(lambda: _brightest(screen, dialog, *border) == white)
        screen.photograph(dialog, SHOTS / f"effect-grey-{gimp}.png")
        screen.keys(dialog, *["Up"] * 3)
        poll(lambda: _brightest(screen, dialog, *sign) == white)


@pytest.mark.parametrize("gimp", GIMPS, ids=str)
def test_what_is_about_alpha_is_grey_without_it(gimp, screen):
    """The dialog knows whether the layer has an alpha channel."""
    for channels in 3, 4:
        with _shown_effect(gimp, screen, f"alpha-{channels}", channels, "median-blur") as dialog:
            colors, alpha = [(411, y, 8, 18) for y in (135, 163)]  # of the buttons of two percentiles
            poll(lambda: _brightest(screen, dialog, *colors) > 180)
            poll(lambda: (_brightest(screen, dialog, *alpha) > 180) == (channels == 4))
            screen.photograph(dialog, SHOTS / f"effect-alpha-{channels}-{gimp}.png")


@pytest.mark.parametrize("gimp", GIMPS, ids=str)
def test_every_effect_has_a_dialog(gimp, screen):
    """The menus open it, Escape closes it, and GIMP has nothing to say of it."""
    path = gimp.path("all-effects")
    xcf.write(f"{path}.in.xcf", IMAGE)
    SHOTS.mkdir(exist_ok=True)
    body = f"""
(let* ((img (load-image "{path}.in.xcf")))
  (gimp-display-new img)
  (wait-for "{path}.seen")
  (gimp-image-clean-all img))"""
    with Session(gimp, screen, body) as session:
        window = screen.window(r"all-effects\.in\.xcf")
        screen.settled(window)
        before = gimps.complaints.words(session.log_path.read_text())
        for row in engine.in_place():
            dialog = open_effect(screen, window, row.name)
            screen.photograph(dialog, SHOTS / f"effect-{row.name}-{gimp}.png")
            screen.keys(dialog, "Escape")
            screen.gone(dialog)
            assert gimps.complaints.words(session.log_path.read_text()) == before, row.name
        gimp.path("all-effects.seen").touch()
        session.wait()


def _call_story(gimp, path):
    """Shows the image, filters it, and when that is undone saves it."""
    return f"""
(let* ((img (load-image "{path}.in.xcf")))
  (gimp-display-new img)
  (wait-for "{path}.seen")
  {gimp.call(engine.find("invert"), {})}
  (gimp-displays-flush)
  (write-file "{path}.done" "")
  (wait-for "{path}.undone")
  (save-image img "{path}.xcf")
  (gimp-image-clean-all img))"""


def _menu(screen, window, key):
    """Opens a menu and returns its window."""
    def windows():
        return set(screen.do("xdotool", "search", "--onlyvisible", "--class", ".").split())
    before = windows()
    screen.keys(window, key)

    def opened():
        """a menu"""
        return windows() - before
    menu = poll(opened).pop()
    screen.settled(menu)
    return menu


@pytest.mark.parametrize("gimp", GIMPS, ids=str)
def test_undo_of_a_call(gimp, screen):
    """One Ctrl+Z takes a call back; the Edit menu calls it the same whichever way the call took."""
    menus = []
    SHOTS.mkdir(exist_ok=True)
    for wire in "01":
        path = gimp.path(f"undo-{wire}")
        xcf.write(f"{path}.in.xcf", IMAGE)
        with Session(gimp, screen, _call_story(gimp, path), CUDA_FILTERS_WIRE=wire,
                     CUDA_FILTERS_VERBOSE="1") as session:
            window = screen.window(r"undo-[01]\.in\.xcf")
            screen.settled(window)
            before = screen.look(window, *CANVAS)
            gimp.path(f"undo-{wire}.seen").touch()
            poll(gimp.path(f"undo-{wire}.done").exists)
            def filtered():
                """the canvas after the call"""
                return screen.look(window, *CANVAS) != before
            poll(filtered)
            menu = _menu(screen, window, "alt+e")
            menus.append(screen.look(menu, *FIRST_ENTRY))
            screen.photograph(menu, SHOTS / f"undo-{gimp}-{wire}.png")
            assert len(screen.colors(menu, *FIRST_ENTRY)) > 10  # letters
            screen.keys(window, "Escape", "ctrl+z")

            def undone():
                """the canvas as it was"""
                return screen.look(window, *CANVAS) == before
            poll(undone)
            gimp.path(f"undo-{wire}.undone").touch()
            log = session.wait()
        assert ("inside GIMP" in log) == (wire == "0")
        assert (xcf.read(f"{path}.xcf").layers[0].pixels == IMAGE.layers[0].pixels).all()
    assert menus[0] == menus[1]
