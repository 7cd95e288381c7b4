# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Short stories with one image each, told to a GIMP in one go."""
import pathlib
from dataclasses import dataclass
from functools import lru_cache

import xcf


@dataclass(frozen=True, eq=False)
class Scenario:
    """What happens to an image: `prepare` makes it ready, `act` is what may fail, then it is saved.

    These are functions of the Gimp that return Script-Fu about `img`, as `tidy` is, the last of all.
    """

    name: str
    image: xcf.Image
    act: object
    prepare: object = lambda gimp: ""
    tidy: object = lambda gimp: ""


@dataclass
class Outcome:
    """'ok' or the error of the act, the image after it, and what GIMP printed: in all, and of this."""

    message: str
    image: xcf.Image
    log: str
    lines: str


def _path(gimp, scenario, wire):
    return str(gimp.path(scenario.name + (".wire" if wire else "")))


@lru_cache
def _tell(gimp, scenarios, wire):
    """Runs all scenarios in one process and returns what GIMP printed."""
    body = ""
    for scenario in scenarios:
        path = _path(gimp, scenario, wire)
        xcf.write(path + ".in.xcf", scenario.image)
        body += f"""
(gimp-message "story {scenario.name};")
(attempt "{path}.told" (lambda ()
  (let* ((img (load-image "{path}.in.xcf")))
    {scenario.prepare(gimp)}
    (attempt "{path}.outcome" (lambda () {scenario.act(gimp)}))
    (save-image img "{path}.xcf")
    {scenario.tidy(gimp)}
    (gimp-image-delete img))))"""
    variables = {"CUDA_FILTERS_VERBOSE": "1"} | ({"CUDA_FILTERS_WIRE": "1"} if wire else {})
    return gimp.script_fu(body, **variables)


def outcome(gimp, scenarios, scenario, wire=False):
    """How one of `scenarios` ended in that GIMP; `wire`: where all pixels go to the plug-in."""
    log = _tell(gimp, tuple(scenarios), wire)
    path = pathlib.Path(_path(gimp, scenario, wire))
    told = path.with_name(path.name + ".told")
    assert told.exists(), f"GIMP never came to {scenario.name}:\n{log}"
    assert told.read_text() == "ok"
    message = path.with_name(path.name + ".outcome").read_text().strip()
    _, _, lines = log.partition(f"story {scenario.name};")
    return Outcome(message, xcf.read(path.with_name(path.name + ".xcf")), log,
                   lines.partition("story ")[0])
