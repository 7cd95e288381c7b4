# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Many calls in one GIMP, and many GIMPs on one device: nothing grows, nothing stays, all is right."""
import os
import re
import shutil
import subprocess
import time
from collections import Counter

import numpy as np
import pytest

import engine
import gimps
import xcf
from cases import other_values, picture
from endurance import RETURNS_MEMORY, RUNS, Draw, assert_no_more, holdings, processes_of, script_of

STEPS = "gaussian-blur std-dev-x=3 std-dev-y=2 | median-blur radius=3 | unsharp-mask std-dev=2"


def _devices(log):
    """Where runs were, as the plug-in tells, and how often."""
    return Counter(re.findall(r"^cuda-filters: [^ :]+ on (.*?): start", log, re.M))


def _check_devices(devices):
    """Where a GPU is required, it was used."""
    if os.environ.get("REQUIRE_CUDA") == "1" and os.environ.get("CUDA_FILTERS_DEVICE") != "cpu":
        assert any("NVIDIA" in device for device in devices), devices


class Process:
    """A GIMP that runs a Script-Fu program of calls."""

    def __init__(self, gimp, folder, calls, stops=(), **variables):
        self.gimp, self.folder, self.calls = gimp, folder, calls
        words = gimp.script_words(script_of(calls, folder, stops))
        with open(folder / "log", "wb") as log:
            self.process = subprocess.Popen(
                gimp.command(words, CUDA_FILTERS_VERBOSE="1", **variables),
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)

    def holdings_at(self, stop):
        """What the GIMP holds before the call of that number."""
        def reached():
            """the next stop of a GIMP"""
            assert self.process.poll() is None, self.log()[-3000:]
            return (self.folder / f"{stop}.reached").exists()
        gimps.poll(reached, 7200)
        found = holdings(self.gimp, self.process.pid, self.folder)
        (self.folder / f"{stop}.go").touch()
        return found

    def log(self):
        return (self.folder / "log").read_text(errors="replace")

    def wait(self):
        """Waits for its end. Returns how its calls ended, in order."""
        self.process.wait(7200)
        gimps.complaints.look_at(self.log())
        return [(self.folder / f"{n}.outcome").read_text() for n in range(len(self.calls))]


@pytest.mark.leaves(r"cuda-filters-WARNING \*\*: \S+ cuda:\S+: ")  # of values that cannot go together
def test_holds_no_more_after_many_calls(gimp, record_property):
    """Every procedure with drawn values on drawn images in one process: as after the first fifty calls."""
    folder = gimp.path("endurance")
    folder.mkdir()
    process = Process(gimp, folder, Draw(gimp, folder, seed=1).calls(RUNS), (50, RUNS), **RETURNS_MEMORY)
    try:
        first, last = process.holdings_at(50), process.holdings_at(RUNS)
        outcomes = process.wait()
    finally:
        process.process.kill()
        process.process.wait()
    devices = _devices(process.log())
    told = (f"{gimp}: {RUNS} calls, {outcomes.count('ok')} done, the others refused; after 50: {first}; "
            f"at the end: {last}; {dict(devices)}")
    print(told)
    record_property("endurance", told)
    for call, outcome in zip(process.calls, outcomes):
        assert outcome == "ok" or "invalid input arguments" in outcome, f"{call.name}: {outcome}\n{call.body}"
    assert outcomes.count("ok") > 0.9 * RUNS
    assert_no_more(first, last)
    assert processes_of(gimp) == []
    _check_devices(devices)


def _another_profile(gimp):
    """The variables of a GIMP with a profile of its own."""
    profile = gimp.path("another-profile")
    if gimp.path("profile").exists():
        shutil.copytree(gimp.path("profile"), profile, dirs_exist_ok=True)
    return {"GIMP2_DIRECTORY": profile, "GIMP3_DIRECTORY": profile}


def _start_script(gimp, folder, rows, **variables):
    """A GIMP that calls filters and saves what they make."""
    folder.mkdir()
    lines = []
    for row in rows:
        for number, trc, channels in (("u1", xcf.ENCODED, 4), ("f4", xcf.LINEAR, 3)):
            source = folder / f"{number}.xcf"
            if not source.exists():
                xcf.write(source, xcf.Image([xcf.Layer(picture(number, channels, 300, 280))], trc))
            lines.append(f"""
(let* ((img (load-image "{source}")))
  {gimp.call(row, other_values(row))}
  (save-image img "{folder}/{row.name}-{number}.done.xcf")
  (gimp-image-delete img))""")
    return _start(gimp, folder, gimp.script_words("".join(lines)), **variables)


def _start_batch(gimp, folder, count, jobs):
    """cuda-batch with some pictures."""
    folder.mkdir()
    given = folder / "given"
    given.mkdir()
    for seed in range(count):
        image = xcf.Image([xcf.Layer(picture("u2", 3, 300, 280, seed))])
        xcf.write(given / f"{seed}.done.xcf", image)
    command = "/src" if gimp.root else engine.SOURCE
    words = [f"{command}/data/batch/cuda-batch", given, "--gimp", gimp.binary(True), "--steps", STEPS,
             "--out", folder, "--format", "xcf", "--jobs", jobs]
    return _start(gimp, folder, words)


def _start(gimp, folder, words, **variables):
    with open(folder / "log", "wb") as log:
        return subprocess.Popen(gimp.command(words, CUDA_FILTERS_VERBOSE="1", **variables),
                                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)


def _results(process, folder):
    """What a process makes until it ends, by name, and where it was computed."""
    process.wait(1800)
    log = (folder / "log").read_text(errors="replace")
    gimps.complaints.look_at(log)
    found = {path.name: xcf.read(path).layers[0].pixels for path in sorted(folder.glob("*.done.xcf"))}
    assert found, log[-3000:]
    return found, _devices(log)


def test_side_by_side(gimp, record_property):
    """Two GIMPs and the eight of cuda-batch give what each of them gives alone."""
    rows, count = engine.in_place()[::max(1, 480 // RUNS)], max(8, RUNS // 25)
    starts = {
        "one": lambda folder, _: _start_script(gimp, folder, rows[::2]),
        "two": lambda folder, _: _start_script(gimp, folder, rows[1::2], **_another_profile(gimp)),
        "batch": lambda folder, jobs: _start_batch(gimp, folder, count, jobs),
    }
    alone, devices = {}, Counter()
    for name, start in starts.items():
        folder = gimp.path(f"alone-{name}")
        alone[name], _ = _results(start(folder, 1), folder)
    begin = time.monotonic()
    folders = {name: gimp.path(f"beside-{name}") for name in starts}
    processes = {name: start(folders[name], 8) for name, start in starts.items()}
    results = 0
    for name, process in processes.items():
        found, its_devices = _results(process, folders[name])
        devices += its_devices
        assert found.keys() == alone[name].keys()
        for picture_name, pixels in found.items():
            results += 1
            if os.environ.get("CUDA_FILTERS_DEVICE") == "cpu":
                assert np.array_equal(pixels, alone[name][picture_name]), picture_name
            else:  # one may have gone to the processor
                engine.assert_same(pixels, alone[name][picture_name])
    assert len(alone["batch"]) == count
    told = f"{gimp}: {results} results in {time.monotonic() - begin:.0f} s side by side; {dict(devices)}"
    print(told)
    record_property("side by side", told)
    assert processes_of(gimp) == []
    _check_devices(devices)
