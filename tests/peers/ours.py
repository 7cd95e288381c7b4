# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Our filters as the peers' tests call them, and pictures to call them with."""
import os
import pathlib
import subprocess

import numpy as np

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("CUDA_FILTERS_BUILD", "build"))
SCIPY_MODES = {"clamp": "nearest", "mirror": "reflect", "reflect": "mirror", "wrap": "wrap",
               "transparent": "constant"}


def engine(tmp_path, name, image, encoding, **params):
    """Applies one of our filters to an array of shape (height, width, channels)."""
    return engine_and_outputs(tmp_path, name, image, encoding, **params)[0]


def engine_and_outputs(tmp_path, name, image, encoding, **params):
    """The same, and the numbers that the filter found, by their names."""
    types = {"uint8": "u8", "uint16": "u16", "float16": "f16", "float32": "f32"}
    models = {1: "y", 2: "ya", 3: "rgb", 4: "rgba"}
    height, width, channels = image.shape
    source, result = tmp_path / "in.raw", tmp_path / "out.raw"
    np.ascontiguousarray(image).tofile(source)
    done = subprocess.run(
        [BUILD / "tests/tool/apply", name, "--width", str(width), "--height", str(height),
         "--format", f"{models[channels]}-{types[image.dtype.name]}", "--encoding", encoding,
         source, result, *(f"{k.replace('_', '-')}={v}" for k, v in params.items())],
        check=True, stdout=subprocess.PIPE)
    width, height, *found = done.stdout.decode().split()
    pixels = np.fromfile(result, image.dtype).reshape(int(height), int(width), -1)
    return pixels, dict(zip(found[::2], map(float, found[1::2])))


def exact_conversions(tmp_path):
    """The variables of a GEGL that converts exactly.

    By itself it converts in the ways that were fastest when it first looked, and remembers them.
    """
    return {**os.environ, "BABL_TOLERANCE": "0", "XDG_CACHE_HOME": str(tmp_path.parent / "exact")}


def gegl(tmp_path, operation, image, *properties):
    """Applies an operation of GEGL to 8-bit RGBA and returns it in codes, with fractions."""
    import cv2
    cv2.imwrite(str(tmp_path / "in.png"), image[..., [2, 1, 0, 3]])
    subprocess.run(["gegl", tmp_path / "in.png", "-o", tmp_path / "out.png", "--", operation,
                    *properties], env=exact_conversions(tmp_path), check=True)
    out = cv2.imread(str(tmp_path / "out.png"), cv2.IMREAD_UNCHANGED)
    # Some operations enlarge the image to all sides.
    y, x = ((big - small) // 2 for big, small in zip(out.shape, image.shape[:2]))
    out = out[y:y + image.shape[0], x:x + image.shape[1], [2, 1, 0, 3]]
    return out / (257.0 if out.dtype == np.uint16 else 1.0)


def float_picture(height=211, width=307):
    """A float picture with smooth parts, edges and noise; values beyond 0 … 1 too."""
    rng = np.random.default_rng(5)
    y, x = np.mgrid[0:height, 0:width] / 211.0
    smooth = np.stack([np.sin(9 * x) * y, x * y, np.cos(7 * x * y)], axis=-1)
    edges = ((x * 7).astype(int) + (y * 5).astype(int)) % 2
    return (smooth + edges[..., None] + rng.normal(0, 0.2, smooth.shape)).astype(np.float32)


def rgba(picture):
    """The picture as 8-bit codes with a ramp of alpha, nothing and all included."""
    colors = np.clip(picture * 200, 0, 255)
    alpha = np.broadcast_to(np.linspace(-40, 300, picture.shape[1]).clip(0, 255),
                            picture.shape[:2])
    return np.dstack([colors, alpha]).astype(np.uint8)
