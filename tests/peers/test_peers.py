# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""The same filters as other people compute them: SciPy, OpenCV and GEGL."""
import os
import pathlib
import shutil
import subprocess

import numpy as np
import pytest

BUILD = pathlib.Path(os.environ.get("CUDA_FILTERS_BUILD", "build"))
SCIPY_MODES = {"clamp": "nearest", "mirror": "reflect", "reflect": "mirror", "wrap": "wrap",
               "transparent": "constant"}


def engine(tmp_path, name, image, encoding, **params):
    """Applies one of our filters to an array of shape (height, width, channels)."""
    types = {"uint8": "u8", "uint16": "u16", "float16": "f16", "float32": "f32"}
    models = {1: "y", 2: "ya", 3: "rgb", 4: "rgba"}
    height, width, channels = image.shape
    source, result = tmp_path / "in.raw", tmp_path / "out.raw"
    np.ascontiguousarray(image).tofile(source)
    subprocess.run(
        [BUILD / "tests/tool/apply", name, "--width", str(width), "--height", str(height),
         "--format", f"{models[channels]}-{types[image.dtype.name]}", "--encoding", encoding,
         source, result, *(f"{k.replace('_', '-')}={v}" for k, v in params.items())],
        check=True)
    return np.fromfile(result, image.dtype).reshape(image.shape)


@pytest.fixture
def picture():
    """A float picture with smooth parts, edges and noise; values beyond 0 … 1 too."""
    rng = np.random.default_rng(5)
    y, x = np.mgrid[0:211, 0:307] / 211.0
    smooth = np.stack([np.sin(9 * x) * y, x * y, np.cos(7 * x * y)], axis=-1)
    edges = ((x * 7).astype(int) + (y * 5).astype(int)) % 2
    return (smooth + edges[..., None] + rng.normal(0, 0.2, smooth.shape)).astype(np.float32)


def rgba(picture):
    """The picture as 8-bit codes with a ramp of alpha, nothing and all included."""
    colors = np.clip(picture * 200, 0, 255)
    alpha = np.broadcast_to(np.linspace(-40, 300, picture.shape[1]).clip(0, 255),
                            picture.shape[:2])
    return np.dstack([colors, alpha]).astype(np.uint8)


@pytest.mark.parametrize("border", [b for b in SCIPY_MODES if b != "transparent"])
@pytest.mark.parametrize("sigma", [(0.6, 2.5), (5, 5), (9, 12), (31, 8)])
def test_gaussian_blur_is_scipys(tmp_path, picture, sigma, border):
    from scipy import ndimage
    wanted = picture.astype(np.float64)
    for axis, s in ((1, sigma[0]), (0, sigma[1])):
        wanted = ndimage.gaussian_filter1d(wanted, s, axis, mode=SCIPY_MODES[border], truncate=8)
    got = engine(tmp_path, "gaussian-blur", picture, "linear", std_dev_x=sigma[0],
                 std_dev_y=sigma[1], border=border)
    assert np.abs(got - wanted).max() <= (2e-5 if max(sigma) <= 10 else 2e-4)


@pytest.mark.parametrize("sigma", [1.5, 4, 10])
def test_gaussian_blur_is_opencvs(tmp_path, picture, sigma):
    import cv2
    wanted = cv2.GaussianBlur(picture, (0, 0), sigma, borderType=cv2.BORDER_REFLECT)
    got = engine(tmp_path, "gaussian-blur", picture, "linear", std_dev_x=sigma, std_dev_y=sigma,
                 border="mirror")
    # OpenCV cuts its bell off at 4 sigma: 6e-5 of the weights lie beyond.
    assert np.abs(got - wanted).max() <= 4e-4


def test_gaussian_blur_of_31_by_31_is_the_truncated_kernels(tmp_path, picture):
    import cv2
    wanted = cv2.GaussianBlur(picture, (31, 31), 5, borderType=cv2.BORDER_REPLICATE)
    got = engine(tmp_path, "gaussian-blur", picture, "linear", std_dev_x=5, std_dev_y=5)
    assert np.abs(got - wanted).max() <= 1e-2


@pytest.mark.parametrize("sigma", [2, 10])
def test_gaussian_blur_is_gegls(tmp_path, picture, sigma):
    """GIMP's own blur, in linear light and weighted by alpha."""
    import cv2
    if shutil.which("gegl") is None:
        pytest.skip("the command gegl is not installed")
    image = rgba(picture)
    cv2.imwrite(str(tmp_path / "in.png"), image[..., [2, 1, 0, 3]])
    subprocess.run(["gegl", tmp_path / "in.png", "-o", tmp_path / "out.png", "--",
                    "gaussian-blur", f"std-dev-x={sigma}", f"std-dev-y={sigma}", "filter=fir",
                    "clip-extent=true", "abyss-policy=clamp"], check=True)
    wanted = cv2.imread(str(tmp_path / "out.png"), cv2.IMREAD_UNCHANGED)
    step = 257.0 if wanted.dtype == np.uint16 else 1.0
    wanted = wanted[..., [2, 1, 0, 3]] / step
    got = engine(tmp_path, "gaussian-blur", image, "srgb", std_dev_x=sigma, std_dev_y=sigma)
    opaque = got[..., 3] >= 16  # below, a code of alpha is many of colour
    difference = np.abs(got.astype(float) - wanted)
    assert difference[..., 3].max() <= 1.5
    assert difference[opaque].max() <= 2.5


MATRICES = {
    "sharpen": np.array([[0, -1, 0], [-1, 5, -1], [0, -1, 0]]),
    "sobel": np.array([[1, 0, -1], [2, 0, -2], [1, 0, -1]]),
    "row": np.array([[1, 2, 3, 4, 5]]),
    "random 7x5": np.random.default_rng(1).normal(size=(5, 7)).round(3),
    "random 127x3": np.random.default_rng(2).normal(size=(3, 127)).round(3),
}


@pytest.mark.parametrize("border", SCIPY_MODES)
@pytest.mark.parametrize("matrix", MATRICES.values(), ids=MATRICES.keys())
def test_convolution_matrix_is_scipys(tmp_path, picture, matrix, border):
    from scipy import ndimage
    text = ";".join(",".join(str(v) for v in row) for row in matrix)
    wanted = ndimage.correlate(picture.astype(np.float64), matrix[..., None].astype(np.float64),
                               mode=SCIPY_MODES[border])
    got = engine(tmp_path, "convolution-matrix", picture, "srgb", matrix=text, divisor=2,
                 offset=0.25, alpha_weighting="no", border=border)
    assert np.abs(got - (wanted / 2 + 0.25)).max() <= 1e-5 * np.abs(matrix).sum()


def test_convolution_matrix_is_opencvs(tmp_path, picture):
    import cv2
    matrix = MATRICES["random 7x5"]
    text = ";".join(",".join(str(v) for v in row) for row in matrix)
    wanted = cv2.filter2D(picture, -1, matrix.astype(np.float32), borderType=cv2.BORDER_REPLICATE)
    got = engine(tmp_path, "convolution-matrix", picture, "srgb", matrix=text)
    assert np.abs(got - wanted).max() <= 1e-5 * np.abs(matrix).sum()


def test_invert_is_numpys(tmp_path, picture):
    image = rgba(picture)
    wanted = image.copy()
    wanted[..., :3] = 255 - wanted[..., :3]
    assert np.array_equal(engine(tmp_path, "invert", image, "srgb"), wanted)
