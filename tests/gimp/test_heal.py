# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""What is selected is replaced: by scripts and in the dialog, with the engine's bits in each GIMP."""
import pathlib
import re
import shutil

import numpy as np
import pytest
from PIL import Image

import engine
import gimps
import xcf
from cases import mask_of, picture
from scenarios import Scenario, outcome
from screen import Program, undo, undo_story, wait_until_ready

HEAL = engine.find("heal-selection")
SHOTS = engine.BUILD / "screenshots"
BATCH_PAGE = pathlib.Path(__file__).parents[2] / "docs/batch.md"
# What is selected of a picture(): left and upper edge, width and height.
PLACE = (62, 50, 24, 20)
NOTHING = "Nothing is selected. Select what is to be replaced, with a little around it."
_MASK = "(car (gimp-layer-get-mask (layer img 0)))"


def _select(x, y, width, height):
    """Script-Fu that selects a rectangle."""
    return f"(gimp-image-select-rectangle img CHANNEL-OP-REPLACE {x} {y} {width} {height})"


def _selects(place=PLACE, after=""):
    return lambda gimp: _select(*place) + after


def _heal(drawables="(layer img 0)", aux=None, **values):
    return lambda gimp: gimp.call(HEAL, values, drawables, aux=aux)


def _healed(before, mask, linear=False, **values):
    """What the engine makes of a drawable of which that much is selected."""
    return engine.apply(HEAL.name, HEAL.initial() | values, before, linear, mask)


def _assert_healed(after, before, place=PLACE, linear=False, **values):
    """Bit for bit; what is selected has changed, and nothing else."""
    mask = mask_of(before.shape, place)
    wanted = _healed(before, mask, linear, **values)
    assert (wanted != before)[mask > 0].any()
    assert np.array_equal(after[mask == 0], before[mask == 0])
    if after.dtype == "f4" and not linear:  # GIMP takes the result to linear light and back
        assert np.abs(after - wanted).max() < 1e-6
    elif after.dtype == "u2" and linear:  # or rounds once more
        engine.assert_same(after, wanted)
    else:
        assert np.array_equal(after, wanted), engine.worst_difference(after, wanted)


# Number types, curves and channels of layers, and values.
KINDS = {
    "rgba-u8": ("u1", xcf.ENCODED, 4, {}),
    "gray-u8": ("u1", xcf.ENCODED, 1, {"patch": 5, "search": "sides", "distance": 30.0, "seed": 3}),
    "rgb-u16": ("u2", xcf.ENCODED, 3, {"search": "everywhere", "iterations": 5}),
    "rgba-u16-linear": ("u2", xcf.LINEAR, 4, {"seed": 2}),
    "rgba-float-linear": ("f4", xcf.LINEAR, 4, {"patch": 9}),
    "rgba-float": ("f4", xcf.ENCODED, 4, {}),
    "gray-float": ("f4", xcf.ENCODED, 2, {}),
}


def _kinds():
    for name, (number, trc, channels, values) in KINDS.items():
        yield Scenario(f"heal-{name}", xcf.Image([xcf.Layer(picture(number, channels))], trc), _heal(**values),
                       _selects())


FEATHERED = Scenario("heal-feathered", xcf.Image([xcf.Layer(picture("u1", 3))]), _heal(),
                     lambda gimp: _select(45, 40, 50, 50) + "(gimp-selection-feather img 12)(gimp-selection-save img)")

TWO = xcf.Image([xcf.Layer(picture("u1", 4), "one"),
                 xcf.Layer(picture("u1", 3, 90, 100, 5), "two", offset=(37, 9)),
                 xcf.Layer(picture("u1", 3, 100, 110, 6), "three")])
MASKED = xcf.Image([xcf.Layer(picture("u1", 4), mask=picture("u1", 1, seed=3))],
                   channels={"channel": picture("u1", 1, seed=4)})
DRAWABLES = (
    Scenario("heal-two", TWO, _heal("(layer img 0) (layer img 1)"), _selects()),
    Scenario("heal-offset", TWO, _heal("(layer img 1)"), _selects()),
    # To the left of the layer and in its first columns.
    Scenario("heal-partly-off", TWO, _heal("(layer img 1)"), _selects((20, 60, 40, 22))),
    Scenario("heal-mask", MASKED, _heal(_MASK), _selects()),
    Scenario("heal-channel", MASKED, _heal("(channel img 0)"), _selects()),
)


