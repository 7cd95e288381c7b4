# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""A screen without a monitor, with GIMP on it, and the hand of a user."""
import os
import pathlib
import re
import signal
import struct
import subprocess
import tempfile

import numpy as np

import xcf
from gimps import complaints, poll


class Screen:
    """An X server of our own."""

    def __init__(self):
        read, write = os.pipe()
        self.server = subprocess.Popen(  # a reset would refuse who comes while the last one leaves
            ["Xvfb", "-noreset", "-displayfd", str(write), "-ac", "-screen", "0", "1280x900x24"],
            pass_fds=[write], stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as answer:
            self.name = ":" + answer.readline().strip()
        assert self.name != ":", "Xvfb does not start"
        self.session = None

    def close(self):
        self.server.terminate()
        self.server.wait()

    def do(self, *words, check=True):
        """Runs a program on this screen and returns what it printed."""
        done = subprocess.run([str(word) for word in words], env=os.environ | {"DISPLAY": self.name},
                              capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0 or not check, f"{words}: {done.stderr}"
        return done.stdout.strip()

    def window(self, title):
        """Waits for a window with that title, a regular expression, and returns its id."""
        def search():
            """a window"""
            assert not self.session or self.session.poll() is None, "GIMP has ended"
            found = self.do("xdotool", "search", "--onlyvisible", "--name", title, check=False)
            return found.split("\n")[0]
        return poll(search)

    def keys(self, window, *keys):
        """Presses keys in a window."""
        self.do("xdotool", "windowfocus", "--sync", window)
        for key in keys:
            self.do("xdotool", "key", "--clearmodifiers", key)

    def type(self, window, text):
        self.do("xdotool", "windowfocus", "--sync", window)
        self.do("xdotool", "type", "--clearmodifiers", text)

    def look(self, window, *options):
        """A hash of the picture in a window, or of what ImageMagick's options leave of it."""
        return self._convert(window, *options, "-format", "%#", "info:")

    def colors(self, window, *options):
        """The colors in a window, or in what ImageMagick's options leave of it, as #RRGGBB."""
        listed = self._convert(window, *options, "-depth", "8", "-unique-colors", "txt:-")
        return set(re.findall("#[0-9A-F]{6}", listed))

    def photograph(self, window, path):
        """Saves a picture of a window and returns how many colors it has."""
        self._convert(window, path)
        return int(self.do("identify", "-format", "%k", path))

    def _is_working(self):
        """Whether a thread of GIMP, of its plug-ins, or of the X server is not asleep."""
        def is_ours(process):
            fields = (process / "stat").read_text().rpartition(")")[2].split()
            return process.name == str(self.server.pid) or (
                self.session is not None and int(fields[3]) == self.session.pid)  # the session's id

        def is_awake(thread):
            return (thread / "stat").read_text().rpartition(")")[2].split()[0] in "RD"
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if is_ours(process) and any(map(is_awake, process.glob("task/[0-9]*"))):
                    return True
            except OSError:  # it has ended meanwhile
                continue
        return False

    def _convert(self, window, *words):
        # ImageMagick's own import waits for a click when the window has just gone.
        with tempfile.NamedTemporaryFile(suffix=".xwd") as dump:
            def dumped():
                """a picture of a window"""  # which fails if a part of the window has just gone
                self.do("xwd", "-silent", "-id", window, "-out", dump.name, check=False)
                return os.path.getsize(dump.name) > 0
            poll(dumped)
            return self.do("convert", dump.name, *words)

    def settled(self, window, *others):
        """Waits until the picture in a window stays the same, and is none of the others; its hash.

        It may change as long as a process that draws wants to run: on a busy machine that takes long.
        """
        seen = []

        def still():
            """a window that has come to rest"""
            if self._is_working():
                seen.clear()
            seen.append(self.look(window))
            last = set(seen[-5:])
            return len(seen) >= 5 and len(last) == 1 and not last & set(others) and seen[-1]
        return poll(still)


class Session:
    """A GIMP with windows, running a Script-Fu program."""

    def __init__(self, gimp, screen, body, **variables):
        screen.do("xdotool", "mousemove", "1279", "899")  # or a tooltip or a menu lies over a window
        self.gimp = gimp
        self.log_path = gimp.path("gui.log")
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(
                gimp.command(gimp.script_words(body, console=False), DISPLAY=screen.name, **variables),
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                start_new_session=True)
        self.screen = screen
        screen.session = self.process

    def __enter__(self):
        return self

    def __exit__(self, failure, *_):
        self.screen.session = None
        if failure:
            print(self.log_path.read_text(errors="replace"))  # pytest shows it with the failure
        if self.process.poll() is None:  # a test has failed; none of its windows may stay
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(30)

    def wait(self, seconds=300):
        """Waits until GIMP has quit and returns what it printed."""
        self.process.wait(seconds)
        log = self.log_path.read_text(errors="replace")
        complaints.look_at(log)
        return log


def undo_story(path):
    """Script-Fu that saves `img`, which is shown, again and again while undo_once() works."""
    return f"""
(define (save-until path stop)
  (save-image img path) (usleep 100000) (if (not (file-exists? stop)) (save-until path stop)))
(write-file "{path}.ready" "")
(save-until "{path}.undone.xcf" "{path}.stop")"""


def wait_until_ready(gimp, path):
    """Waits until undo_story() has begun."""
    def ready():
        """the end of the call"""
        return gimp.path(path.name + ".ready").exists()
    poll(ready)


def undo_once(gimp, screen, path, before):
    """Presses Ctrl+Z, waits until the image is as it was, and ends undo_story()."""
    def undone():
        """the original image, after Ctrl+Z"""
        try:
            image = xcf.read(f"{path}.undone.xcf")
            now = image.layers
        except (OSError, IndexError, ValueError, struct.error):  # it is being written
            return False
        return image.size == before.layers[0].pixels.shape[1::-1] and all(
            np.array_equal(a.pixels, b.pixels) and a.offset == b.offset
            for a, b in zip(now, before.layers))
    screen.keys(screen.window("GIMP$"), "ctrl+z")
    poll(undone)
    gimp.path(path.name + ".stop").touch()
