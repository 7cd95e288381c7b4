# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""How much noise the denoisers take off a picture that is known without it, in dB of PSNR."""
import subprocess
import sys

import numpy as np
import pytest

from ours import SOURCE, engine

DEVIATION = 0.05
# Each filter's best values of a few that were tried, and what it gains with them at least.
GAINS = [
    ("bilateral-blur", {"std-dev": 4, "range-std-dev": 0.1}, 8.2),
    ("guided-filter", {"radius": 2, "epsilon": 0.1}, 7.0),
    ("mean-curvature-blur", {"iterations": 2}, 3.5),
    ("noise-reduction", {"iterations": 4}, 4.7),
    ("non-local-means", {"strength": 0.03, "noise": DEVIATION, "patch-radius": 1, "search-radius": 7}, 9.2),
    ("selective-blur", {"blur-radius": 5, "max-delta": 0.15}, 7.0),
    ("snn-mean", {"radius": 3}, 1.9),
    ("surface-blur", {"radius": 3, "threshold": 25}, 6.2),
    ("wavelet-denoise", {"threshold": 1}, 3.9),
]


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    """The picture of ./demo, smaller and without its transparent corners, and with noise in 8 bits."""
    from PIL import Image
    path = tmp_path_factory.mktemp("noise") / "picture.png"
    subprocess.run([sys.executable, "-B", SOURCE / "data/make_picture.py", path, "480", "320"], check=True)
    clean = np.asarray(Image.open(path).convert("RGBA"))[20:300, 20:460, :3] / 255.0
    noise = np.random.default_rng(7).normal(0, DEVIATION, clean.shape)
    return clean, np.rint(np.clip(clean + noise, 0, 1) * 255).astype(np.uint8)


def _gain(pictures, result):
    """By how much the result is nearer to the clean picture than the one with noise, in dB."""
    clean, codes = pictures
    return 10 * np.log10(((codes / 255 - clean) ** 2).mean() / ((result - clean) ** 2).mean())


def _ours(pictures, tmp_path, name, values):
    return _gain(pictures, engine(tmp_path, name, pictures[1], "srgb", **values) / 255)


@pytest.mark.parametrize("name,values,least", GAINS, ids=[row[0] for row in GAINS])
def test_gains(pictures, tmp_path, name, values, least):
    assert _ours(pictures, tmp_path, name, values) > least


def test_non_local_means_gains_more_than_others_do(pictures, tmp_path):
    """The filters of SciPy, OpenCV and scikit-image, at the best of some strengths each."""
    import cv2
    from scipy import ndimage, signal
    from skimage.restoration import denoise_nl_means
    codes = pictures[1]
    floats = (codes / 255).astype(np.float32)
    others = {
        "Gaussian": [ndimage.gaussian_filter(floats, (s, s, 0)) for s in (0.6, 0.8, 1.0)],
        "Wiener": [np.dstack([signal.wiener(floats[..., c], k, DEVIATION**2) for c in range(3)])
                   for k in (3, 5)],
        "OpenCV's bilateral": [cv2.bilateralFilter(floats, -1, c, 4) for c in (0.2, 0.3)],
        "OpenCV's means": [cv2.fastNlMeansDenoisingColored(codes, None, h, h, 5, 21) / 255 for h in (10, 15)],
        "scikit-image's means": [denoise_nl_means(floats, patch_size=3, patch_distance=7, h=h, sigma=DEVIATION,
                                                  channel_axis=-1) for h in (0.02, 0.03, 0.04)],
    }
    gains = {name: max(_gain(pictures, result) for result in results) for name, results in others.items()}
    name, values, _ = next(row for row in GAINS if row[0] == "non-local-means")
    ours = _ours(pictures, tmp_path, name, values)
    assert ours > max(gains.values()), (ours, gains)
