#!/usr/bin/python3
# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""peers.py [FILTER...] [WIDTH HEIGHT [CALLS]]: our filters on the CPU against those of others.

It prints medians of five calls on pictures of 3000 x 2000 pixels, as a Markdown table, of all filters
that are compared, or of those that are named. Ours: a call of the engine, from build/tests/bench/bench; GEGL: the
processing of a graph of one operation, from buffer to buffer; the others: a call. Pillow uses one core
where all others use all, and averages encoded values where we average light. Needs gir1.2-gegl-0.4,
python3-gi, python3-opencv, python3-pil and python3-skimage; CUDA_FILTERS_BUILD names another build
folder than build/.
"""
import os
import statistics
import sys
import time

import cv2
import gi
import numpy as np
from PIL import Image

gi.require_version("Gegl", "0.4")
from gi.repository import Gegl  # noqa: E402

from picture import floats, gray, ours, photo  # noqa: E402


def gaussian(picture, sigma):
    radius = int(4 * sigma + 0.5)
    return cv2.GaussianBlur(picture, (2 * radius + 1,) * 2, sigma,
                            borderType=cv2.BORDER_REPLICATE)


def box(picture, radius):
    return cv2.blur(picture, (2 * radius + 1,) * 2, borderType=cv2.BORDER_REPLICATE)


def sobel(picture):
    across = cv2.Sobel(picture, cv2.CV_32F, 1, 0, borderType=cv2.BORDER_REPLICATE)
    down = cv2.Sobel(picture, cv2.CV_32F, 0, 1, borderType=cv2.BORDER_REPLICATE)
    return np.hypot(across, down)


def bilateral(picture, radius, std_dev, range_std_dev):
    """OpenCV's bilateral filter, which takes no alpha."""
    return cv2.bilateralFilter(picture[:, :, :3].copy(), 2 * radius + 1, 255 * range_std_dev, std_dev,
                               borderType=cv2.BORDER_REPLICATE)


def non_local_means(picture, strength, patch, search):
    """OpenCV's non-local means, which take no alpha."""
    return cv2.fastNlMeansDenoisingColored(picture[:, :, :3].copy(), None, 255 * strength,
                                           255 * strength, 2 * patch + 1, 2 * search + 1)


def fast_means(picture, strength, patch, search):
    """scikit-image's non-local means in its fast mode, which take no alpha."""
    from skimage.restoration import denoise_nl_means
    return denoise_nl_means(picture[:, :, :3] / np.float32(255), patch_size=2 * patch + 1,
                            patch_distance=search, h=strength, fast_mode=True, channel_axis=-1)


def vignette(picture):
    """NumPy's, of the formula below."""
    height, width = picture.shape[:2]
    u = (np.arange(width, dtype=np.float32) + np.float32(0.5)) / np.float32(width) - np.float32(0.5)
    v = (np.arange(height, dtype=np.float32) + np.float32(0.5)) / np.float32(height) - np.float32(0.5)
    result = picture.copy()
    result[..., :3] *= (1 - np.hypot(u, v[:, None]) ** 2)[..., None]
    return result


def deconvolved(picture, std_dev, iterations):
    """scikit-image's, of three channels."""
    from skimage.restoration import richardson_lucy
    place = np.arange(-round(5 * std_dev), round(5 * std_dev) + 1)
    line = np.exp(-place ** 2 / (2 * std_dev ** 2))
    psf = (np.outer(line, line) / line.sum() ** 2).astype(np.float32)
    return [richardson_lucy(picture[..., c] / np.float32(255), psf, num_iter=iterations) for c in range(3)]


def disc(radius):
    y, x = np.mgrid[-radius:radius + 1, -radius:radius + 1]
    return (x * x + y * y <= (radius + 0.5) ** 2).astype(np.uint8)


def pillow(picture, scale):
    height, width, _ = picture.shape
    size = round(width * scale), round(height * scale)
    return Image.fromarray(picture, "RGBA").resize(size, Image.LANCZOS)


