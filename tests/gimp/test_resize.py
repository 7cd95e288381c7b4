# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Resize: our pixels, where GIMP's own scaling puts them, and everything else as it was."""
from dataclasses import dataclass

import numpy as np
import pytest

import engine
import xcf
from cases import picture
from scenarios import Scenario, outcome

RESIZE = engine.find("resize")


def _layers(number):
    """Layers with masks and offsets, one of them beyond the canvas."""
    return [xcf.Layer(picture(number, 4), "one", mask=picture(number, 1, seed=2), offset=(17, -9)),
            xcf.Layer(picture(number, 3, 91, 33, 5), "two", offset=(-7, 90),
                      mask=picture(number, 1, 91, 33, 6)),
            xcf.Layer(picture(number, 4, 4, 57, 7), "three", offset=(130, 20))]


def _image(number):
    return xcf.Image(_layers(number), size=(161, 149),
                     channels={"channel": picture(number, 1, 161, 149, 8)})


@dataclass(frozen=True)
class Way:
    """Values of a call, and what it is to make of a size."""

    name: str
    values: tuple
    size: object


WAYS = (Way("smaller", (("width", 61), ("height", 47)), lambda w, h: (61, 47)),
        Way("larger", (("scale", 2.5), ("interpolation", "bicubic")),
            lambda w, h: (int(w * 2.5 + 0.5), int(h * 2.5 + 0.5))),
        Way("narrower", (("width", 50), ("height", 400), ("fit", True),
                         ("interpolation", "mitchell")), lambda w, h: (50, int(h * 50 / w + 0.5))),
        Way("picked", (("height", 77), ("interpolation", "nearest")),
            lambda w, h: (int(w * 77 / h + 0.5), 77)))

_SELECTION = "(gimp-image-select-ellipse img CHANNEL-OP-REPLACE 20 30 90 80)"
_GROUP = """
(let* ((group (make-group img)))
  (gimp-image-insert-layer img group 0 1)
  (gimp-image-reorder-item img (layer img 2) group 0)
  (gimp-image-reorder-item img (layer img 2) group 1))"""
_CHILD = '(car (gimp-image-get-layer-by-name img "two"))'
LOCKS = ("content", "position")


def _can_lock(gimp, lock):
    """Whether a group can have that lock."""
    return gimp.is3 or lock == "content"


def _ours(way, scope, drawable="(layer img 0)"):
    return lambda gimp: gimp.call(RESIZE, dict(way.values) | {"scope": scope}, drawable)


def _gimps_layer(way, number):
    width, height = way.size(*_layers(number)[0].pixels.shape[1::-1])
    return lambda gimp: f"(gimp-layer-scale (layer img 0) {width} {height} TRUE)"


def _gimps_image(way):
    width, height = way.size(161, 149)
    return lambda gimp: f"(gimp-image-scale img {width} {height})"


NUMBERS = ("u1", "u2", "f4")
MASK = "(car (gimp-layer-get-mask (layer img 0)))"
# Story: how the image is made ready, and whether there are groups in it.
PREPARED = {"flat": (lambda gimp: "", False),
            "groups": (lambda gimp: _GROUP, True),
            "selected": (lambda gimp: _SELECTION + "(gimp-selection-save img)", False)}


