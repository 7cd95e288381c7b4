# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Dehaze as its definition says, by SciPy's minima and means in double."""
import numpy as np
import pytest

from ours import engine, float_picture

LUMA = np.array([0.2126, 0.7152, 0.0722])


def air_light(picture, radius):
    """The mean of the brightest pixels among the thousandth of the largest dark channel."""
    from scipy import ndimage
    dark = ndimage.minimum_filter(picture.min(axis=2), 2 * radius + 1, mode="nearest")
    limit = np.sort(dark, axis=None)[dark.size - 1 - dark.size // 1000]
    candidates = picture[dark >= limit]
    brightness = candidates @ LUMA
    return candidates[brightness == brightness.max()].mean(axis=0)


def smoothed(guide, values, radius):
    """The guided filter, which looks at 2 · radius pixels more on each side."""
    from scipy import ndimage

    def mean(field):
        return ndimage.uniform_filter(field, 2 * radius + 1, mode="nearest")
    i, p = mean(guide), mean(values)
    a = (mean(guide * values) - i * p) / (mean(guide * guide) - i * i + 0.001)
    return mean(a) * guide + mean(p - a * i)


def dehazed(picture, amount, radius, refine, darkest):
    from scipy import ndimage
    air = air_light(picture, radius)
    margin = 2 * refine
    wide = np.pad(picture, ((margin, margin), (margin, margin), (0, 0)), mode="edge")
    wide = (wide / air).clip(0, 1)
    share = ndimage.minimum_filter(wide.min(axis=2), 2 * radius + 1, mode="nearest")
    transmission = 1 - amount * share
    if refine:
        transmission = smoothed(wide @ LUMA, transmission, refine)
    inner = slice(margin, -margin or None)
    transmission = np.maximum(transmission[inner, inner], darkest)
    return (picture - air) / transmission[..., None] + air


def misty(height, width, seed=1):
    """Colors behind mist that gets thicker to the top, and the same without it."""
    rng = np.random.default_rng(seed)
    clear = np.abs(float_picture(height, width)).clip(0.02, 1).astype(float)
    clear[rng.random((height, width)) < 0.1] *= 0.1
    through = np.linspace(0.15, 0.9, height)[:, None, None]
    mist = np.array([0.7, 0.8, 0.9])
    return (clear * through + mist * (1 - through)).astype(np.float32), clear, mist


@pytest.mark.parametrize("amount,radius,refine,darkest", [
    (0.7, 7, 60, 0.1), (1, 3, 0, 0.1), (0.9, 1, 0, 0.3), (0.95, 20, 5, 0.2), (0.5, 100, 30, 0.01), (1, 2, 1, 0.5)])
def test_dehaze_is_its_definition(tmp_path, amount, radius, refine, darkest):
    picture = misty(181, 207)[0]
    params = {"amount": amount, "radius": radius, "refine": refine, "darkest": darkest}
    wanted = dehazed(picture.astype(float), amount, radius, refine, darkest)
    got = engine(tmp_path, "dehaze", picture, "linear", **params)
    allowed = 1e-5 / max(darkest, 1 - amount) ** 2
    assert np.abs(got - wanted).max() < allowed
    assert np.abs(wanted - picture).max() > 0.03

    codes = (picture.clip(0, 1) * 65535).round().astype(np.uint16)
    wanted = dehazed(codes / 65535.0, amount, radius, refine, darkest).clip(0, 1)
    got = engine(tmp_path, "dehaze", codes, "linear", **params)
    assert np.abs(got / 65535.0 - wanted).max() < allowed + 1 / 65535


def test_dehaze_brings_colors_back(tmp_path):
    """Of known mist, most is gone: the picture comes nearer to the clear one, everywhere."""
    hazy, clear, _ = misty(240, 320)
    got = engine(tmp_path, "dehaze", hazy, "linear", amount=0.95, radius=7, refine=20)
    for rows in np.array_split(np.arange(240), 4):
        was, left = (np.abs(each[rows] - clear[rows]).mean() for each in (hazy, got))
        assert left < 0.6 * was


def test_dehaze_knows_no_brightness(tmp_path):
    """The same picture in four times the light gives four times the result: float images have no white."""
    hazy = misty(90, 120)[0]
    once = engine(tmp_path, "dehaze", hazy, "linear", refine=10)
    assert (engine(tmp_path, "dehaze", 4 * hazy, "linear", refine=10) == 4 * once).all()


def test_what_is_no_number_changes_nothing_else(tmp_path):
    """Single NaNs and infinities keep to their pixels, and to where those of the dark channel were the least."""
    hazy = misty(90, 120)[0]
    wanted = engine(tmp_path, "dehaze", hazy, "linear", refine=0)
    broken = hazy.copy()
    broken[40, 50, 1], broken[10, 100, :], broken[70, 20, 0] = np.nan, np.nan, np.inf
    got = engine(tmp_path, "dehaze", broken, "linear", refine=0)
    assert np.isnan(got[10, 100]).all() and np.isnan(got[40, 50, 1]) and got[70, 20, 0] == np.inf
    touched = np.zeros((90, 120), bool)
    for y, x in (40, 50), (10, 100), (70, 20):
        touched[y - 7:y + 8, x - 7:x + 8] = True
    assert (got[~touched] == wanted[~touched]).all()
    assert np.isfinite(got).sum() == got.size - 5
    smooth = engine(tmp_path, "dehaze", broken, "linear", refine=20)
    assert np.isfinite(smooth).sum() == got.size - 5


@pytest.mark.parametrize("params", [{"amount": 0}, {"darkest": 1, "refine": 0}])
def test_dehaze_without_effect(tmp_path, params):
    hazy = misty(50, 60)[0]
    assert (engine(tmp_path, "dehaze", hazy, "srgb", **params) == hazy).all()
    black = np.zeros((50, 60, 3), np.float32)
    assert (engine(tmp_path, "dehaze", black, "srgb") == black).all()
