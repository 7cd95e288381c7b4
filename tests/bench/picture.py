# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""The picture that benchmarks against other programs use, and our own times on it."""
import json
import os
import pathlib
import subprocess
import tempfile

import numpy as np

BUILD = pathlib.Path(os.environ.get("CUDA_FILTERS_BUILD",
                                    pathlib.Path(__file__).resolve().parents[2] / "build"))
BENCH = BUILD / "tests/bench/bench"


def photo(width, height):
    """Smooth parts, edges and grain, as RGBA of 8 bits."""
    y, x = np.mgrid[:height, :width].astype(np.float32)
    planes = [128 + 100 * np.sin(x / 97) * np.cos(y / 61), 255 * x / width,
              np.where((x // 200 + y // 150) % 2 > 0, 40, 210), 255 * y / height]
    grain = np.random.default_rng(1).normal(0, 6, (height, width, 4))
    return np.clip(np.stack(planes, axis=2) + grain, 0, 255).astype(np.uint8)


def gray(picture):
    weights = np.array([0.299, 0.587, 0.114], np.float32)
    return (picture[:, :, :3] @ weights + 0.5).astype(np.uint8)


def floats(picture):
    return picture.astype(np.float32) / 255


def ours(device, name, number_format, values, picture):
    """Our medians in milliseconds, as bench reports them."""
    height, width = picture.shape[:2]
    with tempfile.NamedTemporaryFile() as samples, tempfile.NamedTemporaryFile() as report:
        picture.tofile(samples.name)
        words = [f"{key}={value}" for key, value in values.items()] or ["border=clamp"]
        subprocess.run(
            [BENCH, "--device", device, "--filter", name, "--size", f"{width}x{height}", "--format",
             number_format, "--picture", samples.name, "--json", report.name, *words],
            capture_output=True, check=True)
        return json.load(open(report.name, encoding="utf-8"))[0]