# Our filter, its values and format; GEGL's operation and properties; OpenCV's or Pillow's call on a
# picture.
ROWS = [
    # The shortest first: GEGL goes on with its tiles for a while after it is done.
    ("canny", "y-u8", {"sigma": 0}, None, lambda p: cv2.Canny(p, 70, 130, L2gradient=True)),
    ("median-blur", "rgba-u8", {"neighborhood": "square", "radius": 3},
     ("median-blur", {"neighborhood": "square", "radius": 3}), lambda p: cv2.medianBlur(p, 7)),
    ("median-blur", "rgba-u8", {"neighborhood": "square", "radius": 10}, None,
     lambda p: cv2.medianBlur(p, 21)),
    ("median-blur", "rgba-u8", {"neighborhood": "circle", "radius": 20},
     ("median-blur", {"neighborhood": "circle", "radius": 20}), None),
    ("gaussian-blur", "rgba-u8", {"std-dev-x": 10, "std-dev-y": 10},
     ("gaussian-blur", {"std-dev-x": 10.0, "std-dev-y": 10.0}), None),
    ("gaussian-blur", "rgba-f32", {"std-dev-x": 10, "std-dev-y": 10}, None,
     lambda p: gaussian(p, 10)),
    ("gaussian-blur", "y-f32", {"std-dev-x": 10, "std-dev-y": 10}, None,
     lambda p: gaussian(p, 10)),
    ("box-blur", "rgba-u8", {"radius-x": 4, "radius-y": 4}, ("box-blur", {"radius": 4}), None),
    ("box-blur", "rgba-f32", {"radius-x": 4, "radius-y": 4}, None, lambda p: box(p, 4)),
    ("box-blur", "y-f32", {"radius-x": 4, "radius-y": 4}, None, lambda p: box(p, 4)),
    ("box-blur", "rgba-u8", {"radius-x": 200, "radius-y": 200}, ("box-blur", {"radius": 200}),
     None),
    ("box-blur", "rgba-f32", {"radius-x": 200, "radius-y": 200}, None, lambda p: box(p, 200)),
    ("unsharp-mask", "rgba-u8", {"std-dev": 3}, ("unsharp-mask", {"std-dev": 3.0}), None),
    ("sobel", "rgba-f32", {}, ("edge-sobel", {}), sobel),
    ("sobel", "y-f32", {}, None, sobel),
    ("resize", "rgba-u8", {"scale": 0.5}, None, lambda p: pillow(p, 0.5)),
    ("resize", "rgba-u8", {"scale": 2}, None, lambda p: pillow(p, 2)),
    ("stretch-contrast", "rgba-u8", {"keep-colors": "yes"},
     ("stretch-contrast", {"keep-colors": True, "perceptual": True}), None),
    ("stretch-contrast", "rgba-f32", {"keep-colors": "yes"},
     ("stretch-contrast", {"keep-colors": True, "perceptual": True}), None),
    ("gray-world", "rgba-u8", {"light": "perceptual"},
     ("stretch-contrast", {"keep-colors": False, "perceptual": True}), None),
    # Blurs that keep edges, and noise; windows are the same, but for bilateral-blur's, which is a disc.
    ("bilateral-blur", "rgba-u8", {"std-dev": 4, "range-std-dev": 0.1},
     ("bilateral-filter", {"blur-radius": 12.0}), lambda p: bilateral(p, 12, 4, 0.1)),
    ("lens-blur", "rgba-u8", {"radius": 10}, ("lens-blur", {"radius": 10.0}), None),
    ("lens-blur", "rgba-u8", {"radius": 50}, ("lens-blur", {"radius": 50.0}), None),
    ("selective-blur", "rgba-u8", {"blur-radius": 5},
     ("gaussian-blur-selective", {"blur-radius": 5.0}), None),
    ("motion-blur", "rgba-u8", {"length": 50, "angle": 30},
     ("motion-blur-linear", {"length": 50.0, "angle": 30.0}), None),
    ("motion-blur", "rgba-u8", {"kind": "zoom", "factor": 0.1}, ("motion-blur-zoom", {"factor": 0.1}), None),
    ("motion-blur", "rgba-u8", {"kind": "spin", "angle": 5}, ("motion-blur-circular", {"angle": 5.0}), None),
    ("snn-mean", "rgba-u8", {"radius": 8}, ("snn-mean", {"radius": 8}), None),
    ("mean-curvature-blur", "rgba-u8", {"iterations": 20},
     ("mean-curvature-blur", {"iterations": 20}), None),
    ("clahe", "y-u8", {"clip-limit": 2}, None, lambda p: cv2.createCLAHE(2.0, (8, 8)).apply(p)),
    ("morphology", "rgba-u8", {"shape": "square", "radius": 20}, None,
     lambda p: cv2.dilate(p, np.ones((41, 41), np.uint8))),
    ("morphology", "rgba-u8", {"shape": "disc", "radius": 20}, None, lambda p: cv2.dilate(p, disc(20))),
    ("non-local-means", "rgba-u8", {}, None, lambda p: non_local_means(p, 0.08, 2, 10)),
    ("non-local-means", "rgba-u8", {}, None, lambda p: fast_means(p, 0.08, 2, 10)),
    ("noise-reduction", "rgba-u8", {"iterations": 4}, ("noise-reduction", {"iterations": 4}), None),
    ("wavelet-denoise", "rgba-u8", {}, None, None),
    ("richardson-lucy", "rgba-u8", {}, None, lambda p: deconvolved(p, 2, 10)),
    ("surface-blur", "rgba-u8", {"radius": 100}, None, None),
    ("oilify", "rgba-u8", {"mask-radius": 8}, ("oilify", {"mask-radius": 8}), None),
    ("oilify", "rgba-u8", {"mask-radius": 8, "use-inten": "no"},
     ("oilify", {"mask-radius": 8, "use-inten": False}), None),
    ("pixel-math", "rgba-f32", {"formula": "c = c * (1 - hypot(u - 0.5, v - 0.5) ^ 2)"}, None, vignette),
]


