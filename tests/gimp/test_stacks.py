# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Stacks of effects in GIMP 3: the bits of one after the other, and never those of before a change.

So it is under the masks of effects and of layers, and in a file that is saved and opened again.

STACKS=300 looks at so many in each GIMP; REQUIRE_CUDA=1 and CUDA_FILTERS_DEVICE=0 have a GPU compute.
"""
import json
import os
import random
from functools import lru_cache

import numpy as np
import pytest

import gimps
import xcf
from cases import other_values, picture
from test_effects import EDITABLE

GIMPS = [gimp for gimp in gimps.find() if gimp.is3]
COUNT = int(os.environ.get("STACKS", "24"))
# Where layers are of linear floats GIMP converts nothing between two effects, nor after the last.
KINDS = [("f4", xcf.LINEAR, 4), ("u1", xcf.ENCODED, 4), ("u2", xcf.LINEAR, 3), ("f2", xcf.ENCODED, 4)]
# Of these GIMP makes the layer larger when it merges one, before the next one looks at it.
GROWING = ("gegl:gaussian-blur", "gegl:edge-laplace")
OTHERS = [("gegl:exposure", {"exposure": 0.25}), ("gegl:gaussian-blur", {"std-dev-x": 1.5}),
          ("gegl:edge-laplace", {}), ("gegl:median-blur", {"radius": 2})]
MODES = ("REPLACE", "NORMAL", "MULTIPLY", "SCREEN", "DIFFERENCE")


def _as_saved(values):
    """Values of which a file, which holds floats, keeps every bit."""
    return {name: float(np.float32(value)) if isinstance(value, float) else value
            for name, value in values.items()}


def _effects(chance, others):
    """A stack: for each effect its operation, its values, those after a change, mode and opacity."""
    stack = []
    for _ in range(chance.randint(2, 6)):
        if chance.random() < 0.2:
            operation, values = chance.choice(others)
            changed = values
        else:
            row = chance.choice(EDITABLE)
            values = _as_saved(row.properties(other_values(row)))
            changed = _as_saved(row.properties(row.initial()))
            operation = "cuda:" + row.name
        plain = chance.random() < 0.7
        stack.append({"operation": operation, "values": values, "changed": changed,
                      "mode": "REPLACE" if plain else chance.choice(MODES),
                      "opacity": 1.0 if plain else chance.choice((1.0, 0.375))})
    return stack


@lru_cache
def _stacks():
    chance = random.Random(21)
    stacks = []
    for number in range(COUNT):
        # Every second one GIMP gives the same as one effect after the other.
        alike = number % 2 == 0
        stack = _effects(chance, [each for each in OTHERS if not alike or each[0] not in GROWING])
        stacks.append({"number": number, "kind": 0 if alike else number // 2 % len(KINDS),
                       "effects": stack,
                       "changed": chance.randrange(len(stack)), "hidden": chance.randrange(len(stack)),
                       "selected": not alike and chance.random() < 0.5,
                       "masked": chance.random() < 0.5,
                       "offset": [chance.randint(-20, 20), chance.randint(-20, 20)]})
    return stacks


_PROGRAM = gimps.EFFECTS_IN_PYTHON + r"""
import json, traceback
gi.require_version("Gegl", "0.4")
from gi.repository import Gegl

def opened(stack):
    path = SOURCES[stack["kind"]]
    image = Gimp.file_load(Gimp.RunMode.NONINTERACTIVE, Gio.File.new_for_path(path))
    layer = image.get_layers()[0]
    layer.set_offsets(*stack["offset"])
    if stack["masked"]:  # of a selection: of a copy of the layer GIMP computes other bits at times
        image.select_ellipse(Gimp.ChannelOps.REPLACE, 5, 20, 90, 80)
        layer.add_mask(layer.create_mask(Gimp.AddMaskType.SELECTION))
        Gimp.Selection.none(image)
    if stack["selected"]:
        image.select_ellipse(Gimp.ChannelOps.REPLACE, 10, 15, 70, 60)
    return image, layer

def blended_effect(layer, each, values):
    effect = effect_on(layer, each["operation"], values)
    effect.set_opacity(each["opacity"])
    effect.set_blend_mode(getattr(Gimp.LayerMode, each["mode"]))
    effect.update()
    return effect

def appended(stack, values):
    image, layer = opened(stack)
    for each, of_each in zip(stack["effects"], values):
        layer.append_filter(blended_effect(layer, each, of_each))
    return image, layer

def pixels(layer):
    buffer = layer.get_buffer()
    return bytes(buffer.get(buffer.get_extent(), 1.0, None, Gegl.AbyssPolicy.NONE))

# What GIMP shows, and so has computed and keeps.
def look(image, layer):
    image.pick_color([layer], 70, 60, True, True, 40)

# Of a layer with a mask, what GIMP shows.
def merged(image, layer):
    layer.merge_filters()
    if layer.get_mask() is not None:
        layer = image.flatten()
    found = pixels(layer)
    image.delete()
    return found

def saved_and_opened(image):
    file = Gio.File.new_for_path("SAVED_FILE")
    Gimp.file_save(Gimp.RunMode.NONINTERACTIVE, image, file, None)
    image.delete()
    image = Gimp.file_load(Gimp.RunMode.NONINTERACTIVE, file)
    return image, image.get_layers()[0]

