# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Every procedure in every precision, from Script-Fu and Python-Fu: GIMP gives what the engine gives."""
import json

import pytest

import engine
import gimps
import xcf
from cases import cases, picture, share_of_ties

ALL = [(gimp, language, case) for gimp in gimps.find() for case in cases(gimp.is3)
       for language in (("script-fu", "python-fu") if gimp.is3 else ("script-fu",))]

_PYTHON = r"""
import json, traceback
def call(case):
    image = Gimp.file_load(Gimp.RunMode.NONINTERACTIVE, Gio.File.new_for_path(case["source"]))
    drawable = image.get_layers()[0]
    if case["target"] == "mask":
        drawable = drawable.get_mask()
    elif case["target"] == "channel":
        drawable = image.get_channels()[0]
    procedure = Gimp.get_pdb().lookup_procedure(case["procedure"])
    config = procedure.create_config()
    config.set_property("run-mode", Gimp.RunMode.NONINTERACTIVE)
    config.set_property("image", image)
    config.set_core_object_array("drawables", [drawable])
    for name, value in case["values"].items():
        config.set_property(name, value)
    result = procedure.run(config)
    if result.index(0) != Gimp.PDBStatusType.SUCCESS:
        return str(Gimp.get_pdb().get_last_error())
    Gimp.file_save(Gimp.RunMode.NONINTERACTIVE, image, Gio.File.new_for_path(case["sink"]), None)
    image.delete()
    return "ok"
for case in json.load(open("CASES")):
    try:
        outcome = call(case)
    except Exception:
        outcome = traceback.format_exc()
    open(case["outcome"], "w").write(outcome)
"""


class Results:
    """What one GIMP made of all cases, called from one language in one go."""

    def __init__(self, gimp, language):
        self.gimp = gimp
        self.folder = gimp.path(language)
        self.folder.mkdir()
        self.index = {case: i for i, case in enumerate(cases(gimp.is3))}
        self.sources = {}
        listed = [self._listed(case) for case in self.index]
        if language == "python-fu":
            file = self.folder / "cases.json"
            file.write_text(json.dumps(listed))
            gimp.python_fu(_PYTHON.replace("CASES", str(file)), timeout=900)
        else:
            gimp.script_fu("\n".join(map(self._script, self.index, listed)), timeout=900)

    def _listed(self, case):
        i = self.index[case]
        return {"source": self._source(case), "target": case.target, "values": dict(case.values),
                "procedure": case.row.procedure, "sink": str(self.folder / f"{i}.xcf"),
                "outcome": str(self.folder / f"{i}.txt")}

    def _source(self, case):
        """The image of that kind, written once."""
        kind = case.number, case.trc, case.channels
        if kind not in self.sources:
            path = self.folder / f"in-{case.number}-{case.trc}-{case.channels}.xcf"
            plane = picture(case.number, 1, seed=2)
            layer = xcf.Layer(picture(case.number, case.channels), mask=plane)
            xcf.write(path, xcf.Image([layer], case.trc, {"channel": plane}))
            self.sources[kind] = str(path)
        return self.sources[kind]

    def _script(self, case, listed):
        drawable = {"layer": "(layer img 0)", "mask": "(car (gimp-layer-get-mask (layer img 0)))",
                    "channel": "(channel img 0)"}[case.target]
        return f"""
(attempt "{listed['outcome']}" (lambda ()
  (let* ((img (load-image "{listed['source']}")))
    {self.gimp.call(case.row, listed['values'], drawable)}
    (save-image img "{listed['sink']}")
    (gimp-image-delete img))))"""

    def outcome(self, case):
        """'ok', or what went wrong."""
        path = self.folder / f"{self.index[case]}.txt"
        return path.read_text().strip() if path.exists() else "GIMP never came to this case"

    def image(self, case):
        return xcf.read(self.folder / f"{self.index[case]}.xcf")


_RESULTS = {}


def results(gimp, language):
    """All results of a GIMP; the first test that asks makes them."""
    if (gimp, language) not in _RESULTS:
        _RESULTS[gimp, language] = Results(gimp, language)
    return _RESULTS[gimp, language]


@pytest.mark.parametrize("gimp,language,case", ALL, ids=lambda value: str(value))
def test_filter_equals_engine(gimp, language, case):
    """The drawable that was filtered is the engine's answer; nothing else has changed."""
    found = results(gimp, language)
    outcome = found.outcome(case)
    assert outcome == "ok"
    image = found.image(case)
    assert image.trc == case.trc
    layer = image.layers[0]
    actual = {"layer": layer.pixels, "mask": layer.mask, "channel": image.channels["channel"]}
    plane = picture(case.number, 1, seed=2)
    before = {"layer": picture(case.number, case.channels), "mask": plane, "channel": plane}
    linear = case.trc == xcf.LINEAR
    if case.target != "layer":  # linear in every image, but for channels of the usual 8 bits
        linear = case.target == "mask" or (case.number, case.trc) != ("u1", xcf.ENCODED)
    wanted = dict(before)
    wanted[case.target] = engine.apply(case.row.name, dict(case.values), before[case.target], linear)
    for name, pixels in actual.items():
        if name == case.target:
            engine.assert_same(pixels, wanted[name], share_of_ties(case.row, case.number, linear))
        else:
            assert (pixels == before[name]).all(), f"the {name} has changed"
