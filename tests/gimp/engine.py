# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""The engine without GIMP: its registry and its answers, by way of build/tests/tool/apply."""
import json
import os
import pathlib
import subprocess
import tempfile
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("CUDA_FILTERS_BUILD", SOURCE / "build")).resolve()
APPLY = BUILD / "tests/tool/apply"

_FORMATS = {"u1": "u8", "u2": "u16", "f4": "f32"}
_LAYOUTS = {1: "y", 2: "ya", 3: "rgb", 4: "rgba"}


@dataclass(frozen=True)
class Param:
    """One row of a filter's parameter table; a choice's initial value is its nick."""

    name: str
    kind: str
    label: str
    linked_to: str
    initial: object
    range: tuple
    choices: tuple
    property: str


@dataclass(frozen=True)
class Filter:
    """One row of the registry."""

    name: str
    label: str
    title: str
    category: str
    params: tuple
    adds_alpha: bool = False
    takes_aux: bool = False
    resizes: bool = False
    creates_image: bool = False
    needs_selection: bool = False
    output_values: tuple = ()

    @property
    def procedure(self):
        return "plug-in-cuda-" + self.name

    def properties(self, values):
        """Values of parameters by the names that the operation's properties have."""
        names = {param.name: param.property for param in self.params}
        return {names[name]: value for name, value in values.items()}

    def initial(self):
        return {param.name: param.initial for param in self.params}


def _param(row):
    """A parameter from its row of the registry's JSON."""
    initial = row["initial"]
    if row["kind"] == "choice":
        initial = row["choices"][int(initial)]
    elif row["kind"] == "toggle":
        initial = bool(initial)
    elif row["kind"] == "integer":
        initial = int(initial)
    return Param(row["name"], row["kind"], row["label"], row["linked_to"], initial,
                 (row["min"], row["max"]), tuple(row["choices"]), row["property"])


@lru_cache
def registry():
    """All filters."""
    text = subprocess.run([APPLY, "--list", "--json"], check=True, capture_output=True, text=True)
    return tuple(
        Filter(row["name"], row["label"], row["title"], row["category"],
               tuple(_param(param) for param in row["params"]), row["adds_alpha"], row["takes_aux"],
               row["resizes"], row["creates_image"], row["needs_selection"],
               tuple(row["output_values"]))
        for row in json.loads(text.stdout))


def in_place():
    """The filters whose result has the size of the drawable, and that need no selection."""
    return tuple(row for row in changing() if not row.resizes)


def changing():
    """The filters that change the drawable and make no new image, and that need no selection."""
    return tuple(row for row in registry() if not row.creates_image and not row.needs_selection)


def find(name):
    """The filter of that name."""
    return next(row for row in registry() if row.name == name)


def _word(value):
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def with_alpha(row, pixels):
    """The pixels of a layer as a filter's run sees them: with alpha, if it adds that."""
    if not row.adds_alpha or pixels.shape[2] in (2, 4):
        return pixels
    opaque = np.iinfo(pixels.dtype).max if pixels.dtype.kind == "u" else 1
    return np.dstack([pixels, np.full(pixels.shape[:2], opaque, pixels.dtype)])


def apply(name, values, pixels, linear, mask=None):
    """What the engine makes of `pixels`, given in the number type in which GIMP stores them.

    Statistics are those of the pixels where `mask`, an array of bytes, is at least 128; what needs a
    selection has it from there.
    """
    pixels = with_alpha(find(name), pixels)
    number = pixels.dtype.str[1:]
    if number == "u4":
        floats = (pixels / (2**32 - 1)).astype("f4")
        result = apply(name, values, floats, linear, mask).astype("f8")
        return np.rint(np.clip(result, 0, 1) * (2**32 - 1)).astype("u4")
    if number in ("f2", "f8"):
        return apply(name, values, pixels.astype("f4"), linear, mask).astype(number)
    words = tuple(f"{key}={_word(value)}" for key, value in values.items())
    mask = None if mask is None else mask.astype("u1").tobytes()
    return _answer(name, words, pixels.tobytes(), pixels.shape, number, linear, mask).copy()


@lru_cache(maxsize=64)  # GIMPs, and languages in them, have the same questions
def _answer(name, words, pixels, shape, number, linear, mask):
    height, width, channels = shape
    with tempfile.TemporaryDirectory() as folder:
        source, sink = pathlib.Path(folder, "in.raw"), pathlib.Path(folder, "out.raw")
        source.write_bytes(pixels)
        command = [APPLY, name, "--width", width, "--height", height, "--format",
                   f"{_LAYOUTS[channels]}-{_FORMATS[number]}", "--encoding",
                   "linear" if linear else "srgb", source, sink, *words]
        if mask is not None:
            pathlib.Path(folder, "mask.raw").write_bytes(mask)
            command += ["--mask", pathlib.Path(folder, "mask.raw")]
        done = subprocess.run([str(word) for word in command], check=True, stdout=subprocess.PIPE)
        width, height = map(int, done.stdout.split()[:2])
        return np.fromfile(sink, number).reshape(height, width, -1)


def _float_tolerance(want):
    """What GIMP may change floats by; the engine's own promise is 1e-5, relative above 1.

    babl's conversions between linear and perceptual floats are approximations: near 1 they were
    off by 4e-5, at 66 by 1.3e-3 of it.
    """
    size = np.abs(want)
    return np.where(size > 8, 2e-3 * size, 5e-5 * np.maximum(1, size))


def _differences(got, expected):
    """Every difference as a multiple of what is allowed.

    Allowed is one code at 8 and 16 bits and one step of a half, else _float_tolerance().
    """
    assert got.shape == expected.shape and got.dtype == expected.dtype
    number = got.dtype.str[1:]
    got, want = got.astype("f8"), expected.astype("f8")
    if number in ("u1", "u2"):
        allowed = np.ones_like(want)
    elif number == "u4":
        allowed = _float_tolerance(np.ones_like(want)) * (2**32 - 1)
    elif number == "f2":
        allowed = np.spacing(np.abs(expected)).astype("f8") + _float_tolerance(want)
    else:
        allowed = _float_tolerance(want)
    ratio = np.abs(got - want) / allowed
    ratio[np.isnan(ratio)] = np.inf
    ratio[np.isnan(got) & np.isnan(want)] = 0
    return ratio


def worst_difference(got, expected):
    """The largest difference as a multiple of what is allowed, and where it is."""
    ratio = _differences(got, expected)
    at = np.unravel_index(np.argmax(ratio), ratio.shape)
    return float(ratio[at]), f"at y, x, channel {tuple(map(int, at))}: {got[at]!r}, not {expected[at]!r}"


def assert_same(got, expected, share=0):
    """Fails with the worst sample unless all but a share of them are within the tolerance."""
    if share > 0 and np.mean(_differences(got, expected) > 1) <= share:
        return
    worst, where = worst_difference(got, expected)
    assert worst <= 1, where
