# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""The GEGL operations in GIMP 3: the bits of the procedures, as effects that stay editable too."""
import json
from functools import lru_cache

import pytest

import engine
import gimps
import xcf
from cases import other_values, picture, share_of_ties
from scenarios import Scenario, outcome

GIMPS = [gimp for gimp in gimps.find() if gimp.is3]
KINDS = [("u1", xcf.ENCODED, 4), ("u1", xcf.ENCODED, 3), ("u2", xcf.ENCODED, 4),
         ("u2", xcf.LINEAR, 1), ("u4", xcf.LINEAR, 3), ("f2", xcf.ENCODED, 2), ("f4", xcf.LINEAR, 4),
         ("f4", xcf.ENCODED, 4), ("f8", xcf.LINEAR, 4)]
TARGETS = {"layer": "(layer img 0)", "mask": "(car (gimp-layer-get-mask (layer img 0)))",
           "channel": "(channel img 0)"}
ROWS = engine.in_place()
# GIMP 3 merges every operation that may have a second picture.
EDITABLE = tuple(row for row in ROWS if not row.takes_aux)
CASES = [(row, kind, "layer") for row in ROWS for kind in KINDS] + [
    (row, kind, target) for row in ROWS if not row.adds_alpha
    for kind in KINDS[1:3] for target in ("mask", "channel")]


def _image(kind):
    number, trc, channels = kind
    plane = picture(number, 1, seed=2)
    layer = xcf.Layer(picture(number, channels), mask=plane)
    return xcf.Image([layer], trc, {"channel": plane})


def _merge(gimp, row, kind, target):
    """Lets GIMP's core filter it; from a script, an alpha channel is the script's business."""
    values = " ".join(f'"{name}" {gimp.word(value)}'
                      for name, value in row.properties(other_values(row)).items())
    opaque = row.adds_alpha and kind[2] in (1, 3)
    return f"""
{"(gimp-layer-add-alpha (layer img 0))" if opaque else ""}
(gimp-drawable-merge-new-filter {TARGETS[target]} "cuda:{row.name}" "" LAYER-MODE-REPLACE 1.0
                                {values})"""


def _scenario(case, way, act):
    row, kind, target = case
    return Scenario("-".join(map(str, ("effect", row.name, *kind, target, way))), _image(kind), act)


PROCEDURE = {case: _scenario(case, "procedure", lambda gimp, case=case: gimp.call(
    case[0], other_values(case[0]), TARGETS[case[2]])) for case in CASES}
MERGED = {case: _scenario(case, "merged", lambda gimp, case=case: _merge(gimp, *case))
          for case in CASES}


def _planes(gimp, scenario):
    """Everything that there is in the image after a scenario; a procedure gets the pixels by the wire."""
    wire = scenario in PROCEDURE.values()
    found = outcome(gimp, tuple((PROCEDURE if wire else MERGED).values()), scenario, wire)
    assert found.message == "ok", found.log
    layer = found.image.layers[0]
    return layer.pixels, layer.mask, found.image.channels["channel"]


@pytest.mark.parametrize("gimp", GIMPS, ids=str)
@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(
    map(str, (case[0].name, *case[1], case[2]))))
def test_operation_equals_procedure(gimp, case):
    """The operation, merged at once, leaves the very bits that the procedure leaves."""
    for found, wanted in zip(_planes(gimp, MERGED[case]), _planes(gimp, PROCEDURE[case])):
        assert found.shape == wanted.shape
        assert found.tobytes() == wanted.tobytes(), engine.worst_difference(found, wanted)


# Appends an effect, saves it, opens it again, changes its values, saves it, opens it once more.
_EDIT = r"""
import json, traceback
def opened(path):
    return Gimp.file_load(Gimp.RunMode.NONINTERACTIVE, Gio.File.new_for_path(path))
def save(image, path):
    Gimp.file_save(Gimp.RunMode.NONINTERACTIVE, image, Gio.File.new_for_path(path), None)
    image.delete()
def edit(case):
    image = opened(case["source"])
    layer = image.get_layers()[0]
    effect = Gimp.DrawableFilter.new(layer, case["operation"], "")
    layer.append_filter(effect)
    save(image, case["appended"])
    image = opened(case["appended"])
    [effect] = image.get_layers()[0].get_filters()
    assert effect.get_operation_name() == case["operation"]
    for name, value in case["properties"].items():
        effect.get_config().set_property(name, value)
    effect.update()
    save(image, case["edited"])
    for path, merged in ("appended", "first"), ("edited", "second"):
        image = opened(case[path])
        image.get_layers()[0].merge_filters()
        save(image, case[merged])
    flatten(case)
    return "ok"
# The appended effect, opened and edited, and then the image flattened; and what the destructive
# procedure gives, flattened too.
def flatten(case):
    image = opened(case["edited"])
    image.flatten()
    save(image, case["flattened"])
    image = opened(case["source"])
    procedure = Gimp.get_pdb().lookup_procedure(case["procedure"])
    config = procedure.create_config()
    config.set_property("run-mode", Gimp.RunMode.NONINTERACTIVE)
    config.set_property("image", image)
    config.set_core_object_array("drawables", [image.get_layers()[0]])
    for name, value in case["values"].items():
        config.set_property(name, value)
    assert procedure.run(config).index(0) == Gimp.PDBStatusType.SUCCESS
    image.flatten()
    save(image, case["destructive"])
for case in json.load(open("CASES")):
    try:
        told = edit(case)
    except Exception:
        told = traceback.format_exc()
    open(case["told"], "w").write(told)
"""


@lru_cache
def _edited(gimp):
    """Does so for every operation, and returns what GIMP printed."""
    source = str(gimp.path("effects.xcf"))
    xcf.write(source, _image(KINDS[0]))
    parts = ("appended", "edited", "first", "second", "flattened", "destructive", "told")
    cases = [{"source": source, "operation": "cuda:" + row.name, "procedure": row.procedure,
              "values": other_values(row), "properties": row.properties(other_values(row))}
             | {part: str(gimp.path(f"{part}-{row.name}.xcf")) for part in parts} for row in EDITABLE]
    gimp.path("effects.json").write_text(json.dumps(cases))
    return gimp.python_fu(_EDIT.replace("CASES", str(gimp.path("effects.json"))))


@pytest.mark.parametrize("gimp", GIMPS, ids=str)
@pytest.mark.parametrize("row", EDITABLE, ids=lambda row: row.name)
def test_effect_stays_editable(gimp, row):
    """An effect is there when its XCF is opened again, takes other values, and keeps them."""
    log = _edited(gimp)
    assert gimp.path(f"told-{row.name}.xcf").read_text() == "ok", log
    first, second = (xcf.read(gimp.path(f"{part}-{row.name}.xcf")).layers[0].pixels
                     for part in ("first", "second"))
    before = picture("u1", 4)
    engine.assert_same(first, engine.apply(row.name, {}, before, linear=False), share_of_ties(row))
    assert second.tobytes() == _planes(gimp, PROCEDURE[row, KINDS[0], "layer"])[0].tobytes()
    flattened, destructive = (xcf.read(gimp.path(f"{part}-{row.name}.xcf")).layers[0].pixels
                              for part in ("flattened", "destructive"))
    assert flattened.tobytes() == destructive.tobytes()
