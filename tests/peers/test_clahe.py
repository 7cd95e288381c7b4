# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Local equalization as OpenCV's createCLAHE() does it, and what it is of other pictures."""
import numpy as np
import pytest

from ours import engine

SIZES = [(211, 307), (64, 96), (65, 96), (1, 1), (7, 5), (400, 1200)]
TILES = [(8, 8), (3, 5), (1, 1), (16, 2)]


def gray(height, width, dtype, seed=3):
    """Slopes, waves and noise, as codes."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:height, 0:width].astype(float)
    values = 0.3 + 0.2 * np.sin(x / 17) * np.cos(y / 11) + x / width / 4
    values += rng.normal(0, 0.04, values.shape)
    return (values.clip(0, 1) * np.iinfo(dtype).max).round().astype(dtype)


def opencvs(picture, tiles, clip_limit):
    import cv2
    return cv2.createCLAHE(clip_limit, tiles).apply(picture)


def ours(tmp_path, picture, tiles, clip_limit, **params):
    image = picture if picture.ndim == 3 else picture[..., None]
    out = engine(tmp_path, "clahe", image, "srgb", tiles_x=tiles[0], tiles_y=tiles[1],
                 clip_limit=clip_limit, **params)
    return out.reshape(picture.shape)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("size", SIZES)
def test_gray_is_opencvs_bit_for_bit(tmp_path, size, dtype):
    for number, tiles in enumerate(TILES):
        for clip_limit in (0, 2, (0.01, 3.3, 40, 100)[number]):
            picture = gray(*size, dtype, seed=number)
            wanted = opencvs(picture, tiles, clip_limit)
            mode = ("luminance", "channels")[number % 2]
            got = ours(tmp_path, picture, tiles, clip_limit, mode=mode)
            assert np.array_equal(got, wanted), (tiles, clip_limit, mode)
    assert picture.size < 100 or (wanted != picture).mean() > 0.5


@pytest.mark.parametrize("dtype,clip_limit", [(np.uint8, 2), (np.uint16, 0)])
def test_as_many_tiles_as_there_may_be(tmp_path, dtype, clip_limit):
    picture = gray(100, 150, dtype)
    assert np.array_equal(ours(tmp_path, picture, (64, 64), clip_limit),
                          opencvs(picture, (64, 64), clip_limit))


def test_noise_is_opencvs(tmp_path):
    for dtype in (np.uint8, np.uint16):
        noise = np.random.default_rng(1).integers(0, np.iinfo(dtype).max + 1, (130, 170), dtype)
        assert np.array_equal(ours(tmp_path, noise, (8, 8), 2), opencvs(noise, (8, 8), 2))


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_each_channel_is_opencvs_gray_picture(tmp_path, dtype):
    """And alpha stays as it is, of which only 0 takes pixels out."""
    picture = np.dstack([gray(123, 201, dtype, seed) for seed in range(4)])
    picture[..., 3] = np.maximum(picture[..., 3], 1)
    got = ours(tmp_path, picture, (5, 4), 3, mode="channels")
    assert np.array_equal(got[..., 3], picture[..., 3])
    for c in range(3):
        assert np.array_equal(got[..., c], opencvs(np.ascontiguousarray(picture[..., c]), (5, 4), 3))


def test_a_gray_picture_of_colors_is_opencvs(tmp_path):
    picture = gray(90, 140, np.uint8)
    got = ours(tmp_path, np.dstack([picture] * 3), (8, 8), 2)
    assert (got == opencvs(picture, (8, 8), 2)[..., None]).all()


def test_the_luminance_of_colors_becomes_opencvs(tmp_path):
    """In floats, whose colors are scaled with it."""
    colors = np.random.default_rng(2).random((150, 210, 3)).astype(np.float32) * 0.7 + 0.05
    colors *= np.linspace(0.2, 1, 210, dtype=np.float32)[:, None]
    shares = np.array([0.2126, 0.7152, 0.0722])
    luminance = colors.astype(float) @ shares
    wanted = opencvs((luminance * 65535).round().astype(np.uint16), (4, 3), 0) / 65535
    got = ours(tmp_path, colors, (4, 3), 0)
    # (A code that is as near to two luminances makes a difference of one pixel's share.)
    assert np.abs(got.astype(float) @ shares - wanted).max() < 1e-3
    assert np.median(np.abs(got.astype(float) @ shares - wanted)) < 1e-6
    ratio = got.astype(float) / colors
    assert np.abs(ratio / ratio[..., :1] - 1).max() < 1e-5


def test_what_is_transparent_does_not_count(tmp_path):
    """A picture whose hidden half is black is that whose hidden half is white."""
    picture = np.dstack([gray(80, 120, np.uint8)] * 4)
    picture[..., 3] = np.where(np.arange(120) < 50, 0, 255)
    other = picture.copy()
    picture[:, :50, :3], other[:, :50, :3] = 0, 255
    got, same = (ours(tmp_path, each, (3, 2), 2) for each in (picture, other))
    assert np.array_equal(got[:, 50:], same[:, 50:])
    opaque = ours(tmp_path, np.ascontiguousarray(picture[..., :3]), (3, 2), 2)
    assert not np.array_equal(got[:, 50:, :3], opaque[:, 50:])


def test_floats_keep_what_is_beyond(tmp_path):
    """What lies beyond 0 … 1 stays as far beyond, and what is no number stays."""
    picture = gray(60, 70, np.uint16).astype(np.float32) / 65535
    picture[10, 10], picture[20, 20], picture[30, 30], picture[40, 40] = 1, 0, np.nan, np.inf
    beyond = picture.copy()
    beyond[10, 10], beyond[20, 20] = 3.5, -2
    got, less = ours(tmp_path, beyond, (2, 2), 2), ours(tmp_path, picture, (2, 2), 2)
    assert abs(got[10, 10] - less[10, 10] - 2.5) < 1e-6 and abs(got[20, 20] - less[20, 20] + 2) < 1e-6
    assert np.isnan(got[30, 30]) and got[40, 40] == np.inf and np.isfinite(got).sum() == got.size - 2
    got[10, 10], got[20, 20] = less[10, 10], less[20, 20]
    assert np.array_equal(got, less, equal_nan=True)