def _two_colors():
    """Noise in red to the left, and in blue to the right."""
    pixels = np.random.default_rng(2).integers(0, 50, (140, 150, 3), "u1")
    pixels[:, :75, 0] += 200
    pixels[:, 75:, 2] += 200
    return pixels


def _white(place):
    """A layer that is white in one place and black elsewhere."""
    return np.dstack([mask_of((140, 150), place)] * 3)


BLUE = (90, 20, 50, 100)
WHITE = {"same size": (_white(BLUE), (0, 0)), "somewhere": (np.full((100, 50, 3), 255, "u1"), BLUE[:2])}
SEARCH = {"search": "everywhere"}


def _take_from(name, layer, offset):
    image = xcf.Image([xcf.Layer(_two_colors()), xcf.Layer(layer, "from", offset=offset)])
    return Scenario(f"heal-from-{name}", image, _heal(aux="(layer img 1)", **SEARCH), _selects((30, 50, 30, 30)))


FROM = tuple(_take_from(name, *layer) for name, layer in WHITE.items())

_DIRTY = '(write-file "{}" (if (= TRUE (car (gimp-image-is-dirty img))) "changed" "as it was"))'


def _refused(name, image, act, prepare=lambda gimp: "", tidy=lambda gimp: ""):
    """What fails, with a look whether it has left something to undo."""
    def clean(gimp):
        return prepare(gimp) + "(gimp-image-clean-all img)"

    def attempt(gimp):
        path = gimp.path(f"heal-not-{name}")
        return f"""
(attempt "{path}.refused" (lambda () {act(gimp)}))
{_DIRTY.format(f"{path}.dirty")}"""
    return Scenario(f"heal-not-{name}", image, attempt, clean, tidy)


PLAIN = xcf.Image([xcf.Layer(picture("u1", 4))])
GROUP_AND_COPY = """
(let* ((group (make-group img)))
  (gimp-image-insert-layer img group 0 0)
  (gimp-image-insert-layer img (COPY) group 0))"""


def _group(gimp):
    copy = "(car (gimp-layer-copy (layer img 1)" + ("))" if gimp.is3 else " FALSE))")
    return GROUP_AND_COPY.replace("(COPY)", copy) + _select(*PLACE)


BLACK = xcf.Image([xcf.Layer(picture("u1", 4), "target"), xcf.Layer(np.zeros((140, 150, 3), "u1"), "black")])
_OTHER = "(define other (car (gimp-image-duplicate img)))"
# Patches so large that next to the selection there is none.
TOO_NEAR = {"patch": 31, "search": "sides", "distance": 1.0}
TOO_LITTLE = "places of {0} × {0} pixels, and at least 64 are needed."
# Name, scenario, words of the message.
REFUSED = {
    "none": (_refused("none", PLAIN, _heal()), [NOTHING]),
    "beside": (_refused("beside", xcf.Image([xcf.Layer(picture("u1", 4), "here", offset=(60, 60))], size=(400, 300)),
                        _heal(), _selects((300, 10, 50, 40))),
               ["Nothing of 'here' is selected. Select what is to be replaced in it."]),
    "all": (_refused("all", PLAIN, _heal(), lambda gimp: "(gimp-selection-all img)"),
            ["from only 0 " + TOO_LITTLE.format(7)]),
    "nearly-all": (_refused("nearly-all", PLAIN, _heal(patch=31), _selects((0, 0, 150, 115))),
                   ["from only 0 " + TOO_LITTLE.format(31)]),
    "too-little": (_refused("too-little", PLAIN, _heal(patch=3, search="sides", distance=2.0),
                            _selects((0, 0, 148, 50))),
                   ["from only ", TOO_LITTLE.format(3)]),
    "locked": (_refused("locked", PLAIN, _heal(), _selects(
        after="(gimp-item-set-lock-content (layer img 0) TRUE)")), ["'layer'", "locked"]),
    "group": (_refused("group", PLAIN, _heal(), _group), ["is a layer group and has no pixels of its own"]),
    "black": (_refused("black", BLACK, _heal(aux="(layer img 1)"), _selects()),
              ["from only 0 " + TOO_LITTLE.format(7)]),
    "foreign": (_refused("foreign", PLAIN, _heal(aux="(layer other 0)"), lambda gimp: _select(*PLACE) + _OTHER,
                         lambda gimp: "(gimp-image-delete other)"), ["belongs to another image"]),
}

