# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""The plug-in as a whole: what it links, what it registers, what it tells."""
import os
import re
import shutil
import subprocess

import pytest

import engine
import xcf
from cases import other_values, picture, share_of_ties
from scenarios import Scenario, outcome

ROWS = engine.changing()
IMAGE = xcf.Image([xcf.Layer(picture("u1", 4), "one"), xcf.Layer(picture("u1", 4), "two")])

# With-last-values when there are none yet: the initial ones.
FIRST = tuple(
    Scenario(f"no-last-values-{row.name}", IMAGE,
             lambda gimp, row=row: gimp.call(row, {}, mode="RUN-WITH-LAST-VALS"))
    for row in ROWS)


def needed_by(path):
    """The libraries that a program or library names, without versions."""
    tags = subprocess.run(["readelf", "-d", path], check=True, capture_output=True, text=True).stdout
    return set(re.findall(r"NEEDED.*\[(\w+)", tags))


def test_links_what_it_uses(gimp):
    """No library of CUDA, and none that GIMP uses for itself, whose names change: it loads everywhere."""
    usual = {"libstdc", "libm", "libgcc_s", "libc", "libpthread", "libdl", "ld"}
    of_tables = {"libpng16"}  # Hald images; its name has been the same since 2013
    of_gimp = {"libgimp", "libgimpbase", "libgimpmath", "libgimpcolor", "libgimpconfig", "libgegl",
               "libbabl", "libglib", "libgobject", "libgio", "libgmodule"}
    of_dialogs = {"libatk", "libgimpui", "libgimpwidgets", "libgtk", "libgdk", "libgdk_pixbuf", "libcairo",
                  "libpango"}
    program, dialogs = needed_by(gimp.plugin()), needed_by(gimp.plugin().parent / "dialogs.so")
    assert "libgegl" in program and "libgtk" in dialogs
    assert program - of_gimp - of_tables <= usual
    assert dialogs - of_gimp - of_dialogs <= usual


def test_loads_gtk_for_dialogs_only(gimp):
    libraries = gimp.run(["ldd", gimp.folder / "own/cuda-filters/cuda-filters"])
    assert "libgegl" in libraries
    assert "libgtk" not in libraries


def test_says_when_the_dialogs_are_missing(gimp):
    """A call that needs one fails in words; it is looked for before there must be a display."""
    source, answer = gimp.path("dialogs.xcf"), gimp.path("dialogs.txt")
    xcf.write(source, IMAGE)
    dialogs = gimp.folder / "own/cuda-filters/dialogs.so"
    dialogs.rename(gimp.path("dialogs.so"))
    try:
        call = gimp.call(engine.find("gamma"), {}, mode="RUN-INTERACTIVE")
        gimp.script_fu(f"""
(let* ((img (load-image "{source}")))
  (attempt "{answer}" (lambda () {call}))
  (gimp-image-delete img))""")
    finally:
        gimp.path("dialogs.so").rename(dialogs)
    assert "The plug-in's dialogs cannot be loaded: " in answer.read_text()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_last_values(gimp, row):
    """Nothing stored yet: the initial values."""
    scenario = next(s for s in FIRST if s.name.endswith(row.name))
    shutil.rmtree(gimp.path("profile/plug-in-settings"), ignore_errors=True)  # of other tests
    found = outcome(gimp, FIRST, scenario)
    assert found.message == "ok"
    before = IMAGE.layers[0].pixels
    wanted = engine.apply(row.name, row.initial(), before, linear=False)
    engine.assert_same(found.image.layers[0].pixels, wanted, share_of_ties(row))


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
    """CUDA_FILTERS_DEVICE chooses; what is no device, or no memory, is an error that names it."""
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
    gimp.script_fu(body.replace("OUT", "memory"), CUDA_FILTERS_MEMORY="64 MiB")
    assert "CUDA_FILTERS_MEMORY is '64 MiB'" in gimp.path("device.memory").read_text()
    log = gimp.script_fu(body.replace("OUT", "missing"), CUDA_FILTERS_DEVICE="99")
    outcome = gimp.path("device.missing").read_text()
    assert "CUDA_FILTERS_DEVICE asks for GPU 99" in log + outcome
    assert outcome == "ok" or "GPUs 0 to" in outcome
