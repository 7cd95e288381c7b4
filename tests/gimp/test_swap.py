# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Full disks and calls that are killed: no success without the pixels, and a way back."""
import subprocess
from functools import lru_cache

import numpy as np
import pytest

import engine
import xcf
from cases import other_values
from screen import Session, undo, undo_story, wait_until_ready

RESIZE, INVERT, DIFFERENCE = map(engine.find, ("resize", "matte-invert", "matte-difference"))
LARGER = {"width": 1500, "height": 1400, "fit": False, "interpolation": "bilinear"}

# Stands in for a full disk: beyond the first ROOM bytes, files that GEGL swaps to take no more. So
# it is for GIMP and the plug-in, or, if PLUGIN_ONLY is set, for this.
_FULL = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>
static int is_full(void)
{
  return !getenv("PLUGIN_ONLY") || strcmp(program_invocation_short_name, "cuda-filters") == 0;
}
ssize_t write(int file, const void* from, size_t count)
{
  ssize_t (*real)(int, const void*, size_t) = dlsym(RTLD_NEXT, "write");
  char name[64], path[4096] = "";
  snprintf(name, sizeof name, "/proc/self/fd/%d", file);
  if (is_full() && readlink(name, path, sizeof path - 1) > 0 && strstr(path, "/swapped/") &&
      lseek(file, 0, SEEK_CUR) + (off_t)count > atol(getenv("ROOM"))) {
    errno = ENOSPC;
    return -1;
  }
  return real(file, from, count);
}
int statvfs(const char* path, struct statvfs* found)
{
  int (*real)(const char*, struct statvfs*) = dlsym(RTLD_NEXT, "statvfs");
  int result = real(path, found);
  if (is_full() && strstr(path, "/swapped")) found->f_bavail = 0;
  return result;
}
int statvfs64(const char* path, struct statvfs64* found)
{
  int (*real)(const char*, struct statvfs64*) = dlsym(RTLD_NEXT, "statvfs64");
  int result = real(path, found);
  if (is_full() && strstr(path, "/swapped")) found->f_bavail = 0;
  return result;
}
"""
# A plug-in that gets no memory for a result, and if NO_DISK is set no room for a file either.
_NO_MEMORY = r"""
#include <errno.h>
#include <stdlib.h>
int memfd_create(const char* name, unsigned flags) { errno = ENOMEM; return -1; }
int posix_fallocate64(int file, long start, long bytes) { return getenv("NO_DISK") ? ENOSPC : 0; }
int posix_fallocate(int file, long start, long bytes) { return getenv("NO_DISK") ? ENOSPC : 0; }
"""
# A plug-in that is killed when GIMP has scaled and the first of the plug-in's pixels are sent.
_KILLED = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>
static int scaled;
int gimp_layer_scale(void* layer, int width, int height, int local)
{
  int (*real)(void*, int, int, int) = dlsym(RTLD_NEXT, "gimp_layer_scale");
  scaled = 1;
  return real(layer, width, height, local);
}
int gimp_image_scale(void* image, int width, int height)
{
  int (*real)(void*, int, int) = dlsym(RTLD_NEXT, "gimp_image_scale");
  scaled = 1;
  return real(image, width, height);
}
void gegl_buffer_set(void* buffer, const void* area, int level, const void* format, const void* from,
                     int stride)
{
  void (*real)(void*, const void*, int, const void*, const void*, int) =
      dlsym(RTLD_NEXT, "gegl_buffer_set");
  real(buffer, area, level, format, from, stride);
  if (scaled) kill(getpid(), SIGKILL);
}
"""


@lru_cache
def _library(gimp, name, source):
    """A library to be loaded before all others."""
    path, library = gimp.path(name + ".c"), gimp.path(name + ".so")
    path.write_text(source)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, path], check=True)
    return library


@pytest.fixture(name="swapping")
def _swapping(gimp):
    """Has GIMP and the plug-in swap nearly all tiles, to a folder of their own."""
    settings = gimp.folder / "profile/gimprc"
    if not settings.parent.exists():
        gimp.script_fu("#t")
    before = settings.read_text() if settings.exists() else ""
    gimp.path("swapped").mkdir(exist_ok=True)
    settings.write_text(before + f'\n(swap-path "{gimp.path("swapped")}")\n(tile-cache-size 1M)\n')
    yield
    settings.write_text(before)


def _noise():
    return np.random.default_rng(1).integers(1, 255, (1000, 1000, 3), "u1")


