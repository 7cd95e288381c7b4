# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Filters of the wavelet transform à trous as SciPy computes it."""
import numpy as np
import pytest

from ours import engine, float_picture

PADDING = {"clamp": "edge", "mirror": "symmetric", "reflect": "reflect", "wrap": "wrap",
           "transparent": "constant"}
LUMA = np.array([0.2126, 0.7152, 0.0722])


def smoothed(picture, levels, border):
    """The picture and what is left of it after each level, of a picture that goes on as `border` says."""
    from scipy import ndimage
    margin = 2 * (2 ** levels - 1)
    pictures = [np.pad(picture.astype(float), ((margin, margin), (margin, margin), (0, 0)),
                       mode=PADDING[border])]
    for level in range(levels):
        kernel = np.zeros(4 * 2 ** level + 1)
        kernel[::2 ** level] = np.array([1, 4, 6, 4, 1]) / 16
        pictures.append(ndimage.convolve(
            ndimage.convolve(pictures[-1], kernel[:, None, None]), kernel[None, :, None]))
    return [each[margin:-margin, margin:-margin] for each in pictures]


def equalized(picture, gains, residual, border):
    smooth = smoothed(picture, len(gains), border)
    return residual * smooth[-1] + sum(gain * (fine - coarse)
                                       for gain, fine, coarse in zip(gains, smooth, smooth[1:]))


@pytest.mark.parametrize("border", PADDING)
@pytest.mark.parametrize("gains,residual", [((1.5, 1.7, 1.2, 1, 1, 1), 1), ((0, 2, 1, 0.5, 3, 10), 0.7),
                                            ((0, 0, 0, 0, 0, 0), 1), ((1, 1, 1, 1, 1, 1), 2)])
def test_wavelet_equalizer_is_scipys(tmp_path, gains, residual, border):
    picture = float_picture(149, 181)
    params = {f"gain-{k + 1}": gain for k, gain in enumerate(gains)} | {"residual": residual,
                                                                        "border": border}
    allowed = 3e-6 * max(1, *gains, residual) * max(1, np.abs(picture).max())
    wanted = equalized(picture, gains, residual, border)
    got = engine(tmp_path, "wavelet-equalizer", picture, "srgb", **params)
    assert np.abs(got - wanted).max() < allowed

    got = engine(tmp_path, "wavelet-equalizer", picture, "srgb", channel="luma", **params)
    luma = picture @ LUMA
    wanted = picture + (equalized(luma[..., None], gains, residual, border) - luma[..., None])
    assert np.abs(got - wanted).max() < allowed

    codes = (np.clip(picture, 0, 1) * 255).astype(np.uint8)
    got = engine(tmp_path, "wavelet-equalizer", codes, "srgb", **params)
    wanted = np.clip(equalized(codes, gains, residual, border), 0, 255)
    assert np.abs(got - wanted).max() < 0.501
