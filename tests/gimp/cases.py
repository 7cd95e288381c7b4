# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Which images and which parameters the filters are called with."""
import atexit
import pathlib
import shutil
import tempfile
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from engine import in_place
from xcf import ENCODED, LINEAR, PERCEPTUAL

def table_file():
    """A table for color-lut, where each GIMP finds it: those in other systems see /tmp alone."""
    folder = tempfile.mkdtemp(prefix="cuda-filters-table-", dir="/tmp")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    pathlib.Path(folder).chmod(0o755)
    return shutil.copy(pathlib.Path(__file__).parents[1] / "tables/look.cube", folder)


# Values for filters whose initial ones do nothing, which no rule can make up, or whose changed
# ones would enlarge what GIMP's conversions of floats are off by.
HAND_PICKED = {
    "convolution-matrix": {"matrix": "1,2,0;2,-4,1;-1,1,0.5", "divisor": 3.0, "offset": 0.25},
    "sharpen": {"amount": 0.25},
    "add": {"value": 0.2},
    "subtract": {"value": 0.2},
    "multiply": {"value": 1.5},
    "gamma": {"gamma": 0.8},
    "threshold": {"low": 0.25, "high": 0.75},
    "autocontrast": {"low-fraction": 0.125, "high-fraction": 0.125},
    "white-balance": {"white-luma": 150.0, "white-chroma": 20.0},
    "resize": {"width": 60, "height": 45, "fit": False},
    "color-lut": {"file": table_file(), "amount": 0.75},
    # Each iteration enlarges rounding.
    "richardson-lucy": {"iterations": 2, "psf": "disc", "size": 1.5, "damping": 0.0},
    "pixel-math": {"formula": "c = (c + in(-1, 2).c) / 2; a = a * 0.75"},
    "chain": {"steps": "multiply value=0.9 | box-blur radius-x=2 radius-y=3 | invert"},
    # At a threshold the result jumps.
    "matte-difference": {"threshold": 0.1003},
    "unsharp-mask": {"scale": 0.25, "threshold": 0.0},
    "high-pass": {"contrast": 1.5},
    # Where a gradient is next to 0, its direction is rounding, which each step takes further.
    "mean-curvature-blur": {"iterations": 5},
    # So it is where two second differences are equal.
    "noise-reduction": {"iterations": 2},
    # Of few bins and small discs, few values are next to the border of two.
    "oilify": {"mask-radius": 2, "exponent": 3, "intensities": 9},
    "difference-of-gaussians": {"scale": 1.0, "offset": 0.5},
    "non-local-means": {"strength": 0.15, "noise": 0.03125, "patch-radius": 1, "search-radius": 4, "luma": 0.75,
                        "chroma": 0.5},
    "wavelet-denoise": {"threshold": 2.5, "levels": 4, "softness": 0.75, "luma": 0.75, "chroma": 0.5},
    "wavelet-equalizer": {"gain-1": 1.25, "gain-2": 0.75, "gain-3": 1.5, "gain-4": 1.0, "gain-5": 0.5,
                          "gain-6": 1.25, "residual": 0.75},
}

# Filters that decide between 0 and 1, or what takes part: where values are converted, rounding decides
# ties. The share of samples that this may change.
_DECIDING = {"canny": 0.01, "threshold": 0.01, "noise-reduction": 0.001, "clahe": 0.01, "oilify": 0.01}
# Of 8 bits only those that decide in linear light, to which GIMP's own numbers convert codes.
_DECIDING_IN_LINEAR_LIGHT = {"oilify"}


def share_of_ties(row, number="u1", linear=False):
    """How many samples of a filter's result may differ more than rounding."""
    is_exact = number == "u1" and not linear and row.name not in _DECIDING_IN_LINEAR_LIGHT
    return 0 if is_exact else _DECIDING.get(row.name, 0)


# What is selected for filters that need it, of a picture(): left and upper edge, width and height.
_SELECTED = (62, 50, 24, 20)


def select(row):
    """Script-Fu that selects a part of the image `img`, for a filter that needs that."""
    place = " ".join(map(str, _SELECTED))
    return f"(gimp-image-select-rectangle img CHANNEL-OP-REPLACE {place})" if row.needs_selection else ""


def mask_of(shape, place):
    """The bytes of a selection of a rectangle, of a layer of that shape at the image's corner."""
    mask, (x, y, width, height) = np.zeros(shape[:2], "u1"), place
    mask[y:y + height, x:x + width] = 255
    return mask


def selected(row, shape):
    """The bytes of what select() selects of a layer of that shape, or None."""
    return mask_of(shape, _SELECTED) if row.needs_selection else None


