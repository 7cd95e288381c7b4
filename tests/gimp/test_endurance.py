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
from endurance import (DEVICE_MEMORY, RETURNS_MEMORY, RUNS, Draw, assert_no_more, device_memory, holdings, processes_of,
                       script_of)

STEPS = "gaussian-blur std-dev-x=3 std-dev-y=2 | median-blur radius=3 | unsharp-mask std-dev=2"


def _devices(log):
    """Where runs were, as the plug-in tells, and how often."""
    return Counter(re.findall(r"^cuda-filters: [^ :]+ on (.*?): start", log, re.M))


def _check_devices(devices):
    """Where a GPU is required, it was used."""
    if os.environ.get("REQUIRE_CUDA") == "1" and os.environ.get("CUDA_FILTERS_DEVICE") != "cpu":
        assert any("NVIDIA" in device for device in devices), devices


class Process:
    """A GIMP that runs a program, which waits at some stops until it is told to go on."""

    def __init__(self, gimp, folder, words, **variables):
        self.gimp, self.folder = gimp, folder
        self.process = _start(gimp, folder, words, **variables)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def holdings_at(self, stop):
        """What the GIMP holds at the stop of that number, and the memory that is in use on a GPU."""
        def reached():
            """the next stop of a GIMP"""
            assert self.process.poll() is None, self.log()[-3000:]
            return (self.folder / f"{stop}.reached").exists()
        gimps.poll(reached, 7200)
        found = holdings(self.gimp, self.process.pid, self.folder), device_memory()
        (self.folder / f"{stop}.go").touch()
        return found

    def log(self):
        return (self.folder / "log").read_text(errors="replace")

    def wait(self):
        """Waits until the GIMP has ended."""
        self.process.wait(7200)
        gimps.complaints.look_at(self.log())


@pytest.mark.leaves(r"cuda-filters-WARNING \*\*: \S+ cuda:\S+: ")  # of values that cannot go together
def test_holds_no_more_after_many_calls(gimp, record_property):
    """Every procedure with drawn values on drawn images in one process: as after the first fifty calls."""
    folder = gimp.path("endurance")
    folder.mkdir()
    calls = Draw(gimp, folder, seed=1).calls(RUNS)
    words = gimp.script_words(script_of(calls, folder, (50, RUNS)))
    with Process(gimp, folder, words, **RETURNS_MEMORY) as process:
        (first, _), (last, _) = process.holdings_at(50), process.holdings_at(RUNS)
        process.wait()
    outcomes = [(folder / f"{n}.outcome").read_text() for n in range(RUNS)]
    devices = _devices(process.log())
    told = (f"{gimp}: {RUNS} calls, {outcomes.count('ok')} done, the others refused; after 50: {first}; "
            f"at the end: {last}; {dict(devices)}")
    print(told)
    record_property("endurance", told)
    for call, outcome in zip(calls, outcomes):
        assert outcome == "ok" or "invalid input arguments" in outcome, f"{call.name}: {outcome}\n{call.body}"
    assert outcomes.count("ok") > 0.9 * RUNS
    assert_no_more(first, last)
    assert processes_of(gimp) == []
    _check_devices(devices)


# Moves sliders of effects, those of one stack after the other, and looks at the image each time; it
# gets FOLDER, SIZE, MOVES, STOPS and STACK.
_SLIDERS = gimps.EFFECTS_IN_PYTHON + r"""
import pathlib, time

def pause(number):
    (pathlib.Path(FOLDER) / f"{number}.reached").touch()
    while not (pathlib.Path(FOLDER) / f"{number}.go").exists():
        time.sleep(0.01)

image = Gimp.Image.new(*SIZE, Gimp.ImageBaseType.RGB)
image.undo_disable()
layers = []
for number in range(3):
    layer = Gimp.Layer.new(image, "", *SIZE, Gimp.ImageType.RGBA_IMAGE, 50.0, Gimp.LayerMode.NORMAL)
    image.insert_layer(layer, None, 0)
    layer.merge_filter(effect_on(layer, "gegl:plasma", {"seed": number}))
    for operation, values, _ in STACK:
        layer.append_filter(effect_on(layer, operation, values))
    layers.append(layer)
for number in range(MOVES + 1):
    if number in STOPS:
        pause(number)
    layer, turn = layers[number % 3], number // 3
    operation, *values = STACK[turn % len(STACK)]
    effect = [each for each in layer.get_filters() if each.get_operation_name() == operation][0]
    change(effect, values[1 - turn // len(STACK) % 2])
    picked, _ = image.pick_color(layers, SIZE[0] // 2, SIZE[1] // 2, True, True, min(SIZE) // 2 - 1)
    assert picked
image.delete()
"""
_STACK = (("cuda:gaussian-blur", {"std-dev-x": 2.0}, {"std-dev-x": 2.5}),
          ("cuda:median-blur", {"radius": 3}, {"radius": 4}),
          ("cuda:unsharp-mask", {"std-dev": 3.0}, {"std-dev": 4.0}),
          ("cuda:gamma", {"gamma": 1.1}, {"gamma": 1.2}),
          ("cuda:sharpen", {"amount": 0.3}, {"amount": 0.4}))


@pytest.mark.parametrize("gimp", [gimp for gimp in gimps.find() if gimp.is3], ids=str)
def test_sliders_hold_no_more(gimp, record_property):
    """Sliders of three stacks of effects, moved again and again: as after the first ten moves."""
    folder = gimp.path("sliders")
    folder.mkdir()
    size = (1400, 1400) if RUNS >= 100 else (200, 200)
    given = f"FOLDER, SIZE, MOVES, STOPS = {str(folder)!r}, {size}, {RUNS}, (10, {RUNS})\nSTACK = {_STACK!r}\n"
    with Process(gimp, folder, gimp.python_words(given + _SLIDERS), **RETURNS_MEMORY) as process:
        (first, first_device), (last, last_device) = process.holdings_at(10), process.holdings_at(RUNS)
        process.wait()
    devices = Counter(re.findall(r"^cuda-filters: cuda:\S+ on (.*?): \d", process.log(), re.M))
    told = (f"{gimp}: after 10 moves: {first}, of the GPU {first_device} MiB; after {RUNS}: {last}, of the GPU "
            f"{last_device} MiB; {dict(devices)}")
    print(told)
    record_property("sliders", told)
    assert sum(devices.values()) >= RUNS, process.log()[-3000:]
    assert_no_more(first, last)
    if first_device is not None:
        assert last_device <= first_device + DEVICE_MEMORY
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
