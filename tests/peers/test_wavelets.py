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


def shrunk(details, threshold, softness):
    """Gao's and Bruce's firm shrinkage."""
    sizes = np.abs(details)
    if softness == 1:
        left = np.maximum(sizes - threshold, 0)
    elif softness == 0:
        left = np.where(sizes > threshold, sizes, 0)
    else:
        left = np.clip((sizes - threshold) / softness, 0, sizes)
    return np.sign(details) * left


def denoised(picture, threshold, levels, softness, border):
    """What SciPy, and the deviations of the details of a random picture, make of Y', Cb and Cr."""
    weights = np.array([LUMA, (-LUMA + [0, 0, 1]) / 1.8556, (-LUMA + [1, 0, 0]) / 1.5748])
    point = np.zeros((4 * 2 ** levels + 1,) * 2 + (1,))
    point[2 * 2 ** levels, 2 * 2 ** levels] = 1
    responses = smoothed(point, levels, "transparent")
    gains = [np.sqrt(((fine - coarse) ** 2).sum()) for fine, coarse in zip(responses, responses[1:])]
    smooth = smoothed(picture.astype(float) @ weights.T, levels, border)
    details = [fine - coarse for fine, coarse in zip(smooth, smooth[1:])]
    noise = np.median(np.abs(details[0]), axis=(0, 1)) / 0.6744897501960817
    result = smooth[-1] + sum(shrunk(each, threshold * noise * gain / gains[0], softness)
                              for each, gain in zip(details, gains))
    return result @ np.linalg.inv(weights).T


@pytest.mark.parametrize("border", ["clamp", "mirror", "wrap"])
@pytest.mark.parametrize("threshold,levels,softness", [(1.5, 5, 1), (3, 4, 0.5), (2, 3, 0), (10, 6, 0.9)])
def test_wavelet_denoise_is_scipys(tmp_path, threshold, levels, softness, border):
    picture = float_picture(149, 181)
    params = {"threshold": threshold, "levels": levels, "softness": softness, "border": border}
    wanted = denoised(picture, threshold, levels, softness, border)
    got = engine(tmp_path, "wavelet-denoise", picture, "srgb", **params)
    assert np.abs(got - wanted).max() < 1e-5 * max(1, 1 / softness if softness else 1)
    assert np.abs(got - picture).max() > 0.1


def test_wavelet_denoise_finds_the_noise(tmp_path):
    """Of a smooth picture, most of the noise is gone afterwards, however strong it is."""
    rng = np.random.default_rng(3)
    y, x = np.mgrid[0:200, 0:240] / 200.0
    smooth = np.stack([x, y, x * y], axis=-1) * 0.5 + 0.2
    for deviation in (0.005, 0.02, 0.1):
        noisy = (smooth + rng.normal(0, deviation, smooth.shape)).astype(np.float32)
        got = engine(tmp_path, "wavelet-denoise", noisy, "srgb", threshold=3)
        assert (got - smooth).std() < 0.25 * deviation