MASKS = {
    "channel": xcf.Image([xcf.Layer(picture("u1", 3, seed=11))],
                         channels={"dust": mask_of((140, 150), (20, 30, 15, 17))[..., None]}),
    "layer": xcf.Image([xcf.Layer(picture("u1", 3, seed=12)),
                        xcf.Layer(np.dstack([picture("u1", 3), mask_of((140, 150), (70, 80, 20, 9))]), "dust")]),
    "mask": xcf.Image([xcf.Layer(picture("u1", 4, seed=13), mask=mask_of((140, 150), (90, 20, 12, 30))[..., None])]),
}
ITEMS = {"channel": "(channel img 0)", "layer": "(layer img 1)", "mask": _MASK}
BATCH = tuple(Scenario(f"heal-by-{name}", image, _heal(), lambda gimp, item=ITEMS[name]:
                       f"(gimp-image-select-item img CHANNEL-OP-REPLACE {item})") for name, image in MASKS.items())
FIRST = Scenario("heal-first", PLAIN, lambda gimp: gimp.call(HEAL, {}, mode="RUN-WITH-LAST-VALS"), _selects())

STORIES = (FIRST, *_kinds(), FEATHERED, *DRAWABLES, *FROM, *(story for story, _ in REFUSED.values()), *BATCH)


def _told(gimp, name):
    """The image after a scenario that went well, and before it."""
    if "heal-first" == name:
        shutil.rmtree(gimp.path("profile/plug-in-settings"), ignore_errors=True)  # of other tests
    scenario = next(story for story in STORIES if story.name == name)
    found = outcome(gimp, STORIES, scenario)
    assert found.message == "ok", found.lines
    return found.image, scenario.image


def test_last_values(gimp):
    """Nothing stored yet: the initial values."""
    after, before = _told(gimp, "heal-first")
    _assert_healed(after.layers[0].pixels, before.layers[0].pixels)


@pytest.mark.parametrize("kind", KINDS)
def test_bits_of_the_engine(gimp, kind):
    """And so the same in each GIMP."""
    after, before = _told(gimp, f"heal-{kind}")
    _, trc, _, values = KINDS[kind]
    _assert_healed(after.layers[0].pixels, before.layers[0].pixels, linear=trc == xcf.LINEAR, **values)


def test_same_in_each_gimp():
    """But for what GIMP rounds on the way to linear light and back: babl goes the way that it finds fastest.

    Where it does not, test_bits_of_the_engine has seen the same bits.
    """
    story = (next(story for story in STORIES if story.name == "heal-rgba-float"),)
    first, *others = (outcome(gimp, story, story[0]).image.layers[0].pixels for gimp in gimps.find())
    assert all(np.abs(first - other).max() < 1e-6 for other in others)


def _linear(codes):
    codes = codes / 255
    return np.where(codes <= 0.04045, codes / 12.92, ((codes + 0.055) / 1.055) ** 2.4)


def _encoded(light):
    return 255 * np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)


def test_feathered_selection(gimp):
    """GIMP blends what the engine makes with what was there, in linear light."""
    after, before = _told(gimp, "heal-feathered")
    mask, before, got = after.channels["Selection Mask copy"][..., 0], before.layers[0].pixels, after.layers[0].pixels
    healed, part = _healed(before, mask), (mask > 0) & (mask < 255)
    assert part.sum() > 500 and (mask == 0).any() and (mask == 255).any()
    assert (healed != before)[part].mean() > 0.5
    assert np.array_equal(got[mask == 0], before[mask == 0])
    assert np.array_equal(got[mask == 255], healed[mask == 255])
    share = mask[..., None] / 255
    blended = _encoded((1 - share) * _linear(before) + share * _linear(healed))
    assert np.abs(got - blended).max() <= 1


def test_several_layers(gimp):
    """Each has its own selection, and its own pixels around that."""
    if not gimp.is3:
        pytest.skip("GIMP 2.10 gives a plug-in one drawable")
    after, before = _told(gimp, "heal-two")
    x, y, width, height = PLACE
    _assert_healed(after.layers[0].pixels, before.layers[0].pixels)
    _assert_healed(after.layers[1].pixels, before.layers[1].pixels, (x - 37, y - 9, width, height))
    assert np.array_equal(after.layers[2].pixels, before.layers[2].pixels)


@pytest.mark.parametrize("name, place", [("offset", (62 - 37, 50 - 9, 24, 20)), ("partly-off", (0, 60 - 9, 23, 22))])
def test_layer_with_an_offset(gimp, name, place):
    """The selection counts in the canvas's coordinates and is cut off at the layer's ends."""
    after, before = _told(gimp, f"heal-{name}")
    _assert_healed(after.layers[1].pixels, before.layers[1].pixels, place)
    for other in 0, 2:
        assert np.array_equal(after.layers[other].pixels, before.layers[other].pixels)


