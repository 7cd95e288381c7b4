# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Selections, layers that do not fit the canvas, and several drawables in one call."""
import numpy as np
import pytest

import engine
import xcf
from cases import other_values, picture
from scenarios import Scenario, outcome

ROWS = engine.in_place()


def _image(number="u1", channels=4, offset=(0, 0), size=None):
    return xcf.Image([xcf.Layer(picture(number, channels), offset=offset)], size=size)


def _select(x, y, width, height, feather=0):
    """Script-Fu that selects a rectangle."""
    words = f"(gimp-image-select-rectangle img CHANNEL-OP-REPLACE {x} {y} {width} {height})"
    return words + (f"(gimp-selection-feather img {feather})" if feather else "")


def _filter(row, drawables="(layer img 0)"):
    return lambda gimp: gimp.call(row, other_values(row), drawables)


def _scenarios():
    for row in ROWS:
        name = row.name
        yield Scenario(f"hard-{name}", _image(), _filter(row), lambda gimp: _select(20, 30, 70, 60))
        yield Scenario(f"partly-off-{name}", _image("u2", 3, (-30, 25), (150, 140)), _filter(row),
                       lambda gimp: _select(50, 60, 100, 80))
        yield Scenario(f"feathered-{name}", _image(channels=3), _filter(row),
                       lambda gimp: _select(35, 30, 80, 80, 12) + "(gimp-selection-save img)")
        yield Scenario(f"off-the-layer-{name}", _image(offset=(60, 60), size=(400, 300)),
                       _filter(row), lambda gimp: _select(300, 10, 50, 40))
        yield Scenario(f"selected-and-nothing-{name}", _image(), _filter(row),
                       lambda gimp: _select(20, 30, 70, 60) + "(gimp-selection-none img)")
        yield Scenario(f"larger-than-canvas-{name}", _image(offset=(-20, -10), size=(64, 50)),
                       _filter(row))
        yield Scenario(f"one-pixel-{name}", xcf.Image([xcf.Layer(picture("u1", 4, 1, 1))]),
                       _filter(row))


SCENARIOS = tuple(_scenarios())
TWO_LAYERS = tuple(
    Scenario(f"two-layers-{row.name}",
             xcf.Image([xcf.Layer(picture("u1", 4), "one"),
                        xcf.Layer(picture("u1", 3, 90, 30, 5), "two", offset=(7, 9)),
                        xcf.Layer(picture("u1", 3, 20, 30, 6), "three")]),
             _filter(row, "(layer img 0) (layer img 1)"))
    for row in ROWS)


def _told(gimp, story, row, scenarios=SCENARIOS, selected=None):
    """The outcome of a scenario that must have gone well, its layer before, and the engine's.

    Before means with alpha, opaque, where the filter adds that. `selected` gives the selection of that layer, of the image afterwards.
    """
    scenario = next(s for s in scenarios if s.name == f"{story}-{row.name}")
    found = outcome(gimp, scenarios, scenario)
    assert found.message == "ok"
    before = engine.with_alpha(row, scenario.image.layers[0].pixels)
    mask = selected(found.image) if selected else None
    return found.image, before, engine.apply(row.name, other_values(row), before, False, mask)


def _rectangle(x, y, right, bottom):
    """A selection of whole pixels of picture()."""
    mask = np.zeros(picture("u1", 3).shape[:2], "u1")
    mask[y:bottom, x:right] = 255
    return lambda image: mask


def _each_filter(test):
    return pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)(test)


@_each_filter
def test_hard_selection(gimp, row):
    """Inside of the selection stands what the whole layer would have got, outside the original."""
    image, before, filtered = _told(gimp, "hard", row, selected=_rectangle(20, 30, 90, 90))
    wanted = before.copy()
    wanted[30:90, 20:90] = filtered[30:90, 20:90]
    engine.assert_same(image.layers[0].pixels, wanted)
    wanted[30:90, 20:90] = image.layers[0].pixels[30:90, 20:90]
    assert (image.layers[0].pixels == wanted).all(), "pixels outside of the selection have changed"


@_each_filter
def test_selection_partly_off_the_layer(gimp, row):
    """The selection counts in the canvas's coordinates and is cut off at the layer's ends."""
    image, before, filtered = _told(gimp, "partly-off", row, selected=_rectangle(80, 35, 150, 115))
    wanted = before.copy()
    wanted[35:115, 80:] = filtered[35:115, 80:]
    engine.assert_same(image.layers[0].pixels, wanted)


@_each_filter
def test_feathered_selection(gimp, row):
    """Half-selected pixels lie between the original and the filtered ones."""
    image, before, filtered = _told(gimp, "feathered", row,
                                    selected=lambda image: image.channels["Selection Mask copy"])
    mask = image.channels["Selection Mask copy"]
    got = image.layers[0].pixels.astype(int)
    before, filtered = before.astype(int), filtered.astype(int)
    none, whole = (mask == 0)[:, :, 0], (mask == 255)[:, :, 0]
    assert none.any() and whole.any()
    assert (got[none] == before[none]).all()
    assert np.abs(got[whole] - filtered[whole]).max() <= 1
    assert (got >= np.minimum(before, filtered) - 1).all()
    assert (got <= np.maximum(before, filtered) + 1).all()
    wide = (np.abs(before - filtered) > 20) & (mask > 64) & (mask < 192)
    assert (got[wide] != before[wide]).all() and (got[wide] != filtered[wide]).all()


@_each_filter
def test_selection_off_the_layer(gimp, row):
    """Nothing to do is no error."""
    image, before, _ = _told(gimp, "off-the-layer", row)
    assert (image.layers[0].pixels == before).all()


@_each_filter
@pytest.mark.parametrize("story", ["selected-and-nothing", "larger-than-canvas", "one-pixel"])
def test_whole_layer(gimp, row, story):
    """Without a selection the whole layer is filtered, also where the canvas does not reach."""
    image, _, filtered = _told(gimp, story, row)
    engine.assert_same(image.layers[0].pixels, filtered)


@_each_filter
def test_several_drawables(gimp, row):
    """All drawables of a call are filtered, and no others."""
    if not gimp.is3:
        pytest.skip("GIMP 2.10 gives a plug-in one drawable")
    image, _, _ = _told(gimp, "two-layers", row, TWO_LAYERS)
    before = next(s for s in TWO_LAYERS if s.name.endswith(row.name)).image
    for layer, original in zip(image.layers[:2], before.layers):
        engine.assert_same(
            layer.pixels, engine.apply(row.name, other_values(row), original.pixels, linear=False))
    assert (image.layers[2].pixels == before.layers[2].pixels).all()
