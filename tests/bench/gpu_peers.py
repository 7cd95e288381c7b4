#!/usr/bin/python3
# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""gpu_peers.py [WIDTH HEIGHT]: our filters on a GPU against NPP's, CuPy's and PyTorch's.

Kernel times, data on the device, medians of ten calls on pictures of 6000 x 4000 pixels, as a
Markdown table. Ours come from build/tests/bench/bench. Needs CuPy with its copy or the toolkit's of
NPP 13, and PyTorch, which reduces each channel as a plane of its own; CUDA_FILTERS_BUILD names another
build folder than build/.
"""
import ctypes
import math
import statistics
import sys

import cupy
import numpy as np
from cupyx.scipy import ndimage

from picture import floats, gray, ours, photo

REPLICATE, SOBEL, MASK_3X3, NORM_L2 = 2, 0, 200, 2


class Size(ctypes.Structure):
    """NppiSize, and NppiPoint likewise."""
    _fields_ = [("width", ctypes.c_int), ("height", ctypes.c_int)]


class StreamContext(ctypes.Structure):
    """NppStreamContext."""
    _fields_ = [("stream", ctypes.c_void_p), ("device", ctypes.c_int),
                ("multiprocessors", ctypes.c_int), ("threads_per_multiprocessor", ctypes.c_int),
                ("threads_per_block", ctypes.c_int), ("shared_per_block", ctypes.c_size_t),
                ("major", ctypes.c_int), ("minor", ctypes.c_int), ("flags", ctypes.c_uint),
                ("reserved", ctypes.c_int)]


def stream_context():
    about = cupy.cuda.runtime.getDeviceProperties(0)
    return StreamContext(None, 0, about["multiProcessorCount"],
                         about["maxThreadsPerMultiProcessor"], about["maxThreadsPerBlock"],
                         about["sharedMemPerBlock"], about["major"], about["minor"], 0, 0)


def checked(status):
    if status != 0:
        raise RuntimeError(f"status {status}")


class Npp:
    """Calls of NPP on one picture on the device."""

    def __init__(self, picture):
        self.library = ctypes.CDLL("libnppif.so.13")
        self.context = stream_context()
        self.source, self.target = cupy.asarray(picture), cupy.empty(picture.shape, cupy.uint8)
        self.size = Size(picture.shape[1], picture.shape[0])
        self.step = ctypes.c_int(picture.nbytes // picture.shape[0])

    def images(self):
        return (ctypes.c_void_p(self.source.data.ptr), self.step, self.size, Size(0, 0),
                ctypes.c_void_p(self.target.data.ptr), self.step, self.size)

    def canny(self, low, high):
        size = ctypes.c_int64(0)
        checked(self.library.nppiFilterCannyBorderGetBufferSize(self.size, ctypes.byref(size)))
        buffer = cupy.empty(size.value, cupy.uint8)
        return lambda: checked(self.library.nppiFilterCannyBorder_8u_C1R_Ctx(
            *self.images(), SOBEL, MASK_3X3, ctypes.c_int16(low), ctypes.c_int16(high), NORM_L2,
            REPLICATE, ctypes.c_void_p(buffer.data.ptr), self.context))

    def median(self, radius):
        size, mask = ctypes.c_int64(0), Size(2 * radius + 1, 2 * radius + 1)
        checked(self.library.nppiFilterMedianBorderGetBufferSize_8u_C4R_Ctx(
            self.size, mask, ctypes.byref(size), self.context))
        buffer = cupy.empty(max(size.value, 1), cupy.uint8)
        return lambda: checked(self.library.nppiFilterMedianBorder_8u_C4R_Ctx(
            *self.images(), mask, Size(radius, radius), ctypes.c_void_p(buffer.data.ptr), REPLICATE,
            self.context))

    def bilateral(self, sigma, value_sigma):
        """Of three channels, the most that NPP takes; its window is the square around our disc."""
        step, squares = ctypes.c_int(1), (ctypes.c_float(value_sigma ** 2), ctypes.c_float(sigma ** 2))
        return lambda: checked(self.library.nppiFilterBilateralGaussBorder_8u_C3R_Ctx(
            *self.images(), ctypes.c_int(3 * sigma), step, *squares, REPLICATE, self.context))

    def gaussian(self, sigma, radius):
        weights = [math.exp(-(i / sigma) ** 2 / 2) for i in range(-radius, radius + 1)]
        kernel = cupy.asarray([weight / sum(weights) for weight in weights], cupy.float32)
        return lambda: checked(self.library.nppiFilterGaussAdvancedBorder_8u_C4R_Ctx(
            *self.images(), ctypes.c_int(len(weights)), ctypes.c_void_p(kernel.data.ptr), REPLICATE,
            self.context))


def gaussian(picture, sigma):
    source, target = cupy.asarray(picture), cupy.empty_like(cupy.asarray(picture))
    return lambda: ndimage.gaussian_filter(source, (sigma, sigma, 0), mode="nearest", output=target)


def torch_resize(picture, scale):
    import torch  # pylint: disable=import-outside-toplevel  # CuPy suffices for the rest
    planes = torch.as_tensor(picture).cuda().permute(2, 0, 1).contiguous()[None]
    return lambda: torch.nn.functional.interpolate(planes, scale_factor=scale, mode="bicubic",
                                                   antialias=True)


def median_ms(call, calls=10):
    times = []
    for _ in range(calls + 1):
        began, ended = cupy.cuda.Event(), cupy.cuda.Event()
        began.record()
        call()
        ended.record()
        ended.synchronize()
        times.append(cupy.cuda.get_elapsed_time(began, ended))
    return statistics.median(times[1:])


# Our filter, its values and format; who else, and the call on a picture.
ROWS = [
    ("canny", "y-u8", {"sigma": 0}, "NPP", lambda p: Npp(p).canny(70, 130)),
    *(("median-blur", "rgba-u8", {"neighborhood": "square", "radius": radius}, "NPP",
       lambda p, radius=radius: Npp(p).median(radius)) for radius in (1, 2, 3)),
    *(("gaussian-blur", "rgba-u8", {"std-dev-x": sigma, "std-dev-y": sigma}, "NPP",
       lambda p, sigma=sigma: Npp(p).gaussian(sigma, 4 * sigma)) for sigma in (1, 2)),
    ("bilateral-blur", "rgb-u8", {"std-dev": 4, "range-std-dev": 0.1}, "NPP", lambda p: Npp(p).bilateral(4, 25.5)),
    *(("gaussian-blur", "rgba-f32", {"std-dev-x": sigma, "std-dev-y": sigma}, "CuPy",
       lambda p, sigma=sigma: gaussian(p, sigma)) for sigma in (2, 10, 100)),
    ("resize", "rgba-f32", {"scale": 0.5, "interpolation": "bicubic"}, "PyTorch",
     lambda p: torch_resize(p, 0.5)),
]


def main():
    words = sys.argv[1:]
    width, height = map(int, words + ["6000", "4000"][len(words):])
    picture = photo(width, height)
    images = {"rgba": picture, "rgb": np.ascontiguousarray(picture[:, :, :3]), "y": gray(picture)}
    print(f"{width} x {height}, {cupy.cuda.runtime.getDeviceProperties(0)['name'].decode()}\n")
    print("| filter | format | ours | other | | ratio |\n| --- | --- | ---: | --- | ---: | ---: |")
    for name, number_format, values, who, other in ROWS:
        image = images[number_format.partition("-")[0]]
        image = floats(image) if number_format.endswith("f32") else image
        mine = ours("gpu", name, number_format, values, image)["kernel_ms"]
        try:
            theirs = median_ms(other(image))
            cells = f"{theirs:.2f} ms | {mine / theirs:.2f}"
        except (ImportError, OSError, AttributeError, RuntimeError) as problem:
            cells = f"failed: {problem} | –"
        text = " ".join(f"{key}={value}" for key, value in values.items())
        print(f"| {name} {text} | {number_format} | {mine:.2f} ms | {who} | {cells} |", flush=True)


main()