def test_masks_and_channels(gimp):
    """They are pictures, too, masks in linear light."""
    after, before = _told(gimp, "heal-mask")
    _assert_healed(after.layers[0].mask, before.layers[0].mask, linear=True)
    assert np.array_equal(after.layers[0].pixels, before.layers[0].pixels)
    after, before = _told(gimp, "heal-channel")
    _assert_healed(after.channels["channel"], before.channels["channel"])
    assert np.array_equal(after.layers[0].pixels, before.layers[0].pixels)


@pytest.mark.parametrize("name", WHITE)
def test_layer_says_where_to_take_from(gimp, name):
    """What is in the midst of red becomes blue, as what is white is; beside the layer nothing is taken."""
    after, before = _told(gimp, f"heal-from-{name}")
    got, inside = after.layers[0].pixels, mask_of((140, 150), (30, 50, 30, 30)) > 0
    assert np.array_equal(got[~inside], before.layers[0].pixels[~inside])
    assert (got[inside][:, 2] >= 200).all() and (got[inside][:, 0] < 50).all()
    assert np.array_equal(after.layers[1].pixels, before.layers[1].pixels)


@pytest.mark.parametrize("name", REFUSED)
def test_refused(gimp, name):
    """In a sentence, and the image is what it was, without another step to undo."""
    scenario, words = REFUSED[name]
    after, before = _told(gimp, scenario.name)
    message = gimp.path(f"heal-not-{name}.refused").read_text()
    assert [word for word in words if word not in message] == [], message
    layer = 0 if name == "black" else -1  # in a group, or alone
    assert np.array_equal(after.layers[layer].pixels, before.layers[0].pixels)
    assert gimp.path(f"heal-not-{name}.dirty").read_text() == "as it was"


@pytest.mark.parametrize("name", MASKS)
def test_selected_by_an_item(gimp, name):
    """As a script does for many pictures whose dust another program has found."""
    after, before = _told(gimp, f"heal-by-{name}")
    place = {"channel": (20, 30, 15, 17), "layer": (70, 80, 20, 9), "mask": (90, 20, 12, 30)}[name]
    _assert_healed(after.layers[0].pixels, before.layers[0].pixels, place)


def test_dust_on_scans(gimp):
    """The script of docs/batch.md, as it stands there, on two scans with the same specks."""
    folder = gimp.path("dust")
    shutil.rmtree(folder, ignore_errors=True)
    for name in ("scans", "clean"):
        (folder / name).mkdir(parents=True)
    specks = np.zeros((150, 200, 4), "u1")
    for x, y, side in ((20, 30, 3), (110, 70, 7), (197, 0, 2)):
        specks[y:y + side, x:x + side] = 255
    xcf.write(folder / "dust.xcf", xcf.Image([xcf.Layer(specks)]))
    scans = {"a.png": picture("u1", 3, 200, 150), "b, too.png": picture("u1", 3, 200, 150)[::-1].copy()}
    for name, pixels in scans.items():
        Image.fromarray(pixels).save(folder / "scans" / name)
    blocks = re.findall(r"```scheme\n(.*?)```", BATCH_PAGE.read_text(encoding="utf-8"), re.DOTALL)
    script, = [text for text in blocks
               if "heal-selection" in text and ("script-fu-use-v3" in text) == gimp.is3]
    (folder / "dust.scm").write_text(script)
    loads = (["--quit", "--batch-interpreter=plug-in-script-fu-eval", "-b", '(load "dust.scm")'] if gimp.is3
             else ["-b", '(load "dust.scm")', "-b", "(gimp-quit 0)"])
    output = gimp.run(["sh", "-c", f"cd {folder} && exec \"$@\"", "sh", gimp.binary(True), "-i", *loads])
    mask = specks[..., 3]
    for name, pixels in scans.items():
        assert (folder / "clean" / name).exists(), output
        clean = np.asarray(Image.open(folder / "clean" / name))
        wanted = _healed(pixels, mask, distance=40.0, iterations=5)
        assert (wanted != pixels)[mask > 0].any()
        assert np.array_equal(clean, wanted), engine.worst_difference(clean, wanted)


