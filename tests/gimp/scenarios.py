# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Short stories with one image each, told to a GIMP in one go."""
from dataclasses import dataclass
from functools import lru_cache

import xcf


@dataclass(frozen=True, eq=False)
class Scenario:
    """What happens to an image: `prepare` makes it ready, `act` is what may fail, then it is saved.

    Both are functions of the Gimp that return Script-Fu about `img`.
    """

    name: str
    image: xcf.Image
    act: object
    prepare: object = lambda gimp: ""


@dataclass
class Outcome:
    """'ok' or the error of the act, and the image after it."""

    message: str
    image: xcf.Image
    log: str


@lru_cache
def _tell(gimp, scenarios):
    """Runs all scenarios in one process and returns what GIMP printed."""
    body = ""
    for scenario in scenarios:
        path = str(gimp.path(scenario.name))
        xcf.write(path + ".in.xcf", scenario.image)
        body += f"""
(attempt "{path}.told" (lambda ()
  (let* ((img (load-image "{path}.in.xcf")))
    {scenario.prepare(gimp)}
    (attempt "{path}.outcome" (lambda () {scenario.act(gimp)}))
    (save-image img "{path}.xcf")
    (gimp-image-delete img))))"""
    return gimp.script_fu(body)


def outcome(gimp, scenarios, scenario):
    """How one of `scenarios` ended in that GIMP."""
    log = _tell(gimp, tuple(scenarios))
    told = gimp.path(scenario.name + ".told")
    assert told.exists(), f"GIMP never came to {scenario.name}:\n{log}"
    assert told.read_text() == "ok"
    message = gimp.path(scenario.name + ".outcome").read_text().strip()
    return Outcome(message, xcf.read(gimp.path(scenario.name + ".xcf")), log)
