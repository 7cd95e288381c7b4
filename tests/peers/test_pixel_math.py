# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Formulas: NumPy gives the same bits of the same ones, and functions to four units in the last place."""
import random

import numpy as np
import pytest

from ours import engine

F = np.float32
NUMBERS = ["0", "1", "2", "0.5", "0.1", "3.7", "1e-3", "250", "0.3333333", "6.25"]
MODES = {"clamp": "edge", "mirror": "symmetric", "reflect": "reflect", "wrap": "wrap", "transparent": "constant"}
REACH = 5


def _picture(seed, height=12, width=20):
    rng = np.random.default_rng(seed)
    picture = rng.normal(0.5, 0.7, (height, width, 4)).astype(F)
    picture[rng.random(picture.shape) < 0.1] = 0
    picture[1, 2], picture[2, 1, 0], picture[3, 4, 2] = 0.25, np.nan, np.inf
    return picture


def _truth(condition):
    return condition.astype(F)


def _luminance(r, g, b):
    y = g + (F("0.2126") * (r - g) + F("0.0722") * (b - g))
    return np.where((r == g) & (g == b), g, y)


def _mixed_bits(n):
    n = (n ^ n >> np.uint32(16)) * np.uint32(0x7feb352d)
    n = (n ^ n >> np.uint32(15)) * np.uint32(0x846ca68b)
    return n ^ n >> np.uint32(16)


class Random:
    """Random formulas, each as a text and as what NumPy makes of it."""

    def __init__(self, seed, picture, border):
        self.random, self.picture = random.Random(seed), picture
        self.height, self.width = picture.shape[:2]
        self.y, self.x = np.mgrid[0:self.height, 0:self.width].astype(F)
        edges = ((REACH, REACH), (REACH, REACH), (0, 0))
        self.padded = np.pad(picture, edges, mode=MODES[border])

    def _neighbor(self, dx, dy, channel):
        there = self.padded[REACH + dy:REACH + dy + self.height, REACH + dx:REACH + dx + self.width]
        r, g, b, a = np.moveaxis(there, -1, 0)
        return {"r": r, "g": g, "b": b, "a": a, "y": _luminance(r, g, b)}[channel]

    def _leaf(self, channel):
        pick = self.random
        kind = pick.randrange(8)
        if kind < 3:
            name = pick.choice("rgba")
            return name, self.picture[..., "rgba".index(name)]
        if kind < 5:
            number = pick.choice(NUMBERS)
            return number, np.full(self.x.shape, F(number))
        if kind == 5:
            dx, dy = pick.randint(-REACH, REACH), pick.randint(-REACH, REACH)
            name = pick.choice("rgbay")
            return f"in({dx}, {dy}).{name}", self._neighbor(dx, dy, name)
        if kind == 6:
            seed = pick.randrange(5)
            with np.errstate(over="ignore"):
                key = _mixed_bits(_mixed_bits(np.array([seed], F).view(np.uint32)) + np.uint32(channel))
                bits = _mixed_bits(key + self.x.astype(np.uint32) * np.uint32(0x9e3779b1))
                bits = _mixed_bits(bits + self.y.astype(np.uint32) * np.uint32(0x85ebca6b))
            return f"random({seed})", (bits >> np.uint32(8)).astype(F) * F(2.0 ** -24)
        return pick.choice([("x", self.x), ("y", self.y), ("w", np.full(self.x.shape, F(self.width))),
                            ("u", (self.x + F(0.5)) / F(self.width)),
                            ("v", (self.y + F(0.5)) / F(self.height))])

    def expression(self, depth, channel):
        """A formula of up to so many operations within each other, in the line of a channel."""
        if depth == 0 or self.random.random() < 0.15:
            return self._leaf(channel)
        name, count, compute = self.random.choice(OPERATIONS)
        parts = [self.expression(depth - 1, channel) for _ in range(count)]
        with np.errstate(all="ignore"):
            value = compute(*(value for _, value in parts)).astype(F)
        return name.format(*(text for text, _ in parts)), value


def _minimum(a, b):
    return np.where(b < a, b, a)


def _maximum(a, b):
    return np.where(a < b, b, a)


def _smoothstep(a, b, c):
    t = _minimum(_maximum((c - a) / (b - a), F(0)), F(1))
    return t * t * (F(3) - F(2) * t)


