# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Local contrast from its definition, a pyramid for every value, with OpenCV's pyrDown() and pyrUp()."""
import numpy as np
import pytest

from ours import engine

VALUES = [(0.5, 0.2, 1, 1), (2, 0.3, 1, 1), (-1, 0.05, 1, 1), (0.5, 0.2, 0.4, 0.6), (0, 0.1, 3, 0),
          (1, 0.01, 1, 1), (1, 1, 2, 2)]
SHARES = np.array([0.2126, 0.7152, 0.0722])


def reduced(level):
    import cv2
    return cv2.pyrDown(level, borderType=cv2.BORDER_REPLICATE)


def expanded(level, shape):
    """pyrUp() knows one border only: what lies beyond is put around before, and cut off then."""
    import cv2
    bordered = cv2.copyMakeBorder(level, 2, 2, 2, 2, cv2.BORDER_REPLICATE)
    return cv2.pyrUp(bordered)[4:4 + shape[0], 4:4 + shape[1]]


def gaussian(picture):
    levels = [picture]
    while max(levels[-1].shape) > 1:
        levels.append(reduced(levels[-1]))
    return levels


def laplacian(picture):
    levels = gaussian(picture)
    return [fine - expanded(coarse, fine.shape) for fine, coarse in zip(levels, levels[1:])]


def remapped(picture, g, amount, edge, shadows, highlights):
    c = picture - g
    h = np.where(c > edge, edge + highlights * (c - edge), c)
    h = np.where(c < -edge, -edge + shadows * (c + edge), h)
    return g + h + amount * c * np.exp(-3 * c ** 2 / (2 * edge ** 2))


def exact(picture, *values):
    guide = gaussian(picture)
    if len(guide) == 1:
        return picture
    result = [np.zeros_like(level) for level in guide[:-1]] + [guide[-1]]
    for g in np.unique(np.concatenate([level.ravel() for level in guide[:-1]])):
        for level, found, coefficients in zip(guide, result, laplacian(remapped(picture, g, *values))):
            found[level == g] = coefficients[level == g]
    for fine, coarse in reversed(list(zip(result, result[1:]))):
        fine += expanded(coarse, fine.shape)
    return result[0]


def ours(tmp_path, picture, *values):
    image = picture if picture.ndim == 3 else picture[..., None]
    out = engine(tmp_path, "local-contrast", image, "srgb",
                 **dict(zip(("amount", "edge", "shadows", "highlights"), values)))
    return out.reshape(picture.shape)


def slopes(height, width, seed=3):
    """Waves, an outline and noise."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:height, 0:width].astype(float)
    values = 0.4 + 0.2 * np.sin(x / 5) * np.cos(y / 7) + 0.3 * (x + y > height) + rng.normal(0, 0.04, x.shape)
    return values.clip(0, 1).astype(np.float32)


def noise(height, width):
    return np.random.default_rng(1).random((height, width)).astype(np.float32)


@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("picture", [slopes(31, 44), noise(29, 23)], ids=["slopes", "noise"])
def test_gray_is_the_definitions(tmp_path, picture, values):
    wanted = exact(picture.astype(float), *values)
    got = ours(tmp_path, picture, *values)
    changed = np.abs(wanted - picture).max()
    assert np.abs(got - wanted).max() < min(2e-3, changed / 5)


@pytest.mark.parametrize("size", [(1, 1), (1, 9), (9, 1), (2, 2), (3, 40), (17, 16)])
def test_every_size(tmp_path, size):
    picture, values = noise(*size), (1, 0.3, 0.5, 0.5)
    assert np.abs(ours(tmp_path, picture, *values) - exact(picture.astype(float), *values)).max() < 2e-3


def test_bytes_are_the_definitions(tmp_path):
    picture = (slopes(33, 47) * 255).round().astype(np.uint8)
    wanted = exact(picture / 255, 0.8, 0.15, 0.6, 0.8).clip(0, 1) * 255
    assert np.abs(ours(tmp_path, picture, 0.8, 0.15, 0.6, 0.8) - wanted).max() < 0.5 + 2e-3 * 255


def test_colors_are_scaled_with_luminance(tmp_path):
    colors = np.random.default_rng(2).random((24, 35, 3)).astype(np.float32) * 0.6 + 0.2
    luminance = colors.astype(float) @ SHARES
    got = ours(tmp_path, colors, 1, 0.2, 0.5, 0.5).astype(float)
    assert np.abs(got @ SHARES - exact(luminance, 1, 0.2, 0.5, 0.5)).max() < 2e-3
    ratio = got / colors
    assert np.abs(ratio / ratio[..., :1] - 1).max() < 1e-5


def test_an_outline_stays_without_halos(tmp_path):
    """And a flat picture does not change at all."""
    step = np.where(np.arange(64) < 30, 0.2, 0.8).astype(np.float32) + np.zeros((48, 1), np.float32)
    assert np.abs(ours(tmp_path, step, 1, 0.1, 1, 1) - step).max() < 0.02
    flat = np.full((30, 40), 0.3, np.float32)
    assert np.array_equal(ours(tmp_path, flat, 2, 0.1, 0, 3), flat)


def test_floats_keep_what_is_beyond(tmp_path):
    """What lies beyond 0 … 1 stays as far beyond, and what is no number stays and counts as black."""
    picture = slopes(40, 50)
    picture[10, 10], picture[20, 20], picture[30, 30], picture[35, 40] = 1, 0, 0, 0
    beyond = picture.copy()
    beyond[10, 10], beyond[20, 20], beyond[30, 30], beyond[35, 40] = 3.5, -2, np.nan, np.inf
    got, less = (ours(tmp_path, each, 1, 0.2, 0.5, 0.5) for each in (beyond, picture))
    assert abs(got[10, 10] - less[10, 10] - 2.5) < 1e-6 and abs(got[20, 20] - less[20, 20] + 2) < 1e-6
    assert np.isnan(got[30, 30]) and got[35, 40] == np.inf and np.isfinite(got).sum() == got.size - 2
    for place in ((10, 10), (20, 20), (30, 30), (35, 40)):
        got[place] = less[place]
    assert np.array_equal(got, less)
