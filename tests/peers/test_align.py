# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Align plates: the shifts that scikit-image finds, and the picture that NumPy cuts out."""
import numpy as np
import pytest

from ours import engine_and_outputs

WIDTH, HEIGHT = 240, 210


def field(dx, dy):
    """A scene of soft blobs as a plate shows it that must be moved by (dx, dy)."""
    random = np.random.default_rng(8)
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    values = np.full((HEIGHT, WIDTH), 0.5)
    for _ in range(300):
        left, top = random.uniform(-20, WIDTH + 20), random.uniform(-20, HEIGHT + 20)
        sigma, size = random.uniform(1.5, 8), random.uniform(-0.12, 0.12)
        values += size * np.exp(-((x + dx - left)**2 + (y + dy - top)**2) / (2 * sigma**2))
    return values


def plates(first, last, noise=0.0):
    """Three plates of different exposure, as 16-bit codes."""
    random = np.random.default_rng(9)
    made = [0.6 * field(*first), field(0, 0), 0.8 * field(*last)]
    made = [plate + noise * random.standard_normal(plate.shape) for plate in made]
    return [np.rint(np.clip(plate, 0, 1) * 65535).astype(np.uint16) for plate in made]


def aligned(tmp_path, made, **params):
    return engine_and_outputs(tmp_path, "align-plates", np.vstack(made)[:, :, None], "linear",
                               **params)


def skimage_shift(middle, plate, upsample_factor):
    """How far to move the plate, (dx, dy), from the middle of both."""
    from skimage.registration import phase_cross_correlation
    window = np.outer(np.hanning(HEIGHT), np.hanning(WIDTH))
    pair = [(each - each.mean()) * window for each in (middle, plate)]
    # Without the whitening, which would count the noise of every frequency alike.
    found = phase_cross_correlation(*pair, upsample_factor=upsample_factor, normalization=None)
    return found[0][::-1]


@pytest.mark.parametrize("noise", [0.0, 0.05])
@pytest.mark.parametrize("metric", ["correlation", "mse"])
@pytest.mark.parametrize("first,last", [((3, -5), (-7, 11)), ((-14, 2), (13, -9))], ids=str)
def test_whole_shifts_are_skimages(tmp_path, first, last, metric, noise):
    made = plates(first, last, noise)
    _, found = aligned(tmp_path, made, metric=metric)
    for plate, shift, names in ((made[0], first, ("dx1", "dy1")), (made[2], last, ("dx2", "dy2"))):
        ours = [found[name] for name in names]
        assert ours == list(shift)
        assert np.abs(skimage_shift(made[1], plate, 1) - ours).max() <= 1


@pytest.mark.parametrize("subpixel", [4, 16])
def test_shifts_between_pixels_are_skimages(tmp_path, subpixel):
    first, last = (3.25, -5.5), (-7.75, 2.25)
    made = plates(first, last)
    _, found = aligned(tmp_path, made, subpixel=subpixel)
    for plate, shift, names in ((made[0], first, ("dx1", "dy1")), (made[2], last, ("dx2", "dy2"))):
        ours = np.array([found[name] for name in names])
        assert np.abs(ours - shift).max() <= 1 / subpixel
        assert np.abs(skimage_shift(made[1], plate, 16) - ours).max() <= 1 / subpixel + 1 / 8


@pytest.mark.parametrize("order", ["bgr", "rgb"])
def test_picture_is_cut_from_the_scan(tmp_path, order):
    """After whole shifts every sample is one of the scan's."""
    made = plates((3, -5), (-7, 11))
    pixels, _ = aligned(tmp_path, made, order=order, crop_frame="no")
    top, bottom, left, right = 11, HEIGHT - 5, 3, WIDTH - 7
    cut = [plate[top - dy:bottom - dy, left - dx:right - dx]
           for plate, (dx, dy) in zip(made, ((3, -5), (0, 0), (-7, 11)))]
    assert (pixels == np.dstack(cut if order == "rgb" else cut[::-1])).all()