def _scenarios():
    for way in WAYS:
        for number in NUMBERS:
            name = f"{way.name}-{number}"
            yield Scenario(f"layer-{name}", _image(number), _ours(way, "layer"))
            yield Scenario(f"mask-{name}", _image(number), _ours(way, "layer", MASK))
            yield Scenario(f"gimps-layer-{name}", _image(number), _gimps_layer(way, number))
        for story, (prepare, _) in PREPARED.items():
            name = f"{story}-{way.name}"
            yield Scenario(f"image-{name}", _image("u1"), _ours(way, "image"), prepare)
            yield Scenario(f"gimps-image-{name}", _image("u1"), _gimps_image(way), prepare)
    smaller = WAYS[0]
    yield Scenario("group", _image("u1"), _ours(smaller, "layer", "(layer img 1)"),
                   lambda gimp: _GROUP)
    yield Scenario("gimps-group", _image("u1"),
                   lambda gimp: "(gimp-layer-scale (layer img 1) 61 47 TRUE)", lambda gimp: _GROUP)
    yield Scenario("locked-in-group", _image("u1"), _ours(smaller, "layer", "(layer img 1)"),
                   lambda gimp: "(gimp-item-set-lock-content (layer img 2) TRUE)" + _GROUP)
    yield Scenario("channel", _image("u1"), _ours(smaller, "layer", "(channel img 0)"))
    yield Scenario("fixed", _image("u1"), _ours(smaller, "layer"),
                   lambda gimp: "(gimp-item-set-lock-position (layer img 0) TRUE)")
    yield Scenario("vanishing", _image("u1"),
                   lambda gimp: gimp.call(RESIZE, {"scale": 0.03, "scope": "image"}))
    yield Scenario("not-called", _image("u1"), lambda gimp: "#t", PREPARED["selected"][0])
    yield Scenario("selected-part", _image("u1"), _ours(smaller, "layer"),
                   lambda gimp: _SELECTION)
    yield Scenario("bursting", xcf.Image(_layers("u1"), size=(10, 11)),
                   lambda gimp: gimp.call(RESIZE, {"width": 524288, "height": 1, "scope": "image"}))
    yield Scenario("two", _image("u1"), _ours(smaller, "layer", "(layer img 0) (layer img 1) " + MASK))
    for story, order in (("one-fits", "(layer img 1) (layer img 0)"),
                         ("last-fits", "(layer img 0) (layer img 1)")):
        yield Scenario(story, _image("u1"), lambda gimp, order=order: gimp.call(
            RESIZE, {"width": 91, "height": 33, "scope": "layer"}, order))
    yield Scenario("inside-too", _image("u1"), _ours(smaller, "layer", "(layer img 1) " + _CHILD),
                   lambda gimp: _GROUP)
    for lock in LOCKS:
        prepare = lambda gimp, lock=lock: _GROUP + '(gimp-item-set-name (layer img 1) "around")' + (
            f"(gimp-item-set-lock-{lock} (layer img 1) TRUE)" if _can_lock(gimp, lock) else "")
        yield Scenario(f"{lock}-around", _image("u1"), _ours(smaller, "layer", _CHILD), prepare)
        yield Scenario(f"gimps-{lock}-around", _image("u1"),
                       lambda gimp: f"(gimp-layer-scale {_CHILD} 61 47 TRUE)", prepare)


SCENARIOS = tuple(_scenarios())


def _told(gimp, name):
    return outcome(gimp, SCENARIOS, next(s for s in SCENARIOS if s.name == name))


def _scaled(way, pixels, size, linear):
    """The engine's pixels for a size."""
    values = {key: value for key, value in way.values if key in ("interpolation",)}
    return engine.apply("resize", values | {"width": size[0], "height": size[1]}, pixels, linear)


def _same_layer(got, before, way, size):
    engine.assert_same(got.pixels, _scaled(way, before.pixels, size, False))
    if before.mask is not None:
        engine.assert_same(got.mask, _scaled(way, before.mask, size, True))


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)
@pytest.mark.parametrize("target", ["layer", "mask"])
def test_layer(gimp, target, way, number):
    """The layer and its mask are scaled where GIMP's Scale Layer puts them, and nothing else."""
    found = _told(gimp, f"{target}-{way.name}-{number}")
    assert found.message == "ok"
    theirs = _told(gimp, f"gimps-layer-{way.name}-{number}").image
    before = _image(number)
    got = found.image
    assert got.size == before.size
    assert [layer.offset for layer in got.layers] == [layer.offset for layer in theirs.layers]
    size = way.size(*before.layers[0].pixels.shape[1::-1])
    _same_layer(got.layers[0], before.layers[0], way, size)
    for layer, original in zip(got.layers[1:], before.layers[1:]):
        assert (layer.pixels == original.pixels).all()
        assert original.mask is None or (layer.mask == original.mask).all()
    assert (got.channels["channel"] == before.channels["channel"]).all()


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)
@pytest.mark.parametrize("story", PREPARED)
def test_image(gimp, story, way):
    """Canvas, layers, masks and channels are scaled to where GIMP's Scale Image puts them."""
    found = _told(gimp, f"image-{story}-{way.name}")
    assert found.message == "ok"
    theirs = _told(gimp, f"gimps-image-{story}-{way.name}").image
    got = found.image
    before = _image("u1")
    assert got.size == theirs.size == way.size(161, 149)
    assert [layer.name for layer in got.layers] == [layer.name for layer in theirs.layers]
    originals = {layer.name: layer for layer in before.layers}
    for layer, other in zip(got.layers, theirs.layers):
        assert (layer.offset, layer.pixels.shape) == (other.offset, other.pixels.shape)
        if layer.name in originals:
            _same_layer(layer, originals[layer.name], way, layer.pixels.shape[1::-1])
    assert any(layer.name not in originals for layer in got.layers) == PREPARED[story][1]
    engine.assert_same(got.channels["channel"],
                       _scaled(way, before.channels["channel"], got.size, False))
    assert list(got.channels) == list(theirs.channels)
    if story == "selected":
        selection = _told(gimp, "not-called").image.channels["Selection Mask"]
        engine.assert_same(got.channels["Selection Mask"],
                           _scaled(way, selection, got.size, True))