def median_ms(call, calls):
    """The median of `calls` calls in milliseconds, after one to warm up."""
    times = []
    for _ in range(calls + 1):
        began = time.perf_counter()
        call()
        times.append(1e3 * (time.perf_counter() - began))
    return statistics.median(times[1:])


def gegl(operation, properties, picture, calls):
    """GEGL's median in milliseconds."""
    height, width, _ = picture.shape
    rectangle = Gegl.Rectangle.new(0, 0, width, height)
    encoding = "R'G'B'A u8" if picture.dtype == np.uint8 else "R'G'B'A float"
    source = Gegl.Buffer.new(encoding, 0, 0, width, height)
    source.set(rectangle, encoding, picture.tobytes())

    def call():
        graph = Gegl.Node()
        start = graph.create_child("gegl:buffer-source")
        start.set_property("buffer", source)
        node = graph.create_child("gegl:" + operation)
        for key, value in properties.items():
            node.set_property(key, value)
        end = graph.create_child("gegl:write-buffer")
        end.set_property("buffer", Gegl.Buffer.new(encoding, 0, 0, width, height))
        start.link(node)
        node.link(end)
        end.process()
    return median_ms(call, calls)


def main():
    names = [word for word in sys.argv[1:] if not word.isdigit()]
    words = [word for word in sys.argv[1:] if word.isdigit()]
    if unknown := set(names) - {row[0] for row in ROWS}:
        sys.exit(f"Nothing is compared with {', '.join(sorted(unknown))}.")
    width, height, calls = map(int, words + ["3000", "2000", "5"][len(words):])
    Gegl.config().set_property("application-license", "GPL3")  # else some operations are left out
    Gegl.init(None)
    picture = photo(width, height)
    print(f"{width} x {height}, {os.cpu_count()} cores, GEGL {'.'.join(map(str, Gegl.get_version()))},"
          f" OpenCV {cv2.__version__}\n")
    print("| filter | format | ours | GEGL | ratio | OpenCV, Pillow, NumPy, scikit-image | ratio |\n| --- | --- |" + 5 * " ---: |")
    for name, number_format, values, theirs, opencv in ROWS:
        if names and name not in names:
            continue
        image = picture if number_format.startswith("rgba") else gray(picture)
        image = floats(image) if number_format.endswith("f32") else image
        mine = ours("cpu", name, number_format, values, image)["call_ms"]
        cells = []
        for other in (theirs and gegl(*theirs, image, calls),
                      opencv and median_ms(lambda: opencv(image), calls)):
            cells += [f"{other:.0f} ms", f"{mine / other:.2f}"] if other else ["–", "–"]
        text = " ".join(f"{key}={value}" for key, value in values.items())
        print(f"| {name} {text} | {number_format} | {mine:.0f} ms | " + " | ".join(cells) + " |")


main()
