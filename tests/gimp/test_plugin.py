# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""The plug-in as a whole: what it links, what it registers, what it tells."""
import os
import re
import subprocess

import pytest

import engine
import gimps
import xcf
from cases import other_values, picture
from scenarios import Scenario, outcome

ROWS = engine.changing()
IMAGE = xcf.Image([xcf.Layer(picture("u1", 4), "one"), xcf.Layer(picture("u1", 4), "two")])

# With-last-values when there are none yet: the initial ones.
FIRST = tuple(
    Scenario(f"no-last-values-{row.name}", IMAGE,
             lambda gimp, row=row: gimp.call(row, {}, mode="RUN-WITH-LAST-VALS"))
    for row in ROWS)


def test_links_what_it_uses(gimp):
    """No library of CUDA, and none that GIMP uses for itself, whose names change: it loads everywhere."""
    tags = subprocess.run(["readelf", "-d", gimp.plugin()], check=True, capture_output=True,
                          text=True).stdout
    needed = re.findall(r"NEEDED.*\[(\w+)", tags)
    assert "libgegl" in needed
    of_gimp = {"libgimp", "libgimpbase", "libgimpui", "libgimpwidgets", "libgimpmath",
               "libgimpcolor", "libgimpconfig", "libgegl", "libbabl", "libglib", "libgobject",
               "libgio", "libgmodule", "libgtk", "libgdk", "libgdk_pixbuf", "libcairo", "libpango"}
    assert set(needed) - of_gimp <= {"libstdc", "libm", "libgcc_s", "libc", "libpthread", "ld"}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_last_values(gimp, row):
    """Nothing stored yet: the initial values."""
    scenario = next(s for s in FIRST if s.name.endswith(row.name))
    found = outcome(gimp, FIRST, scenario)
    assert found.message == "ok"
    before = IMAGE.layers[0].pixels
    wanted = engine.apply(row.name, row.initial(), before, linear=False)
    engine.assert_same(found.image.layers[0].pixels, wanted)


WITHOUT_DIALOG = tuple(
    Scenario(f"interactive-{row.name}", IMAGE,
             lambda gimp, row=row: gimp.call(row, {}, mode="RUN-INTERACTIVE"))
    for row in ROWS if not row.params)


@pytest.mark.parametrize("scenario", WITHOUT_DIALOG, ids=lambda scenario: scenario.name)
def test_no_parameters_no_dialog(gimp, scenario):
    """Chosen from a menu, a filter that has nothing to ask does its work, here without a display."""
    found = outcome(gimp, WITHOUT_DIALOG, scenario)
    assert found.message == "ok"
    before = IMAGE.layers[0].pixels
    wanted = engine.apply(scenario.name.removeprefix("interactive-"), {}, before, linear=False)
    engine.assert_same(found.image.layers[0].pixels, wanted)


def test_info(gimp):
    """plug-in-cuda-info gives 'key: value' lines and tells what would be used."""
    path = gimp.path("info")
    call = "(plug-in-cuda-info #:run-mode RUN-NONINTERACTIVE)" if gimp.is3 else (
        "(plug-in-cuda-info RUN-NONINTERACTIVE)")
    gimp.script_fu(f'(attempt "{path}.told" (lambda () (write-file "{path}" (car {call}))))')
    assert gimp.path("info.told").read_text() == "ok"
    lines = path.read_text().strip().splitlines()
    pairs = dict(line.split(": ", 1) for line in lines)
    assert len(lines) >= 3
    assert all(key.strip() and value.strip() for key, value in pairs.items())
    if os.environ.get("REQUIRE_CUDA") == "1":
        assert "NVIDIA" in path.read_text()


def test_device_variable(gimp):
    """CUDA_FILTERS_DEVICE chooses; a device that does not exist is an error that names it."""
    row = ROWS[0]
    path = gimp.path("device")
    xcf.write(f"{path}.in.xcf", IMAGE)
    body = f"""
(let* ((img (load-image "{path}.in.xcf")))
  (attempt "{path}.OUT" (lambda () {gimp.call(row, other_values(row))}))
  (gimp-image-delete img))"""
    gimp.script_fu(body.replace("OUT", "cpu"), CUDA_FILTERS_DEVICE="cpu")
    assert gimp.path("device.cpu").read_text() == "ok"
    gimp.script_fu(body.replace("OUT", "nonsense"), CUDA_FILTERS_DEVICE="nonsense")
    assert "nonsense" in gimp.path("device.nonsense").read_text()
    log = gimp.script_fu(body.replace("OUT", "missing"), CUDA_FILTERS_DEVICE="99")
    outcome = gimp.path("device.missing").read_text()
    assert "CUDA_FILTERS_DEVICE asks for GPU 99" in log + outcome
    assert outcome == "ok" or "GPUs 0 to" in outcome


def test_starts_quietly(gimp):
    """Registering the procedures and a call leave no error of ours on stderr."""
    log = gimp.script_fu("#t")
    assert "batch command executed successfully" in log
    assert not gimps.complaints(gimp.log)