OPERATIONS = [
    ("({} + {})", 2, np.add), ("({} - {})", 2, np.subtract), ("({} * {})", 2, np.multiply),
    ("({} / {})", 2, np.divide), ("({} % {})", 2, lambda a, b: a - b * np.floor(a / b)),
    ("({} ^ 2)", 1, np.square), ("(-{})", 1, np.negative), ("abs({})", 1, np.abs), ("floor({})", 1, np.floor),
    ("round({})", 1, np.round), ("sqrt({})", 1, np.sqrt), ("min({}, {})", 2, _minimum),
    ("max({}, {}, 0.25)", 2, lambda a, b: _maximum(_maximum(a, b), F(0.25))),
    ("clamp({}, {}, {})", 3, lambda a, b, c: _minimum(_maximum(a, b), c)),
    ("mix({}, {}, {})", 3, lambda a, b, t: a * (F(1) - t) + b * t),
    ("step({}, {})", 2, lambda edge, a: _truth(~(a < edge))), ("smoothstep({}, {}, {})", 3, _smoothstep),
    ("hypot({}, {})", 2, lambda a, b: np.sqrt(a.astype(float) ** 2 + b.astype(float) ** 2)),
    ("({} < {})", 2, lambda a, b: _truth(a < b)), ("({} >= {})", 2, lambda a, b: _truth(a >= b)),
    ("({} != {})", 2, lambda a, b: _truth(a != b)), ("({} and {})", 2, lambda a, b: _truth((a != 0) & (b != 0))),
    ("({} or {})", 2, lambda a, b: _truth((a != 0) | (b != 0))), ("(not {})", 1, lambda a: _truth(a == 0)),
    ("({} ? {} : {})", 3, lambda a, b, c: np.where(a != 0, b, c)),
]


@pytest.mark.parametrize("border", MODES)
def test_random_formulas_are_numpys(tmp_path, border):
    """A thousand of them, two in each channel of a picture: left and right."""
    differing = []
    for seed in range(25):
        picture = _picture(seed)
        formulas = Random(seed * 10 + list(MODES).index(border), picture, border)
        lines, wanted = [], picture.copy()
        for channel in range(4):
            halves = [formulas.expression(4, channel) for _ in range(2)]
            lines.append(f"{'rgba'[channel]} = x < 10 ? {halves[0][0]} : {halves[1][0]}")
            wanted[..., channel] = np.where(formulas.x < 10, halves[0][1], halves[1][1])
        got = engine(tmp_path, "pixel-math", picture, "srgb", formula="\n".join(lines), light="native",
                     border=border)
        same = (got == wanted) | (np.isnan(got) & np.isnan(wanted))
        differing += [lines[c] for c in range(4) if not same[..., c].all()]
    assert differing == []


@pytest.mark.parametrize("formula, function", [
    ("exp(8 * c)", lambda c: np.exp(8 * c)), ("log(abs(c))", lambda c: np.log(np.abs(c))),
    ("sin(64 * c)", lambda c: np.sin(64 * c)), ("cos(64 * c)", lambda c: np.cos(64 * c)),
    ("tan(4 * c)", lambda c: np.tan(4 * c)), ("atan2(c, 0.5)", lambda c: np.arctan2(c, 0.5)),
    ("abs(c) ^ 2.5", lambda c: np.abs(c) ** 2.5), ("2 ^ (8 * c)", lambda c: 2.0 ** (8 * c))])
def test_functions_are_numpys(tmp_path, formula, function):
    """To four units in the last place; arguments are products without rounding."""
    picture = np.random.default_rng(9).normal(0, 1, (40, 50, 3)).astype(F)
    got = engine(tmp_path, "pixel-math", picture, "srgb", formula=f"c = {formula}", light="native")
    wanted = function(picture.astype(float))
    assert (np.abs(got - wanted) / np.spacing(np.abs(wanted).astype(F))).max() <= 4


def test_names_neighbors_and_gray(tmp_path):
    """What the definition names: inverting, swapping, shifting; gray pictures get the luminance."""
    codes = np.random.default_rng(2).integers(0, 256, (30, 40, 4), dtype=np.uint8)

    def formula(text, picture=codes, **values):
        return engine(tmp_path, "pixel-math", picture, "srgb", formula=text, **values)

    inverted = codes.copy()
    inverted[..., :3] = 255 - inverted[..., :3]
    assert (formula("c = 1 - c") == inverted).all()
    assert (formula("r = b; b = r") == codes[..., [2, 1, 0, 3]]).all()
    assert (formula("c = in(-1, 0).c", border="wrap")[..., :3] == np.roll(codes, 1, axis=1)[..., :3]).all()
    assert (formula(" # nothing\n") == codes).all()
    gray = codes[..., :1]
    assert (formula("c = 1 - c", gray) == 255 - gray).all()
    luminance = 0.2126 + 0.0722 * gray / 255
    assert np.abs(formula("r = 1; g = 0", gray) - 255 * luminance).max() <= 0.5
