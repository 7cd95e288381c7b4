# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""A second picture: where it lies, what it may be, and what GIMP's scripts and dialogs give for it.

What is expected is worked out by SciPy from the definition of the guided filter.
"""
import numpy as np
import pytest
from scipy.ndimage import uniform_filter

import engine
import gimps
import xcf
from cases import picture
from scenarios import Scenario, outcome

GUIDED = engine.find("guided-filter")
RADIUS, EPSILON = 4, 0.2
VALUES = {"radius": RADIUS, "epsilon": EPSILON}


def _placed(pixels, offset, size):
    """The pixels that lie beside a picture of that size, and what surrounds it as far as is seen."""
    (dx, dy), (height, width), margin = offset, size, 2 * RADIUS
    rows = np.clip(np.arange(-margin, height + margin) - dy, 0, pixels.shape[0] - 1)
    columns = np.clip(np.arange(-margin, width + margin) - dx, 0, pixels.shape[1] - 1)
    return pixels[rows][:, columns]


def _guided(p, i):
    """The guided filter of p by i, both with their surroundings, in numbers from 0 to 1."""
    def mean(x):
        return uniform_filter(x, (2 * RADIUS + 1,) * 2 + (0,) * (x.ndim - 2), mode="nearest")

    mean_i, mean_p = mean(i), mean(p)
    sigma = mean(i[..., :, None] * i[..., None, :]) - mean_i[..., :, None] * mean_i[..., None, :]
    with_p = mean(i[..., :, None] * p[..., None, :]) - mean_i[..., :, None] * mean_p[..., None, :]
    a = np.linalg.solve(sigma + EPSILON ** 2 * np.eye(i.shape[-1]), with_p)
    b = mean_p - (mean_i[..., None, :] @ a)[..., 0, :]
    result = (i[..., None, :] @ mean(a))[..., 0, :] + mean(b)
    return result[2 * RADIUS:-2 * RADIUS, 2 * RADIUS:-2 * RADIUS]


def expected(target, guide, offset):
    """What an 8-bit target becomes; `offset`: where the guide begins in it."""
    size = target.shape[:2]
    p = _placed(target[..., :3] / 255, (0, 0), size)
    i = _placed(guide[..., :3] / 255, offset, size)
    return np.clip(_guided(p, np.broadcast_to(i, i.shape[:2] + (3,))) * 255, 0, 255)


def assert_guided(got, target, guide, offset):
    """Within a code, with the target's alpha."""
    assert np.abs(got[..., :3] - expected(target, guide, offset)).max() < 1.0
    assert np.array_equal(got[..., 3:], target[..., 3:])


TARGET = picture("u1", 4)
GUIDES = {
    "beside": (picture("u1", 3)[::-1].copy(), (0, 0)),
    "smaller": (picture("u1", 4)[10:40, 5:35, ::-1].copy(), (12, 9)),
    "larger": (np.tile(picture("u1", 3), (2, 2, 1)), (-17, -30)),
    "far away": (picture("u1", 3)[:9, :7].copy(), (500, -400)),
}


def _story(name, guide, offset, target_at=(0, 0), aux="(layer img 1)"):
    place = (offset[0] + target_at[0], offset[1] + target_at[1])
    image = xcf.Image([xcf.Layer(TARGET, "target", offset=target_at),
                       xcf.Layer(guide, "the guide", offset=place)])
    return Scenario(f"aux-{name}", image, lambda gimp: gimp.call(GUIDED, VALUES, aux=aux))


PLACED = tuple(_story(name, guide, offset, (3, 5)) for name, (guide, offset) in GUIDES.items())


@pytest.mark.parametrize("name", GUIDES)
def test_guide_lies_where_its_layer_does(gimp, name):
    """Whatever its size and place, which may be beyond the picture."""
    guide, offset = GUIDES[name]
    found = outcome(gimp, PLACED, next(s for s in PLACED if s.name == f"aux-{name}"))
    assert found.message == "ok", found.lines
    assert_guided(found.image.layers[0].pixels, TARGET, guide, offset)
    assert np.array_equal(found.image.layers[1].pixels, guide)


def _by_chain(gimp):
    steps = f"gamma gamma=1 | guided-filter radius={RADIUS} epsilon={EPSILON} 'aux=the guide'"
    return gimp.call(engine.find("chain"), {"steps": steps})


def _nameless(gimp):
    return gimp.call(engine.find("chain"), {"steps": "guided-filter aux=nobody"})


def _other_image(gimp):
    layer = ("(gimp-layer-new other \"x\" 10 10 RGB-IMAGE 100 LAYER-MODE-NORMAL)" if gimp.is3 else
             "(gimp-layer-new other 10 10 RGB-IMAGE \"x\" 100 LAYER-MODE-NORMAL)")
    return f"""(define other (car (gimp-image-new 10 10 RGB)))
    (define foreign (car {layer}))
    (gimp-image-insert-layer other foreign 0 0)"""


def _group(gimp):
    insert = "(gimp-image-insert-layer img group 0 0)"
    return f"""(let* ((group (make-group img)))
      {insert}
      {gimp.call(GUIDED, VALUES, drawables="(layer img 1)", aux="group")})"""