def _told(gimp, name, row, values, **variables):
    """What a call on a picture of noise ends with, the layer after it, and what GIMP printed."""
    path = gimp.path(name)
    xcf.write(f"{path}.in.xcf", xcf.Image([xcf.Layer(_noise())]))
    log = gimp.script_fu(f"""
(let* ((img (load-image "{path}.in.xcf")))
  (attempt "{path}.told" (lambda () {gimp.call(row, values)}))
  (save-image img "{path}.xcf")
  (gimp-image-delete img))""", **variables)
    return gimp.path(name + ".told").read_text(), xcf.read(f"{path}.xcf").layers[0].pixels, log


CALLS = [("layer", RESIZE, LARGER | {"scope": "layer"}), ("image", RESIZE, LARGER | {"scope": "image"}),
         ("invert", INVERT, {}), ("difference", DIFFERENCE, other_values(DIFFERENCE))]


@pytest.mark.parametrize("name,row,values", CALLS, ids=[name for name, _, _ in CALLS])
@pytest.mark.usefixtures("swapping")
def test_swap_of_the_plug_in_is_full(gimp, name, row, values):
    """What waits in the plug-in does not depend on GEGL's swap."""
    library = _library(gimp, "full", _FULL)
    message, pixels, _ = _told(gimp, f"swap-{name}", row, values, LD_PRELOAD=library, ROOM="0",
                               PLUGIN_ONLY="1", CUDA_FILTERS_WIRE="1")
    assert message == "ok"
    engine.assert_same(pixels, engine.apply(row.name, values, engine.with_alpha(row, _noise()), False))


@pytest.mark.leaves("unable to write tile data|no swap storage")
@pytest.mark.parametrize("name,row,values",
                         CALLS + [("sobel", engine.find("sobel"), {})],
                         ids=[name for name, _, _ in CALLS] + ["sobel"])
@pytest.mark.usefixtures("swapping")
def test_swap_of_gimp_is_full(gimp, name, row, values):
    """A call that GIMP has no room for fails before anything changes."""
    library = _library(gimp, "full", _FULL)
    message, pixels, log = _told(gimp, f"full-{name}", row, values, LD_PRELOAD=library,
                                 ROOM=str(6 << 20))
    assert "GIMP has no room for the result" in message, message + log
    assert np.array_equal(pixels, _noise())


@pytest.mark.parametrize("name,row,values", CALLS, ids=[name for name, _, _ in CALLS])
def test_result_on_the_disk(gimp, name, row, values):
    """Where there is too little memory, a result waits in a file; where that has no room, nothing changes."""
    library = _library(gimp, "memory", _NO_MEMORY)
    variables = {"LD_PRELOAD": library, "CUDA_FILTERS_WIRE": "1"}
    message, pixels, _ = _told(gimp, f"file-{name}", row, values, **variables)
    assert message == "ok"
    engine.assert_same(pixels, engine.apply(row.name, values, engine.with_alpha(row, _noise()), False))
    message, pixels, _ = _told(gimp, f"nowhere-{name}", row, values, NO_DISK="1", **variables)
    assert "cannot be kept" in message and "No space left" in message, message
    assert np.array_equal(pixels, _noise())


@pytest.mark.leaves("[Cc]rashed|terminated: |undo in inconsistent state|GIMP-Error")
@pytest.mark.parametrize("scope", ["layer", "image"])
def test_killed_while_it_writes(gimp, screen, scope):
    """The call fails, and one Ctrl+Z brings back the picture."""
    path, values = gimp.path(f"killed-{scope}"), {"width": 60, "scope": scope}
    before = xcf.Image([xcf.Layer(_noise()[:140, :150], "one"), xcf.Layer(_noise()[200:300, :90], "two")])
    xcf.write(f"{path}.in.xcf", before)
    body = f"""
(define img (load-image "{path}.in.xcf"))
(gimp-display-new img)
(attempt "{path}.told" (lambda () {gimp.call(RESIZE, values)}))
(gimp-displays-flush)
(save-image img "{path}.left.xcf")
{undo_story(path)}"""
    with Session(gimp, screen, body, LD_PRELOAD=_library(gimp, "killed", _KILLED)) as session:
        wait_until_ready(gimp, path)
        assert gimp.path(path.name + ".told").read_text() != "ok"
        left = xcf.read(f"{path}.left.xcf").layers[0].pixels
        assert left.shape[:2] == (56, 60)
        undo(gimp, screen, path, before)
        session.wait()
