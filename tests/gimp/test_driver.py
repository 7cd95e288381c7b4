# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Calls of NVIDIA's driver fail in the plug-in's process: the picture is the processor's, a sentence tells of
it, and GIMP goes on. The driver is that of tests/fake_driver, which has a GPU and runs nothing: what fails
does so before that GPU would have computed a band."""
import shutil

import numpy as np
import pytest
from PIL import Image

import engine
import xcf
from cases import other_values, picture

ROWS = [row for row in engine.changing() if row.name in ("gaussian-blur", "invert", "stretch-contrast")]
IMAGE = xcf.Image([xcf.Layer(picture("u1", 4), "one")])

# What fails, as FAKE_DRIVER says it, and what is told of it.
FAULTS = {
    "no-driver-to-start": ({"FAKE_DRIVER": "cuInit,999,1"}, "has no GPU to offer"),
    "no-memory-for-a-context": ({"FAKE_DRIVER": "cuDevicePrimaryCtxRetain,2,0"}, "memory of the GPU is full"),
    "no-memory": ({"FAKE_DRIVER": "cuMemAllocAsync,2,0"}, "memory of the GPU is full"),
    "no-code-for-it": ({"FAKE_DRIVER": "cuLibraryLoadData,209,0"}, "The GPU failed"),
    "no-launch": ({"FAKE_DRIVER": "cuLaunchKernel,719,0"}, "The GPU failed"),
    "lost": ({"FAKE_DRIVER": "cuMemAllocAsync,700,1"}, "The GPU failed"),
    "old": ({"FAKE_DRIVER_VERSION": "11040"}, "The NVIDIA driver is too old: it is one for CUDA 11.4"),
}


def pixels(path):
    """Those of a picture, which is not left for the next test."""
    with Image.open(path) as opened:
        found = np.array(opened)
    path.unlink()
    return found


@pytest.mark.parametrize("fault", FAULTS)
def test_a_driver_that_fails(gimp, fault):
    if not (gimp.build() / "gpu/cuda/cuda-filters.kernels").exists():
        pytest.skip(f"the plug-in of {gimp} is built without CUDA")
    folder = gimp.path("driver")
    folder.mkdir(exist_ok=True)
    shutil.copy2(engine.BUILD / "tests/fake_driver/libcuda.so.1", folder)
    variables, told = FAULTS[fault]
    source = gimp.path("driver.in.xcf")
    xcf.write(source, IMAGE)

    def body(way):
        return "\n".join(f"""
(let* ((img (load-image "{source}")))
  (attempt "{gimp.path(f'driver.{way}.{row.name}')}" (lambda ()
    {gimp.call(row, other_values(row))}
    (save-image img "{gimp.path(f'driver.{way}.{row.name}.png')}")))
  (gimp-image-delete img))""" for row in ROWS)

    gimp.script_fu(body("cpu"), CUDA_FILTERS_DEVICE="cpu")
    log = gimp.script_fu(body("gpu") + f'(write-file "{gimp.path("driver.alive")}" "yes")', CUDA_FILTERS_WIRE="1",
                         CUDA_FILTERS_DEVICE="0", LD_LIBRARY_PATH=folder, **variables)
    assert gimp.path("driver.alive").read_text() == "yes"
    gimp.path("driver.alive").unlink()
    for row in ROWS:
        assert gimp.path(f"driver.gpu.{row.name}").read_text() == "ok"
        on_cpu, with_fault = (pixels(gimp.path(f"driver.{way}.{row.name}.png")) for way in ("cpu", "gpu"))
        assert np.array_equal(on_cpu, with_fault), row.name
    assert log.count(told) == len(ROWS), log
    assert log.count("on the CPU.") + log.count("The CPU did the work.") == len(ROWS), log