def test_selection_does_not_limit(gimp):
    """All of the layer is scaled, also what is not selected."""
    found = _told(gimp, "selected-part")
    assert found.message == "ok"
    _same_layer(found.image.layers[0], _image("u1").layers[0], WAYS[0], (61, 47))


def test_several_layers(gimp):
    """Each layer is scaled once, also if its mask is named too."""
    if not gimp.is3:
        pytest.skip("GIMP 2.10 gives a plug-in one drawable")
    found = _told(gimp, "two")
    assert found.message == "ok"
    for got, original in zip(found.image.layers[:2], _image("u1").layers):
        _same_layer(got, original, WAYS[0], (61, 47))


@pytest.mark.parametrize("story", ["one-fits", "last-fits"])
def test_one_of_several_fits(gimp, story):
    """What has the size already stays as it is, and the other is scaled."""
    if not gimp.is3:
        pytest.skip("GIMP 2.10 gives a plug-in one drawable")
    found, before = _told(gimp, story), _image("u1")
    assert found.message == "ok"
    values = {"width": 91, "height": 33}
    engine.assert_same(found.image.layers[0].pixels,
                       engine.apply("resize", values, before.layers[0].pixels, False))
    assert np.array_equal(found.image.layers[1].pixels, before.layers[1].pixels)


def test_group_and_what_is_in_it(gimp):
    """Which of the two sizes is meant, nobody knows."""
    if not gimp.is3:
        pytest.skip("GIMP 2.10 gives a plug-in one drawable")
    _is_refused(gimp, "inside-too", ("'two'", "one of the two"))


@pytest.mark.parametrize("lock", LOCKS)
def test_locked_group_around(gimp, lock):
    """The lock of a group holds for what is in it, for GIMP's own scaling too."""
    if not _can_lock(gimp, lock):
        pytest.skip("the position of a group in GIMP 2.10 cannot be locked")
    assert _told(gimp, f"gimps-{lock}-around").message != "ok"
    _is_refused(gimp, f"{lock}-around", ("'around'", "locked"))


def test_group(gimp):
    """What is in a group is scaled as GIMP scales it."""
    found, theirs = _told(gimp, "group"), _told(gimp, "gimps-group")
    assert found.message == theirs.message == "ok"
    originals = {layer.name: layer for layer in _image("u1").layers}
    for layer, other in zip(found.image.layers, theirs.image.layers):
        assert (layer.name, layer.offset, layer.pixels.shape) == (
            other.name, other.offset, other.pixels.shape)
        if layer.name in originals:
            _same_layer(layer, originals[layer.name], WAYS[0], layer.pixels.shape[1::-1])


@pytest.mark.parametrize("name,words", [("channel", ("channel", "image")),
                                        ("locked-in-group", ("three", "locked")),
                                        ("fixed", ("one", "position", "locked")),
                                        ("vanishing", ("three", "larger size")),
                                        ("bursting", ("one", "524288", "smaller size"))])
def test_refused(gimp, name, words):
    """A sentence says why, and nothing has changed."""
    _is_refused(gimp, name, words)


def _is_refused(gimp, name, words):
    found = _told(gimp, name)
    assert found.message != "ok" and all(word in found.message for word in words), found.message
    before = next(s for s in SCENARIOS if s.name == name).image
    assert found.image.size == before.size
    layers = {layer.name: layer for layer in found.image.layers}
    for original in before.layers:
        got = layers[original.name]
        assert np.array_equal(got.pixels, original.pixels) and got.offset == original.offset