def other_values(row):
    """Values that differ from the initial ones, for any row of the registry."""
    values = {}
    for index, param in enumerate(row.params):
        if param.kind == "choice":
            at = (param.choices.index(param.initial) + 1) % len(param.choices)
            values[param.name] = param.choices[at]
        elif param.kind == "toggle":
            values[param.name] = not param.initial
        elif param.kind != "text":
            low, high = param.range
            step = min((high - param.initial) / 2, 2 + index) or (low - param.initial) / 2
            values[param.name] = (float if param.kind == "real" else int)(param.initial + step)
    return values | HAND_PICKED.get(row.name, {})


@dataclass(frozen=True)
class Case:
    """One call: a filter, its values, an image's number type, curve and channels, and a target."""

    row: object
    values: tuple
    number: str
    trc: int
    channels: int
    target: str = "layer"

    def __str__(self):
        trc = {LINEAR: "linear", ENCODED: "encoded", PERCEPTUAL: "perceptual"}[self.trc]
        layout = {1: "gray", 2: "graya", 3: "rgb", 4: "rgba"}[self.channels]
        values = "" if self.values else "-initial"
        return f"{self.row.name}-{layout}-{self.number}-{trc}-{self.target}{values}"


def cases(perceptual):
    """Every filter that keeps the size in every precision, layout and kind of drawable; `perceptual`: of GIMP 3."""
    kinds = [(number, trc, 4) for number in ("u1", "u2", "u4", "f2", "f4", "f8")
             for trc in (ENCODED, LINEAR)]
    kinds += [(number, trc, channels) for channels in (1, 2, 3)
              for number, trc in (("u1", ENCODED), ("u2", LINEAR), ("f2", ENCODED), ("f4", LINEAR))]
    if perceptual:
        kinds += [("u1", PERCEPTUAL, 4), ("f4", PERCEPTUAL, 1)]
    for row in in_place():
        values = tuple(other_values(row).items())
        for number, trc, channels in kinds:
            yield Case(row, values, number, trc, channels)
        for target in () if row.adds_alpha else ("mask", "channel"):
            yield Case(row, values, "u1", ENCODED, 3, target)
            yield Case(row, values, "f4", LINEAR, 4, target)
        yield Case(row, (), "u1", ENCODED, 4)
        yield Case(row, (), "f4", ENCODED, 3)


@lru_cache
def picture(number, channels, width=150, height=140, seed=1):
    """Gradients, a disc, edges, noise and transparency, beyond 0 … 1 in floats, over several tiles.

    It is made once, and cannot be changed; a copy of it can.
    """
    random = np.random.default_rng(seed)
    y, x = np.mgrid[:height, :width]
    color = np.stack([x / width, y / height, (x // 16 + y // 16) % 2 * 0.8], axis=2)
    disc = np.hypot(x - width / 2, y - height / 2)[:, :, None] < height / 4
    color = 0.6 * color + 0.3 * disc + 0.1 * random.random((height, width, 3))
    if number[0] == "f":
        color = color * 1.6 - 0.2
    alpha = np.clip(1.5 - np.hypot(x - width / 2, y - height / 2) / (height / 2), 0, 1)
    planes = color if channels > 2 else color[:, :, :1]
    if channels in (2, 4):
        planes = np.dstack([planes, alpha])
    if number[0] == "u":
        planes = np.rint(planes * np.iinfo(number).max)
    made = planes.astype(number)
    made.flags.writeable = False
    return made


# By how much the plates of a scan() are moved.
SHIFTS = {"dx1": 3, "dy1": -5, "dx2": -4, "dy2": 2}


def scan(number="u1", channels=1, width=150, height=130):
    """Three plates of one scene of soft blobs, the first and the last moved by -SHIFTS."""
    random = np.random.default_rng(5)
    blobs = [(random.uniform(0, width), random.uniform(0, height), random.uniform(2, 9),
              random.uniform(-0.1, 0.1)) for _ in range(150)]

    def plate(dx, dy, gain):
        y, x = np.mgrid[:height, :width]
        values = np.full((height, width), 0.5)
        for left, top, sigma, size in blobs:
            values += size * np.exp(-((x + dx - left)**2 + (y + dy - top)**2) / (2 * sigma**2))
        return gain * values

    planes = np.vstack([plate(SHIFTS["dx1"], SHIFTS["dy1"], 0.6), plate(0, 0, 0.8),
                        plate(SHIFTS["dx2"], SHIFTS["dy2"], 0.9)])[:, :, None]
    colors = np.repeat(planes, 3, axis=2) if channels > 2 else planes
    if channels in (2, 4):
        colors = np.dstack([colors, np.ones_like(planes)])
    if number[0] == "u":
        return np.rint(colors * np.iinfo(number).max).astype(number)
    return colors.astype(number)
