#!/usr/bin/python3
# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""separate_kernels.py OBJCOPY AR KERNELS ARCHIVE OBJECT...

Writes the machine code of nvcc's objects into the file KERNELS, one after the other, and the objects
without it into ARCHIVE. Where the code was, they say where it is: see kernels_file.cpp.
"""
import pathlib
import struct
import subprocess
import sys
import tempfile

SECTION = ".nv_fatbin"


def hash_of(code):
    """FNV-1a, of words of eight bytes."""
    value = 0xCBF29CE484222325
    for word, in struct.iter_unpack("<Q", code):
        value = (value ^ word) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return value


def main(objcopy, ar, kernels, archive, *objects):
    with tempfile.TemporaryDirectory() as name, open(kernels, "wb") as file:
        folder = pathlib.Path(name)
        code_file, place_file = folder / "code", folder / "place"
        stripped = []
        for number, source in enumerate(objects):
            code_file.unlink(missing_ok=True)
            target = folder / f"{number}-{pathlib.Path(source).name}"
            # Of an object that is not nvcc's, objcopy says that there is no such section.
            subprocess.run([objcopy, f"--dump-section={SECTION}={code_file}", source, target],
                           check=True, stderr=subprocess.DEVNULL)
            stripped.append(target)
            if not code_file.exists():
                continue
            code = code_file.read_bytes()
            code += bytes(-len(code) % 8)
            place_file.write_bytes(struct.pack("<8sQQQ", b"CUDAFKRN", file.tell(), len(code),
                                               hash_of(code)))
            subprocess.run([objcopy, f"--update-section={SECTION}={place_file}", target], check=True)
            file.write(code)
        if file.tell() == 0:
            sys.exit(f"no object has a section {SECTION}")
        pathlib.Path(archive).unlink(missing_ok=True)
        subprocess.run([ar, "csrD", archive, *stripped], check=True)


main(*sys.argv[1:])
