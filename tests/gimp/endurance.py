# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Calls that are drawn, and what a GIMP that runs many of them holds: memory, files, threads, processes."""
import os
import pathlib
import random
import subprocess
from dataclasses import dataclass, replace

import engine
import xcf
from cases import other_values, picture, scan, select
from gimps import PLUGIN, poll

# How many calls one GIMP gets, and how often its plug-in is killed.
RUNS = int(os.environ.get("ENDURANCE", "60"))
KILLS = max(5, RUNS // 10)
# By how many KiB GIMP may grow.
MEMORY = 48 << 10
# By how many MiB what is in use on a GPU may grow: kernels are loaded when they are first called.
DEVICE_MEMORY = 64
# Pieces of heap that glibc keeps for threads and later calls would hide what is not given back.
RETURNS_MEMORY = {"MALLOC_ARENA_MAX": "1", "MALLOC_MMAP_THRESHOLD_": "32768",
                  "MALLOC_TRIM_THRESHOLD_": "65536"}

WIDTH, HEIGHT = 90, 80  # pieces of four tiles
_KINDS = [(number, trc, channels) for number in ("u1", "u2", "u4", "f2", "f4", "f8")
          for trc in (xcf.ENCODED, xcf.LINEAR) for channels in (1, 2, 3, 4)]
_TARGETS = {"layer": "(layer img 0)", "mask": "(car (gimp-layer-get-mask (layer img 0)))",
            "channel": "(channel img 0)"}
_SELECTIONS = {
    "nothing": "", "hard": "(gimp-image-select-rectangle img CHANNEL-OP-REPLACE 20 15 55 40)",
    "soft": "(gimp-image-select-rectangle img CHANNEL-OP-REPLACE 20 15 55 40) (gimp-selection-feather img 9)"}
# What sizes of results are drawn for no rule could say.
_NO_RULE = ("resize",)


@dataclass(frozen=True)
class Call:
    """A call: what is called, its image, and Script-Fu about `img` that does it."""

    name: str
    source: pathlib.Path
    body: str


class Draw:
    """Draws calls for a GIMP, always the same ones of a seed; `folder` is where their images are."""

    def __init__(self, gimp, folder, seed):
        self._gimp, self._folder = gimp, folder
        self._random = random.Random(seed)

    def calls(self, count):
        """So many of them; every procedure comes before one comes again."""
        names = [*(row.name for row in engine.registry()), "statistics", "info"]
        order = []
        while len(order) < count:
            order += self._random.sample(names, len(names))
        return [self._call(name) for name in order[:count]]

    def _source(self, name):
        """An image of any kind, of two layers, with a mask and a channel."""
        number, trc, channels = self._random.choice(_KINDS)
        if name == "align-plates":
            trc = xcf.ENCODED
        path = self._folder / f"{'scan' if name == 'align-plates' else 'in'}-{number}-{trc}-{channels}.xcf"
        if not path.exists():
            plane = picture(number, 1, WIDTH, HEIGHT, seed=2)
            image = xcf.Image([xcf.Layer(picture(number, channels, WIDTH, HEIGHT), mask=plane),
                               xcf.Layer(picture(number, channels, WIDTH, HEIGHT, seed=3), "below")],
                              trc, {"channel": plane})
            if name == "align-plates":
                image = xcf.Image([xcf.Layer(scan(number, channels))], trc)
            xcf.write(path, image)
        return path

    def _value(self, param):
        """A value of a parameter, more often near the initial one, and at the ends of the range, too."""
        if param.kind == "choice":
            return self._random.choice(param.choices)
        if param.kind == "toggle":
            return self._random.random() < 0.5
        end = self._random.choice(param.range)
        value = param.initial + (end - param.initial) * self._random.random()**4
        return float(value) if param.kind == "real" else int(value)

    def _values(self, row):
        if row.name in _NO_RULE:
            return other_values(row)
        drawn = {param.name: self._value(param) for param in row.params if param.kind != "text"}
        texts = {param.name for param in row.params if param.kind == "text"}
        return drawn | {name: value for name, value in other_values(row).items() if name in texts}

    def _call(self, name):
        source, gimp = self._source(name), self._gimp
        target = _TARGETS[self._random.choices(list(_TARGETS), [8, 1, 1])[0]]
        before = _SELECTIONS[self._random.choices(list(_SELECTIONS), [4, 1, 1])[0]]
        if name == "align-plates":
            target, before = _TARGETS["layer"], ""
        if name == "info":
            return Call(name, source, "(plug-in-cuda-info #:run-mode RUN-NONINTERACTIVE)" if gimp.is3
                        else "(plug-in-cuda-info RUN-NONINTERACTIVE)")
        if name == "statistics":
            words = (f"#:run-mode RUN-NONINTERACTIVE #:image img #:drawables (vector {target})"
                     if gimp.is3 else f"RUN-NONINTERACTIVE img {target}")
            return Call(name, source, f"{before} (plug-in-cuda-statistics {words})")
        row = engine.find(name)
        values = self._values(row)
        aux = "(layer img 1)" if row.takes_aux and self._random.random() < 0.5 else None
        before = before or select(row)
        if gimp.is3 and row in engine.in_place() and self._random.random() < 0.2:
            return Call(f"cuda:{name}", source, before + self._effect(row, values, target))
        call = gimp.call(row, values, target, aux=aux)
        return Call(name, source, before + (f"(gimp-image-delete (car {call}))" if row.creates_image else call))

    def _effect(self, row, values, target):
        """The operation, merged at once or as an effect, which goes with the image."""
        words = " ".join(f'"{name}" {self._gimp.word(value)}'
                         for name, value in row.properties(values).items())
        may_stay = target == _TARGETS["layer"] and not row.takes_aux  # GIMP merges all others
        way = self._random.choice(("merge", "append")) if may_stay else "merge"
        return (f'(gimp-drawable-{way}-new-filter {target} "cuda:{row.name}" "" LAYER-MODE-REPLACE 1.0 {words})')


def script_of(calls, folder, stops=()):
    """Script-Fu that makes calls one after the other, each on an image that is opened for it. Before
    those of the numbers `stops` it writes the file N.reached and waits for N.go.

    How each one ends is told in the file N.outcome.
    """
    lines = [f"""
(define (one n path thunk)
  (let ((img (load-image path)))
    (attempt (string-append "{folder}/" (number->string n) ".outcome") (lambda () (thunk img)))
    (gimp-image-delete img)))
(define (pause n)
  (write-file (string-append "{folder}/" (number->string n) ".reached") "")
  (wait-for (string-append "{folder}/" (number->string n) ".go")))"""]
    for n, call in enumerate(calls):
        if n in stops:
            lines.append(f"(pause {n})")
        lines.append(f'(one {n} "{call.source}" (lambda (img) {call.body}))')
    if len(calls) in stops:
        lines.append(f"(pause {len(calls)})")
    return "\n".join(lines)


def _fields(process):
    """The name of a process, its state and its parent."""
    name, _, rest = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")
    state, parent = rest.split()[:2]
    return name.partition("(")[2], state, int(parent)


def children(parent, name=None):
    """The processes that one has started, or those of them with that name, which have not ended."""
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            its_name, state, its_parent = _fields(process)
        except OSError:  # it has ended meanwhile
            continue
        if its_parent == parent and state != "Z" and name in (None, its_name):
            found.append(int(process))
    return found


def _names_of_sockets(process):
    """Those without a file that plug-ins of a GIMP take."""
    names = pathlib.Path("/proc/net/unix").read_text().split()
    return {name for name in names if name.startswith("@cuda-filters-") and name.endswith(f"-{process}")}


def _segments(process):
    """Shared memory that a GIMP or its plug-ins have made."""
    mine = {process, *children(process)}
    named = {f"/dev/shm/{name}" for name in os.listdir("/dev/shm")
             if PLUGIN in name or any(str(one) in name for one in mine)}
    listed = pathlib.Path("/proc/sysvipc/shm")
    rows = listed.read_text().splitlines()[1:] if listed.exists() else []  # not all kernels have such
    return named | {f"segment {row.split()[1]}" for row in rows if int(row.split()[4]) in mine}


def _open_files(process):
    """What the open files of a process are."""
    folder, found = pathlib.Path(f"/proc/{process}/fd"), []
    for name in os.listdir(folder):
        try:
            found.append(os.readlink(folder / name))
        except OSError:  # it is closed now
            continue
    return tuple(sorted(found))


@dataclass(frozen=True)
class Holdings:
    """What a GIMP holds: KiB of memory, open files, threads, processes, and names of what lies around."""

    memory: int
    files: tuple
    threads: int
    processes: int
    left: frozenset

    def __str__(self):
        return (f"{self.memory / 1024:.1f} MiB, {len(self.files)} files, {self.threads} threads, "
                f"{self.processes} processes, {len(self.left)} names")


def device_memory():
    """How many MiB of the machine's first GPU are in use, by other processes, too, or None where no GPU
    is required."""
    if os.environ.get("REQUIRE_CUDA") != "1" or os.environ.get("CUDA_FILTERS_DEVICE") == "cpu":
        return None
    words = ["nvidia-smi", "--id=0", "--query-gpu=memory.used", "--format=csv,noheader,nounits"]
    return int(subprocess.check_output(words))


def files_of(gimp, besides):
    """The files in all folders that a GIMP has for itself, besides those of a test."""
    return {str(path) for path in gimp.folder.rglob("*")
            if not set(besides) & set(path.parents) and path.is_file()}


def processes_of(gimp):
    """All processes that have a GIMP's folder as their home."""
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            variables = pathlib.Path(f"/proc/{process}/environ").read_bytes().split(b"\0")
        except OSError:  # it has ended meanwhile
            continue
        if f"HOME={gimp.folder}".encode() in variables:
            found.append(int(process))
    return found


def holdings(gimp, process, *besides):
    """What a process of a GIMP holds once all calls that it made have ended, and are counted as ended."""
    looks = []

    def at_rest():
        """a GIMP without plug-ins that holds the same twice, but for memory"""
        looks.append(None if children(process, PLUGIN) else replace(_held(gimp, process, besides), memory=0))
        return looks[-1] is not None and looks[-1:] == looks[-2:-1]
    poll(at_rest)
    return _held(gimp, process, besides)


def _held(gimp, process, besides):
    there = pathlib.Path(f"/proc/{process}")
    status = dict(line.split(":", 1) for line in (there / "status").read_text().splitlines())
    return Holdings(int(status["VmRSS"].split()[0]), _open_files(process), int(status["Threads"]),
                    len(children(process)),
                    frozenset(files_of(gimp, besides) | _names_of_sockets(process) | _segments(process)))


def assert_no_more(first, last, memory=MEMORY):
    """Fails if a GIMP holds more than before, but for so many KiB, and what GLib's pools start."""
    assert last.left == first.left, last.left ^ first.left
    # GIMP 3.2 starts two helpers for its windows at some time, with three files each.
    helpers = last.processes - first.processes
    assert helpers <= 2
    assert len(last.files) <= len(first.files) + 3 * max(0, helpers), (first.files, last.files)
    assert last.threads <= first.threads + 2
    assert last.memory <= first.memory + memory