def looked_at(stack):
    values = [each["values"] for each in stack["effects"]]
    fresh = merged(*appended(stack, values))
    image, layer = opened(stack)
    for each, of_each in zip(stack["effects"], values):
        layer.merge_filter(blended_effect(layer, each, of_each))
    one_by_one = merged(image, layer)

    changed = list(values)
    number = stack["changed"]
    changed[number] = stack["effects"][number]["changed"]
    image, layer = appended(stack, values)
    look(image, layer)
    effect = layer.get_filters()[len(values) - 1 - number]
    change(effect, changed[number])
    look(image, layer)
    after_change = merged(image, layer)
    fresh_changed = merged(*appended(stack, changed))

    image, layer = appended(stack, values)
    look(image, layer)
    hidden = layer.get_filters()[len(values) - 1 - stack["hidden"]]
    hidden.set_visible(False)
    look(image, layer)
    hidden.set_visible(True)
    look(image, layer)
    after_hiding = merged(image, layer)

    image, layer = appended(stack, values)
    look(image, layer)
    after_opening = merged(*saved_and_opened(image))
    fresh_opened = merged(*saved_and_opened(appended(stack, values)[0]))
    image, layer = saved_and_opened(appended(stack, values)[0])
    look(image, layer)
    effect, each = layer.get_filters()[len(values) - 1 - number], stack["effects"][number]
    effect.set_opacity(each["opacity"])  # GIMP forgets both of an effect that it has opened
    effect.set_blend_mode(getattr(Gimp.LayerMode, each["mode"]))
    change(effect, changed[number])
    look(image, layer)
    opened_and_changed = merged(image, layer)
    changed_and_opened = merged(*saved_and_opened(appended(stack, changed)[0]))

    # The pixels below change while the effects are there.
    image, layer = appended(stack, values)
    look(image, layer)
    layer.edit_fill(Gimp.FillType.FOREGROUND)
    look(image, layer)
    after_fill = merged(image, layer)
    image, layer = opened(stack)
    layer.edit_fill(Gimp.FillType.FOREGROUND)
    for each, of_each in zip(stack["effects"], values):
        layer.append_filter(blended_effect(layer, each, of_each))
    fresh_fill = merged(image, layer)
    return {"changes the picture": fresh != pixels_of_source(stack),
            "one by one": fresh == one_by_one, "after a change": after_change == fresh_changed,
            "after hiding": after_hiding == fresh, "after opening": after_opening == fresh_opened,
            "opened": fresh_opened == fresh,
            "opened and changed": opened_and_changed == changed_and_opened,
            "after a fill": after_fill == fresh_fill}

def pixels_of_source(stack):
    return merged(*opened(stack))

found = []
for stack in json.load(open("STACKS_FILE")):
    try:
        found.append(looked_at(stack))
    except Exception:
        found.append({"error": traceback.format_exc()})
json.dump(found, open("FOUND_FILE", "w"))
"""


@lru_cache
def _found(gimp):
    sources = []
    for index, (number, trc, channels) in enumerate(KINDS):
        sources.append(str(gimp.path(f"stacks-{index}.xcf")))
        xcf.write(sources[-1], xcf.Image([xcf.Layer(picture(number, channels))], trc))
    gimp.path("stacks.json").write_text(json.dumps(_stacks()))
    program = _PROGRAM.replace("STACKS_FILE", str(gimp.path("stacks.json"))).replace(
        "FOUND_FILE", str(gimp.path("found.json"))).replace("SOURCES", repr(sources)).replace(
        "SAVED_FILE", str(gimp.path("saved.xcf")))
    log = gimp.python_fu(program, timeout=3600, CUDA_FILTERS_VERBOSE="1")
    return json.loads(gimp.path("found.json").read_text()), log


def _is_one_by_one(stack):
    """Whether GIMP gives each effect of a stack what it gives it where the one below was merged."""
    return (KINDS[stack["kind"]][:2] == ("f4", xcf.LINEAR) and not stack["selected"]
            and not any(each["operation"] in GROWING for each in stack["effects"]))


@pytest.mark.parametrize("gimp", GIMPS, ids=str)
@pytest.mark.parametrize("number", range(COUNT))
def test_stack_is_never_stale(gimp, number):
    """The stack's pixels are those of a new one with the same values, whatever was changed before."""
    found, log = _found(gimp)
    stack, told = _stacks()[number], found[number]
    assert "error" not in told, told["error"] + log
    for event in ("after a change", "after hiding", "after opening", "opened and changed", "after a fill"):
        assert told[event], (event, stack)
    if not stack["selected"]:  # GIMP opens such masks of effects in its own way
        assert told["opened"], stack
    if _is_one_by_one(stack):
        assert told["one by one"], stack


@pytest.mark.parametrize("gimp", GIMPS, ids=str)
def test_stacks_change_pictures(gimp):
    """Most stacks do something at all, and some are compared with one effect after the other."""
    found, _ = _found(gimp)
    assert sum(map(_is_one_by_one, _stacks())) >= COUNT / 2
    assert sum(told.get("changes the picture", False) for told in found) > 0.8 * COUNT
