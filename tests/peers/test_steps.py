# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Filters that go the same small step again and again, as GEGL and NumPy compute them."""
import shutil

import numpy as np
import pytest

from ours import engine, float_picture, gegl, rgba

needs_gegl = pytest.mark.skipif(shutil.which("gegl") is None,
                                reason="the command gegl is not installed")


def in_16_bits(image):
    """More codes than those of 8 bits, between them."""
    rng = np.random.default_rng(8)
    fine = image.astype(np.uint16) * 256 + rng.integers(0, 256, image.shape, np.uint16)
    fine[..., 3] = image[..., 3] * np.uint16(257)
    return fine


def mean_curvature_motion(u, iterations):
    """Of a picture whose pixels at the ends are repeated, once for all iterations."""
    u = np.pad(u.astype(float), ((iterations, iterations), (iterations, iterations), (0, 0)),
               mode="edge")
    for _ in range(iterations):
        center = u[1:-1, 1:-1]
        left, right, above, below = u[1:-1, :-2], u[1:-1, 2:], u[:-2, 1:-1], u[2:, 1:-1]
        x, y = right - left, below - above
        xx, yy = right + left - 2 * center, below + above - 2 * center
        xy = ((u[2:, 2:] + u[:-2, :-2]) - (u[:-2, 2:] + u[2:, :-2])) / 4
        square = x * x + y * y
        along = x * x * yy + y * y * xx - 2 * x * y * xy
        u = center + np.divide(0.25 * along, square, out=np.zeros_like(along), where=square > 0)
    return u


@needs_gegl
@pytest.mark.parametrize("bits", [8, 16])
@pytest.mark.parametrize("iterations", [1, 2, 5, 20, 60, 200])
def test_mean_curvature_blur_is_gegls(tmp_path, iterations, bits):
    """To the ends of the picture, which are repeated before the first step, not before each."""
    image = rgba(float_picture() + 0.1)
    if bits == 16:
        image = in_16_bits(image)
    wanted = gegl(tmp_path, "mean-curvature-blur", image, f"iterations={iterations}")
    got = engine(tmp_path, "mean-curvature-blur", image, "srgb", iterations=iterations)
    # GEGL's is stored with 16 bits.
    if bits == 8:
        assert np.abs(got - wanted).max() <= 0.51
    else:
        assert np.abs(got - wanted * 257).max() <= 1.01
    assert np.array_equal(got[..., 3], image[..., 3])


@pytest.mark.parametrize("iterations", [1, 3, 10])
def test_mean_curvature_blur_is_numpys(tmp_path, iterations):
    picture = float_picture()
    wanted = mean_curvature_motion(picture, iterations)
    got = engine(tmp_path, "mean-curvature-blur", picture, "srgb", iterations=iterations)
    difference = np.abs(got - wanted)
    assert np.percentile(difference, 99.9) <= 1e-4 and difference.max() <= 1e-2


def test_mean_curvature_blur_shrinks_discs_and_keeps_straight_edges(tmp_path):
    y, x = np.mgrid[-40:41, -40:41]
    radius = 12.0
    disc = np.clip(radius - np.hypot(x, y) + 0.5, 0, 1)[..., None].repeat(3, 2).astype(np.float32)
    # The radius falls as r² - 2 · t, of time ¼ a step.
    steps = 160
    got = engine(tmp_path, "mean-curvature-blur", disc, "srgb", iterations=steps)
    area = got[..., 0].sum()
    assert abs(area - np.pi * (radius ** 2 - 2 * steps / 4)) <= 0.1 * area
    edge = np.broadcast_to((x > 3)[..., None], disc.shape).astype(np.float32)
    assert np.array_equal(engine(tmp_path, "mean-curvature-blur", edge, "srgb", iterations=50), edge)
