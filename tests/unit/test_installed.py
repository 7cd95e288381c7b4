# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""What an installation has: nothing of NVIDIA's, and the kernels once."""
import os
import pathlib
import re
import struct
import subprocess

import pytest

BUILD = pathlib.Path(os.environ.get("CUDA_FILTERS_BUILD", "build")).resolve()
KERNELS = "cuda-filters.kernels"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("installed")
    subprocess.run(["meson", "install", "-C", BUILD, "--no-rebuild", "--quiet"], check=True,
                   env={**os.environ, "DESTDIR": str(folder)})
    return [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]


@pytest.fixture(scope="module")
def programs(files):
    """What is linked."""
    found = [path for path in files if path.read_bytes()[:4] == b"\x7fELF"]
    assert {"cuda-filters", "cuda-filters.so", "dialogs.so"} >= {path.name for path in found}
    assert found
    return found


def hash_of(code):
    """As gpu/cuda/kernels_file.cpp has it."""
    value = 0xCBF29CE484222325
    for word, in struct.iter_unpack("<Q", code):
        value = (value ^ word) * 0x100000001B3 % 2**64
    return value


def test_nothing_of_nvidia_is_linked(programs):
    for program in programs:
        dynamic = subprocess.run(["readelf", "--dynamic", "--wide", program], check=True,
                                 capture_output=True, text=True).stdout
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)
        assert needed, program
        assert not [name for name in needed if re.search("cuda|nv", name)], needed
        # So NVIDIA's static runtime names what it has.
        assert b"libcudart" not in program.read_bytes(), program


def test_kernels_are_there_once(files, programs):
    if not (BUILD / "gpu/cuda" / KERNELS).exists():
        pytest.skip("built without CUDA")
    kernels, = [path.read_bytes() for path in files if path.name == KERNELS]
    places = []
    for program in programs:
        if not program.name.startswith("cuda-filters"):
            continue
        content = program.read_bytes()
        assert b"\x50\xed\x55\xba\x01\x00" not in content, f"{program} has machine code of its own"
        found = [struct.unpack("<QQQ", match[1])
                 for match in re.finditer(rb"CUDAFKRN(?=(.{24}))", content, re.DOTALL)]
        places.append({place for place in found if sum(place[:2]) <= len(kernels)})
        assert len(places[-1]) == len(found) - 1, "the last one is what the others are known by"
    assert places and places[0]
    for offset, size, expected in places[0]:
        assert hash_of(kernels[offset:offset + size]) == expected
    assert all(its == places[0] for its in places)
