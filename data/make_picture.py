#!/usr/bin/python3
# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""make_picture.py FILE [WIDTH HEIGHT]: an evening landscape, the same in every run, as RGBA PNG.

Made for looking at filters: smooth gradients (sky), texture (water, ground), hard edges (sails,
trees, stars), fine lines (rigging, reeds) and transparency (rounded, soft corners).
"""
import sys

import numpy as np
from PIL import Image


def smooth(low, high, value):
    """0 below `low`, 1 above `high`, a soft step between."""
    t = np.clip((value - low) / (high - low), 0, 1)
    return t * t * (3 - 2 * t)


def mix(first, second, share):
    return first + (second - first) * share[..., None]


def noise(random, height, width, cells_y, cells_x):
    """Random values on a grid, interpolated smoothly to the size of the picture."""
    grid = random.random((cells_y + 2, cells_x + 2))
    y = np.linspace(0, cells_y, height, endpoint=False)
    x = np.linspace(0, cells_x, width, endpoint=False)
    top, left = y.astype(int), x.astype(int)
    v, u = smooth(0, 1, y - top)[:, None], smooth(0, 1, x - left)[None, :]
    corner = [[grid[top + i][:, left + j] for j in (0, 1)] for i in (0, 1)]
    upper = corner[0][0] * (1 - u) + corner[0][1] * u
    lower = corner[1][0] * (1 - u) + corner[1][1] * u
    return upper * (1 - v) + lower * v


def fractal(random, height, width, cells_y, cells_x, octaves):
    """Noise of several sizes, from 0 to 1."""
    total, weight, size = np.zeros((height, width)), 0.0, 1.0
    for octave in range(octaves):
        scale = 2**octave
        total += size * noise(random, height, width, cells_y * scale, cells_x * scale)
        weight += size
        size /= 2
    return total / weight


def sky(random, x, y, horizon):
    """Dusk from blue to orange, a low sun, lit clouds and the first stars."""
    height, width = x.shape
    t = np.clip(y / horizon, 0, 1)
    color = mix(np.array([0.05, 0.08, 0.22]), np.array([0.36, 0.24, 0.48]), smooth(0, 0.55, t))
    color = mix(color, np.array([0.98, 0.55, 0.26]), smooth(0.45, 1.0, t))
    sun = np.hypot(x - 1.02, y - 0.5)
    color = color + np.exp(-sun / 0.16)[..., None] * np.array([0.65, 0.42, 0.18])
    clouds = fractal(random, height, width, 9, 4, 6)
    cover = smooth(0.52, 0.72, clouds) * smooth(0.02, 0.2, y) * (1 - smooth(0.42, 0.56, y))
    lit = mix(np.array([0.45, 0.28, 0.42]), np.array([1.0, 0.72, 0.5]),
              smooth(0.1, 0.5, y) * np.exp(-sun))
    color = mix(color, lit, 0.8 * cover)
    color = mix(color, np.array([1.0, 0.95, 0.82]), 1 - smooth(0.055, 0.058, sun))
    for _ in range(90):
        star_x, star_y = random.random() * x.max(), random.random() ** 2 * 0.3
        radius = 0.0008 + 0.0014 * random.random()
        glow = np.exp(-(((x - star_x)**2 + (y - star_y)**2) / radius**2)) * (1 - 2.5 * star_y)
        color = color + (glow * (1 - cover))[..., None]
    return color


def hills(random, color, x, y, horizon):
    """Three ranges, each darker and nearer; the nearest wears a wood."""
    ranges = [(0.10, 3, [0.42, 0.27, 0.42]), (0.065, 5, [0.24, 0.17, 0.32]),
              (0.035, 9, [0.07, 0.07, 0.14])]
    for height, cells, tone in ranges:
        line = fractal(random, 2, x.shape[1], 1, cells, 5)[:1]
        edge = horizon - height * (0.35 + 1.1 * line)
        if height < 0.05:
            trees = np.abs(np.mod(x * 61 + 2 * line, 1) - 0.5)
            edge = edge - 0.022 * (1 - 2 * trees) * (0.5 + line)
        color = mix(color, np.array(tone), smooth(-0.0012, 0.0012, y - edge))
    return color


def water(random, color, x, y, horizon):
    """The sky upside down, broken by waves that grow towards the viewer."""
    height, width = x.shape
    depth = np.clip((y - horizon) / (1 - horizon), 0, 1)
    waves = fractal(random, height, width, 70, 6, 4) - 0.5
    waves += 0.5 * np.sin(x * 40 + 900 * np.sqrt(depth + 0.02)) * (0.2 + depth)
    mirrored = 2 * horizon - y + 0.05 * waves * (0.15 + depth)
    row = np.clip(mirrored * height, 0, horizon * height - 1).astype(int)
    reflection = np.take_along_axis(color, row[..., None], axis=0)
    deep = np.array([0.03, 0.07, 0.14])
    surface = mix(0.85 * reflection, deep, 0.25 + 0.5 * smooth(0, 1, depth))
    path = np.exp(-np.abs(x - 1.02) / (0.03 + 0.12 * depth)) * smooth(0.1, 0.45, waves)
    surface = surface + path[..., None] * np.array([0.9, 0.55, 0.25])
    return np.where((y >= horizon)[..., None], surface, color)


def boat(color, x, y, left, base, size):
    """Two sails with battens, a mast with rigging, a hull: hard edges and lines."""
    u, v = (x - left) / size, (base - y) / size
    soft = 0.6 / (size * x.shape[0])

    def paint(tone, distance):
        return mix(color, np.array(tone), smooth(-soft, soft, distance))

    stripes = 0.06 * (np.mod(v, 0.16) < 0.014)
    sail = np.minimum.reduce([u - 0.03, v - 0.17, 0.62 * (1.5 - v) / 1.33 - u])
    color = mix(color, np.array([0.97, 0.9, 0.78]) - stripes[..., None] * 3, smooth(-soft, soft, sail))
    jib = np.minimum.reduce([-0.03 - u, v - 0.2, u + 0.42 * (1.25 - v) / 1.05])
    color = paint([0.8, 0.23, 0.2], jib)
    color = paint([0.12, 0.08, 0.08], np.minimum.reduce([0.012 - np.abs(u), v, 1.6 - v]))
    stay = np.abs(u + 0.47 * (1.58 - v) / 1.48) - 0.004
    color = paint([0.1, 0.07, 0.08], np.minimum.reduce([-stay, v - 0.1, 1.58 - v]))
    hull = np.minimum.reduce([0.14 - v, v + 0.02, 0.72 - 0.9 * (0.14 - v) - u, u + 0.5])
    color = paint([0.18, 0.07, 0.06], hull)
    line = np.minimum.reduce([0.012 - np.abs(v - 0.1), 0.68 - u, u + 0.5])
    return paint([0.95, 0.85, 0.6], line)


def reeds(random, color, x, y):
    """Thin, bent stalks in front."""
    for _ in range(70):
        foot = random.random() ** 2.2 * 0.62
        length, bend = 0.12 + 0.3 * random.random(), (random.random() - 0.4) * 0.12
        t = np.clip((1.02 - y) / length, 0, 1)
        width = (0.0016 + 0.0022 * random.random()) * (1 - 0.8 * t)
        ear = smooth(0.8, 0.84, t) * (1 - smooth(0.97, 1.0, t)) * (random.random() < 0.4)
        inside = width + 0.0045 * ear - np.abs(x - foot - bend * t * t)
        inside = np.where(t < 1, inside, -1)
        color = mix(color, np.array([0.05, 0.05, 0.04]), smooth(-0.0006, 0.0006, inside))
    return color


def opacity(x, y):
    """1, but for the frame, which fades out softly and has round corners."""
    aspect = x.max()
    reach = 0.09
    dx = np.maximum(np.abs(x - aspect / 2) - (aspect / 2 - reach), 0)
    dy = np.maximum(np.abs(y - 0.5) - (0.5 - reach), 0)
    return 1 - smooth(reach - 0.03, reach, np.hypot(dx, dy))


def make(width, height):
    """The picture as an array of bytes, height x width x 4."""
    random = np.random.default_rng(20)
    y, x = np.mgrid[:height, :width] / height
    horizon = 0.62
    color = sky(random, x, y, horizon)
    color = hills(random, color, x, y, horizon)
    color = water(random, color, x, y, horizon)
    color = boat(color, x, y, 0.62, 0.78, 0.27)
    color = boat(color, x, y, 1.24, 0.66, 0.07)
    color = reeds(random, color, x, y)
    grain = random.normal(0, 0.008, (height, width, 1))
    picture = np.dstack([np.clip(color + grain, 0, 1), opacity(x, y)])
    return np.rint(picture * 255).astype(np.uint8)


def main():
    if len(sys.argv) not in (2, 4):
        sys.exit(__doc__)
    width, height = map(int, sys.argv[2:]) if len(sys.argv) == 4 else (1500, 1000)
    Image.fromarray(make(width, height), "RGBA").save(sys.argv[1])


main()
