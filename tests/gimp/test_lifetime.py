# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""The plug-in's process goes with the GIMP that started it, and alone where a run is cancelled."""
import ctypes
import os
import pathlib
import signal
import subprocess
import time
from contextlib import contextmanager

import numpy as np
import pytest

import engine
import gimps
import xcf
from cases import picture
from gimps import computing_plugin
from screen import Session, undo, undo_story, wait_until_ready

_PR_SET_CHILD_SUBREAPER = 36
SHOTS = engine.BUILD / "screenshots"
SHOTS.mkdir(exist_ok=True)


@contextmanager
def adopting():
    """Orphans below this process are its children meanwhile: it learns how they end."""
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    assert prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
    try:
        yield
    finally:
        prctl(_PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


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


@pytest.mark.leaves("crashed|GIMP-Error")
def test_a_cancelled_run_leaves_the_picture(gimp):
    """GIMP cancels a run by killing the plug-in: the layer stays as it was, and GIMP goes on."""
    path = gimp.path("cancelled")
    image = xcf.Image([xcf.Layer(picture("u1", 4, 1500, 1000))])
    xcf.write(f"{path}.in.xcf", image)
    body = f"""
(let* ((img (load-image "{path}.in.xcf")))
  (attempt "{path}.outcome" (lambda ()
    {gimp.call(engine.find("diffusion"), {"iterations": 2000})}))
  (save-image img "{path}.xcf")
  (gimp-image-delete img))"""
    command = gimp.command(gimp.script_words(body), CUDA_FILTERS_DEVICE="cpu")
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT) as process:
        plugin = gimps.poll(lambda: computing_plugin(process.pid))
        os.kill(plugin, signal.SIGKILL)
        output = process.communicate()[0].decode(errors="replace")
    gimps.complaints.look_at(output)
    assert gimp.path("cancelled.outcome").read_text() != "ok", output
    assert np.array_equal(xcf.read(f"{path}.xcf").layers[0].pixels, image.layers[0].pixels)


@pytest.mark.leaves("crashed|GIMP-Error")
def test_a_run_that_the_user_cancels_is_no_undo_step(gimp, screen):
    """Cancel beside the bar of the progress; Ctrl+Z then takes back what came before.

    GIMP 2.10 shows it in a window of its own, GIMP 3 below the image.
    """
    path, image = gimp.path("escape"), xcf.Image([xcf.Layer(picture("u1", 4, 1500, 1000))])
    xcf.write(f"{path}.in.xcf", image)
    body = f"""
(let* ((img (load-image "{path}.in.xcf")))
  (gimp-display-new img)
  (gimp-drawable-invert (layer img 0) FALSE)
  (attempt "{path}.outcome" (lambda ()
    {gimp.call(engine.find("diffusion"), {"iterations": 2000})}))
  (gimp-displays-flush)
  {undo_story(path)}
  (gimp-image-clean-all img))"""
    with Session(gimp, screen, body, CUDA_FILTERS_DEVICE="cpu") as session:
        plugin = gimps.poll(lambda: computing_plugin(session.process.pid))
        def ended():
            """the end of the plug-in"""
            return not pathlib.Path(f"/proc/{plugin}").exists()

        if gimp.is3:
            window = screen.window("GIMP$")
            screen.photograph(window, SHOTS / f"progress-{gimp}.png")
            for x in range(660, 960, 30):  # the bar, and somewhere right of it the button
                screen.do("xdotool", "mousemove", "--window", window, x,
                          screen.size(window)[1] - 17, "click", "1")
                time.sleep(0.3)
                if ended():
                    break
        else:
            screen.keys(screen.window("^Progress$"), "Escape")
        gimps.poll(ended)
        wait_until_ready(gimp, path)
        undo(gimp, screen, path, image)
        session.wait()
