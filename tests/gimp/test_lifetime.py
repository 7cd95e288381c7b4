# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""The plug-in's process goes with the GIMP that started it."""
import ctypes
import os
import pathlib
import signal
import subprocess
from contextlib import contextmanager

import engine
import gimps

_PR_SET_CHILD_SUBREAPER = 36


@contextmanager
def adopting():
    """Orphans below this process are its children meanwhile: it learns how they end."""
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    assert prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
    try:
        yield
    finally:
        prctl(_PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


def computing_plugin(parent):
    """The process of the plug-in, a child of `parent`, once it has computed for a second."""
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            name, _, rest = (process / "stat").read_text().rpartition(")")
        except OSError:  # it has ended meanwhile
            continue
        fields = rest.split()  # from the state on
        seconds = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        if name.endswith(gimps.PLUGIN) and int(fields[1]) == parent and seconds > 1.0:
            return int(process.name)
    return None


def test_ends_with_gimp(gimp):
    """Nobody computes on for a GIMP that was killed."""
    make_layer = ('(gimp-layer-new img "big" 4000 4000 RGBA-IMAGE 100 LAYER-MODE-NORMAL)' if gimp.is3
                  else '(gimp-layer-new img 4000 4000 RGBA-IMAGE "big" 100 LAYER-MODE-NORMAL)')
    body = f"""
(let* ((img (car (gimp-image-new 4000 4000 RGB))) (big (car {make_layer})))
  (gimp-image-insert-layer img big 0 0)
  {gimp.call(engine.find("diffusion"), {"iterations": 2000})})"""
    command = gimp.command(gimp.script_words(body), CUDA_FILTERS_WIRE="1", CUDA_FILTERS_DEVICE="cpu")
    with adopting(), subprocess.Popen(command, stdin=subprocess.DEVNULL,
                                      stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL) as process:
        def found():
            """the plug-in at its work"""
            return computing_plugin(process.pid)
        plugin = gimps.poll(found)
        process.kill()
        process.wait()
        _, status = os.waitpid(plugin, 0)
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
