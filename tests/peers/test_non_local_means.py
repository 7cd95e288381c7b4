# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Non-local means as NumPy adds them up, and beside those of OpenCV."""
import numpy as np
import pytest

from ours import engine, float_picture, rgba

PADDING = {"clamp": "edge", "mirror": "symmetric", "reflect": "reflect", "wrap": "wrap",
           "transparent": "constant"}
LUMA = np.array([0.2126, 0.7152, 0.0722])


def non_local_means(picture, border, strength, noise, patch, search):
    """Σ w·c / Σ w over the search square of a picture of shape (height, width, colors)."""
    height, width = picture.shape[:2]
    margin = patch + search
    wide = np.pad(picture.astype(float), ((margin, margin), (margin, margin), (0, 0)),
                  mode=PADDING[border])

    def moved(dx, dy, beyond):
        """The picture, and so many pixels around it, from so far away."""
        first = margin - beyond
        return wide[first + dy:first + dy + height + 2 * beyond, first + dx:first + dx + width + 2 * beyond]

    total, weights = 0, 0
    for dy in range(-search, search + 1):
        for dx in range(-search, search + 1):
            squares = ((moved(dx, dy, patch) - moved(0, 0, patch)) ** 2).mean(axis=2)
            windows = np.lib.stride_tricks.sliding_window_view(squares, (2 * patch + 1, 2 * patch + 1))
            distance = windows.mean(axis=(2, 3))[..., None]
            weight = np.exp(-np.maximum(distance - 2 * noise ** 2, 0) / strength ** 2)
            total = total + weight * moved(dx, dy, 0)
            weights = weights + weight
    return total / weights


@pytest.mark.parametrize("border", PADDING)
@pytest.mark.parametrize("strength,noise,patch,search", [(0.2, 0, 2, 5), (0.5, 0.2, 1, 4), (0.3, 0.1, 0, 6),
                                                         (0.4, 0, 5, 3), (0.3, 0, 10, 1)])
def test_is_numpys_mean(tmp_path, strength, noise, patch, search, border):
    picture = float_picture(61, 83)
    params = {"strength": strength, "noise": noise, "patch-radius": patch, "search-radius": search,
              "border": border}
    wanted = non_local_means(picture, border, strength, noise, patch, search)
    assert np.abs(engine(tmp_path, "non-local-means", picture, "srgb", **params) - wanted).max() < 1e-5
    assert np.abs(wanted - picture).max() > 0.1

    gray = picture[..., :1]
    wanted = non_local_means(gray, border, strength, noise, patch, search)
    assert np.abs(engine(tmp_path, "non-local-means", gray, "srgb", **params) - wanted).max() < 1e-5

    codes = rgba(picture)
    got = engine(tmp_path, "non-local-means", codes, "srgb", **params)
    wanted = 255 * non_local_means(codes[..., :3] / 255, border, strength, noise, patch, search)
    assert np.abs(got[..., :3] - wanted).max() < 0.501
    assert np.array_equal(got[..., 3], codes[..., 3])


@pytest.mark.parametrize("luma,chroma", [(1, 0), (0, 1), (0.7, 0.4)])
def test_luma_and_chroma_are_parts_of_the_change(tmp_path, luma, chroma):
    picture = float_picture(61, 83)
    params = {"strength": 0.3, "search-radius": 4}
    change = engine(tmp_path, "non-local-means", picture, "srgb", **params) - picture
    brightness = (change @ LUMA)[..., None]
    wanted = picture + luma * brightness + chroma * (change - brightness)
    got = engine(tmp_path, "non-local-means", picture, "srgb", luma=luma, chroma=chroma, **params)
    assert np.abs(got - wanted).max() < 1e-5


def test_what_changes_nothing_keeps_every_bit(tmp_path):
    picture = float_picture(61, 83)
    for params in ({"search-radius": 0}, {"strength": 0}, {"luma": 0, "chroma": 0}):
        assert np.array_equal(engine(tmp_path, "non-local-means", picture, "srgb", **params), picture)


def test_nan_takes_no_part(tmp_path):
    """Pixels whose surroundings hold a NaN stay; others are means of those whose surroundings hold none."""
    picture = float_picture(61, 83)
    picture[30, 40, 1] = np.nan
    got = engine(tmp_path, "non-local-means", picture, "srgb", strength=0.3)
    touched = np.zeros(picture.shape[:2], bool)
    touched[28:33, 38:43] = True
    assert np.array_equal(got[touched], picture[touched], equal_nan=True)
    assert np.isfinite(got[~touched]).all() and (got[~touched] != picture[~touched]).any(axis=-1).all()


def test_takes_more_noise_than_opencv(tmp_path):
    """Of noise of deviation 0.05 on flat areas, edges and stripes, as OpenCV does with the same windows."""
    import cv2
    rng = np.random.default_rng(4)
    y, x = np.mgrid[0:192, 0:256]
    picture = np.stack([0.3 + 0.4 * (x > 128), 0.5 + 0.2 * np.sin(x / 3) * (y > 96),
                        0.2 + 0.5 * ((x // 32 + y // 32) % 2)], axis=-1)
    codes = (np.clip(picture + rng.normal(0, 0.05, picture.shape), 0, 1) * 255).round().astype(np.uint8)

    def error(result):
        return np.sqrt(((result / 255 - picture) ** 2).mean())

    got = engine(tmp_path, "non-local-means", codes, "srgb", strength=0.06, noise=0.05)
    best = min(error(cv2.fastNlMeansDenoisingColored(codes, None, h, h, 5, 21)) for h in (5, 10, 15, 20, 25))
    assert error(got) < best and error(got) < 0.3 * error(codes)