def test_dialog(gimp, screen):
    """It shows what OK does; the next call repeats that."""
    path = gimp.path("heal-dialog")
    xcf.write(f"{path}.in.xcf", TWO)
    SHOTS.mkdir(exist_ok=True)
    body = f"""
(let* ((img (load-image "{path}.in.xcf")))
  {_select(*PLACE)}
  {gimp.call(HEAL, {}, mode="RUN-INTERACTIVE")}
  {gimp.call(HEAL, {}, "(layer img 2)", mode="RUN-WITH-LAST-VALS")}
  (save-image img "{path}.xcf")
  (gimp-image-delete img))"""
    preview = (14, 14, 350, 260)
    with Program(gimp, screen, body) as program:
        dialog = screen.window(HEAL.title)
        screen.settled(dialog)
        screen.keys(dialog, "alt+r")
        screen.settled(dialog)
        first = screen.pixels(dialog, *preview)
        screen.photograph(dialog, SHOTS / f"heal-dialog-{gimp}.png")
        screen.keys(dialog, "alt+e", "ctrl+a")
        screen.type(dialog, 5)
        screen.keys(dialog, "Tab")
        screen.settled(dialog)
        second = screen.pixels(dialog, *preview)
        screen.keys(dialog, "alt+p")
        screen.settled(dialog)
        without = screen.pixels(dialog, *preview)
        screen.photograph(dialog, SHOTS / f"heal-dialog-without-{gimp}.png")
        screen.keys(dialog, "alt+p", "alt+o")
        program.wait()
    # What differs lies close together: where something is selected.
    for one, other in (first, without), (second, without), (first, second):
        rows, columns = np.nonzero((one != other).any(axis=2))
        assert len(rows) > 20 and np.ptp(rows) < 120 and np.ptp(columns) < 120
    after = xcf.read(f"{path}.xcf").layers
    _assert_healed(after[0].pixels, TWO.layers[0].pixels, seed=5)
    assert np.array_equal(after[1].pixels, TWO.layers[1].pixels)
    _assert_healed(after[2].pixels, TWO.layers[2].pixels, seed=5)


def test_dialog_without_a_selection(gimp, screen):
    """It says what is missing, and OK does nothing."""
    path = gimp.path("heal-unselected")
    xcf.write(f"{path}.in.xcf", TWO)
    SHOTS.mkdir(exist_ok=True)
    body = f"""
(let* ((img (load-image "{path}.in.xcf")))
  (attempt "{path}.told" (lambda () {gimp.call(HEAL, {}, mode="RUN-INTERACTIVE")}))
  (save-image img "{path}.xcf")
  (gimp-image-delete img))"""
    gimp.path("heal-unselected.told").unlink(missing_ok=True)
    with Program(gimp, screen, body) as program:
        dialog = screen.window(HEAL.title)
        screen.settled(dialog)
        screen.photograph(dialog, SHOTS / f"heal-unselected-{gimp}.png")
        screen.keys(dialog, "alt+o")
        screen.settled(dialog)
        assert not gimp.path("heal-unselected.told").exists()
        screen.keys(dialog, "Escape")
        program.wait()
    assert np.array_equal(xcf.read(f"{path}.xcf").layers[0].pixels, TWO.layers[0].pixels)


def test_one_undo_step(gimp, screen):
    """Ctrl+Z, once, brings back every drawable of a call; what was refused before has left no step."""
    path = gimp.path("heal-undo")
    xcf.write(f"{path}.in.xcf", TWO)
    drawables = "(layer img 0) (layer img 1)" if gimp.is3 else "(layer img 1)"
    changed = (0, 1) if gimp.is3 else (1,)
    body = f"""
(define img (load-image "{path}.in.xcf"))
(define display (car (gimp-display-new img)))
{_select(*PLACE)}
(gimp-layer-set-offsets (layer img 2) 3 4)
(attempt "{path}.refused" (lambda () {gimp.call(HEAL, TOO_NEAR, drawables)}))
{gimp.call(HEAL, {}, drawables)}
(gimp-displays-flush)
(save-image img "{path}.healed.xcf")
{undo_story(path)}
(gimp-image-clean-all img)
(gimp-display-delete display)"""
    moved = xcf.Image([*TWO.layers[:2], xcf.Layer(TWO.layers[2].pixels, "three", offset=(3, 4))])
    with Program(gimp, screen, body) as program:
        wait_until_ready(gimp, path)
        assert "can be taken from" in gimp.path("heal-undo.refused").read_text()
        healed = xcf.read(f"{path}.healed.xcf").layers
        assert not any(np.array_equal(healed[i].pixels, TWO.layers[i].pixels) for i in changed)
        undo(gimp, screen, path, moved, TWO)
        program.wait()