GUIDE, OFFSET = GUIDES["smaller"]
STORIES = (
    _story("itself", GUIDE, OFFSET, aux="(layer img 0)"),
    Scenario("aux-none", _story("", GUIDE, OFFSET).image, lambda gimp: gimp.call(GUIDED, VALUES)),
    Scenario("aux-by-name", _story("", GUIDE, OFFSET).image, _by_chain),
    Scenario("aux-nameless", _story("", GUIDE, OFFSET).image, _nameless),
    Scenario("aux-foreign", _story("", GUIDE, OFFSET).image,
             lambda gimp: gimp.call(GUIDED, VALUES, aux="foreign"), _other_image,
             lambda gimp: "(gimp-image-delete other)"),
    Scenario("aux-group", _story("", GUIDE, OFFSET).image, _group),
)


def _told(gimp, name):
    return outcome(gimp, STORIES, next(s for s in STORIES if s.name == name))


@pytest.mark.parametrize("name", ["aux-itself", "aux-none"])
def test_without_a_guide_the_picture_guides_itself(gimp, name):
    """Also if it is named as its own guide."""
    found = _told(gimp, name)
    assert found.message == "ok", found.lines
    assert_guided(found.image.layers[0].pixels, TARGET, TARGET, (0, 0))


def test_step_of_a_chain_names_the_layer(gimp):
    """By the name that the layers dialog shows."""
    found = _told(gimp, "aux-by-name")
    assert found.message == "ok", found.lines
    assert_guided(found.image.layers[0].pixels, TARGET, GUIDE, OFFSET)


@pytest.mark.parametrize("name, sentence", [
    ("aux-nameless", "has no layer named 'nobody'"),
    ("aux-foreign", "belongs to another image"),
    ("aux-group", "is a layer group and has no pixels of its own"),
])
def test_what_cannot_be_a_guide_is_refused(gimp, name, sentence):
    """With a sentence, and nothing changed."""
    found = _told(gimp, name)
    assert sentence in found.message
    assert any(np.array_equal(layer.pixels, TARGET) for layer in found.image.layers)


LENS = engine.find("lens-blur")
LENS_VALUES = {"radius": 3.0}
DEPTH = np.zeros(TARGET.shape[:2] + (3,), "u1")
DEPTH[:, TARGET.shape[1] // 2:] = 255


def assert_deep(got):
    """What the map has as near is as it was, and what it has as far is blurred."""
    middle = TARGET.shape[1] // 2
    assert np.array_equal(got[:, :middle], TARGET[:, :middle])
    wanted = engine.apply("lens-blur", LENS_VALUES, TARGET, linear=False)
    far = middle + 3  # whose means look at nothing near
    assert not np.array_equal(wanted[:, far:], TARGET[:, far:])
    assert np.abs(got[:, far:].astype(int) - wanted[:, far:]).max() <= 1


def _deep(name, depth, values):
    return Scenario(f"aux-{name}", xcf.Image([xcf.Layer(TARGET, "target"), xcf.Layer(depth, "depth")]),
                    lambda gimp: gimp.call(LENS, values, aux="(layer img 1)"))


LONE = np.zeros_like(DEPTH)
LONE[20, 30] = 255
DEEP = (_deep("depth", DEPTH, LENS_VALUES), _deep("lone", LONE, {"radius": 6.0, "shape": "ring"}))


@pytest.mark.parametrize("gimp", gimps.find(), ids=str)
def test_depth_map_drives_a_lens(gimp):
    """A layer says how far what is in another one was away."""
    found = outcome(gimp, DEEP, DEEP[0])
    assert found.message == "ok", found.log
    assert_deep(found.image.layers[0].pixels)


@pytest.mark.parametrize("gimp", gimps.find(), ids=str)
def test_what_no_aperture_covers_stays(gimp):
    """A single pixel is far, and lies in the hole of its own ring: nothing reaches it."""
    found = outcome(gimp, DEEP, DEEP[1])
    assert found.message == "ok", found.log
    assert np.array_equal(found.image.layers[0].pixels, TARGET)


_MERGED = """
from gi.repository import Gimp, Gio
image = Gimp.file_load(Gimp.RunMode.NONINTERACTIVE, Gio.File.new_for_path("{path}.in.xcf"))
target, guide = image.get_layers()
effect = Gimp.DrawableFilter.new(target, "cuda:{name}", "")
for name, value in {values}.items():
    effect.get_config().set_property(name, value)
effect.set_aux_input("aux", guide)
effect.set_blend_mode(Gimp.LayerMode.REPLACE)
effect.update()
target.merge_filter(effect)
Gimp.file_save(Gimp.RunMode.NONINTERACTIVE, image, Gio.File.new_for_path("{path}.xcf"), None)
image.delete()
"""


def _merged(gimp, name, values, second):
    """What GIMP's core makes of TARGET with an operation and a second picture."""
    path = gimp.path(f"aux-merged-{name}")
    xcf.write(f"{path}.in.xcf", xcf.Image([xcf.Layer(TARGET, "target"), xcf.Layer(second, "second")]))
    log = gimp.python_fu(_MERGED.format(path=path, name=name, values=values))
    merged = path.with_suffix(".xcf")
    assert merged.exists(), log
    return xcf.read(merged).layers[0].pixels


@pytest.mark.parametrize("gimp", [gimp for gimp in gimps.find() if gimp.is3], ids=str)
def test_operation_of_gimp_3_takes_a_second_picture(gimp):
    """Merged into the layer: GIMP 3 keeps no effect with a second picture editable."""
    guide = GUIDES["beside"][0]
    assert_guided(_merged(gimp, "guided-filter", VALUES, guide), TARGET, guide, (0, 0))
    assert_deep(_merged(gimp, "lens-blur", LENS_VALUES, DEPTH))
