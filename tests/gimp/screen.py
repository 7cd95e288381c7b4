# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""A screen without a monitor, with GIMP on it, and the hand of a user.

CUDA_FILTERS_WINDOW_MANAGER names a program that manages the windows, such as openbox; without it nothing does.
"""
import hashlib
import os
import re
import shutil
import signal
import struct
import subprocess

import numpy as np
from PIL import Image

import engine
import xcf
from gimps import complaints, poll


def _numbers(pixels):
    """The different colors of pixels, as numbers in the order of red, green and blue."""
    red, green, blue = (pixels[..., channel].astype("u4") for channel in range(3))
    seen = np.zeros(1 << 24, bool)
    seen[red << 16 | green << 8 | blue] = True
    return np.flatnonzero(seen)


class Screen:
    """An X server of our own."""

    open = None  # the one that there is

    def __init__(self):
        Screen.open = self
        read, write = os.pipe()
        self.server = subprocess.Popen(  # a reset would refuse who comes while the last one leaves
            ["Xvfb", "-noreset", "-displayfd", str(write), "-ac", "-screen", "0", "1280x900x24"],
            pass_fds=[write], stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as answer:
            self.name = ":" + answer.readline().strip()
        assert self.name != ":", "Xvfb does not start"
        manager = os.environ.get("CUDA_FILTERS_WINDOW_MANAGER")
        self.manager = manager and subprocess.Popen([manager], env=os.environ | {"DISPLAY": self.name})
        self.session = None
        self.shared = None

    def close(self):
        self.end_shared()
        for process in filter(None, (self.manager, self.server)):
            process.terminate()
            process.wait()

    def end_shared(self):
        """Ends the GIMP that programs share, if there is one, and returns what it printed last."""
        shared, self.shared = self.shared, None
        return shared.end() if shared else ""

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

    def gone(self, window):
        """Waits until a window is closed."""
        def closed():
            """the end of a window"""
            found = self.do("xdotool", "search", "--onlyvisible", "--name", ".", check=False)
            return window not in found.split()
        poll(closed)

    def size(self, window):
        """A window's width and height."""
        geometry = self.do("xdotool", "getwindowgeometry", "--shell", window)
        return tuple(int(re.search(rf"{side}=(\d+)", geometry).group(1)) for side in ("WIDTH", "HEIGHT"))

    def put_mouse_away(self):
        """Moves it where no tooltip or menu comes that would lie over a window."""
        self.do("xdotool", "mousemove", "1279", "899")

    def keys(self, window, *keys):
        """Presses keys in a window."""
        self.do("xdotool", "windowfocus", "--sync", window)
        for key in keys:
            self.do("xdotool", "key", "--clearmodifiers", key)

    def type(self, window, text):
        self.do("xdotool", "windowfocus", "--sync", window)
        self.do("xdotool", "type", "--clearmodifiers", "--", text)

    def look(self, window, *part):
        """A hash of the picture in a window, or of a part of it: x, y, width and height."""
        return hashlib.sha1(self.pixels(window, *part).tobytes()).hexdigest()

    def colors(self, window, *part):
        """The colors in a window, or in a part of it, as #RRGGBB."""
        return {f"#{number:06X}" for number in _numbers(self.pixels(window, *part))}

    def place(self, window):
        """Where a window lies on the screen: x and y."""
        told = self.do("xwininfo", "-id", window)
        return tuple(int(re.search(rf"Absolute upper-left {axis}: +(-?\d+)", told).group(1)) for axis in "XY")

    def photograph(self, window, path):
        """Saves a picture of a window and returns how many colors it has."""
        pixels = self.pixels(window)
        Image.fromarray(pixels).save(path, compress_level=1)
        return len(_numbers(pixels))

    def photograph_all(self, path):
        """Saves a picture of all windows, as they lie on the screen."""
        picture = Image.new("RGB", (1280, 900))
        for window in self.do("xdotool", "search", "--onlyvisible", "--class", ".").split():
            picture.paste(Image.fromarray(self.pixels(window)), self.place(window))
        picture.save(path, compress_level=1)

    def _is_working(self):
        """Whether a thread of GIMP, of its plug-ins, or of the X server is not asleep."""
        def fields(path):
            with open(path + "/stat", "rb") as file:
                return file.read().rpartition(b")")[2].split()

        def is_ours(process):
            return process == str(self.server.pid) or (
                self.session is not None and int(fields("/proc/" + process)[3]) == self.session.pid)  # its session
        for process in filter(str.isdigit, os.listdir("/proc")):
            try:
                threads = f"/proc/{process}/task/"
                if is_ours(process) and any(fields(threads + thread)[0] in b"RD"
                                            for thread in os.listdir(threads)):
                    return True
            except OSError:  # it has ended meanwhile
                continue
        return False

    def pixels(self, window, *part):
        """The bytes of a window's picture: rows of red, green and blue."""
        def dumped():
            """a picture of a window"""  # which fails if a part of the window has just gone
            return subprocess.run(["xwd", "-silent", "-id", window], check=False, timeout=300,
                                  env=os.environ | {"DISPLAY": self.name}, capture_output=True).stdout
        dump = poll(dumped)
        header = struct.unpack(">20I", dump[:80])  # as XWDFile.h describes it
        width, height, stride = header[4], header[5], header[12]
        assert header[7] == 0 and stride == 4 * width, f"the screen's pixels are not BGRX: {header}"
        rows = np.frombuffer(dump, "u1", stride * height, header[0] + 12 * header[19])
        rows = rows.reshape(height, stride)
        # Where a menu lies over the window, xwd says 24 bits a pixel, and writes 32, or 24 indeed.
        size = 3 if header[11] == 24 and not rows[:, 3 * width:].any() else 4
        pixels = rows[:, :size * width].reshape(height, width, size)[..., 2::-1]
        if part:
            left, top, width, height = part
            pixels = pixels[top:top + height, left:left + width]
        return np.ascontiguousarray(pixels)

    def settled(self, window, *others):
        """Waits until the picture in a window stays the same, and is none of the others; its hash.

        It may change as long as a process that draws wants to run: on a busy machine that takes long.
        """
        at_rest = []

        def still():
            """a window that has come to rest"""
            if self._is_working():
                at_rest.clear()
                return False
            # Who sleeps draws nothing: one look when all have come to rest, and one at the end, are enough.
            at_rest.append(self.look(window) if len(at_rest) in (0, 4) else None)
            if len(at_rest) < 5:
                return False
            last = at_rest[-1]
            if last == at_rest[0] and last not in others:
                return last
            at_rest[:] = [last]
            return False
        return poll(still)


class Session:
    """A GIMP with windows, running a Script-Fu program. No dialog knows values of earlier sessions."""

    def __init__(self, gimp, screen, body, **variables):
        screen.end_shared()
        shutil.rmtree(gimp.path("profile/plug-in-settings"), ignore_errors=True)
        screen.put_mouse_away()
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
        self.kill()

    def kill(self):
        """Ends a GIMP that still runs, as after a failure; none of its windows may stay."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(30)

    def wait(self, seconds=300):
        """Waits until GIMP has quit and returns what it printed."""
        self.process.wait(seconds)
        log = self.log_path.read_text(errors="replace")
        complaints.look_at(log)
        return log


# Runs the programs FOLDER/1, FOLDER/2 … as they come, until there is FOLDER/end.
_SERVE = """
(define (serve folder n)
  (usleep 20000)
  (gimp-version)
  (let ((program (string-append folder "/" (number->string n))))
    (cond ((file-exists? program) (load program) (serve folder (+ n 1)))
          ((not (file-exists? (string-append folder "/end"))) (serve folder n)))))
"""


class SharedSession:
    """A GIMP with windows that runs one Script-Fu program after another."""

    def __init__(self, gimp, screen, **variables):
        self.folder = gimp.path("shared-session")
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        self.session = Session(gimp, screen, f'{_SERVE}(serve "{self.folder}" 1)', **variables)
        self.gimp = gimp
        self.programs = 0
        self.seen = 0  # of the log

    def start(self, body):
        """Begins a program; returns the path where "ok", or its error, is written at its end."""
        self.programs += 1
        program = self.folder / str(self.programs)
        outcome = program.with_suffix(".outcome")
        program.with_suffix(".new").write_text(f'(attempt "{outcome}" (lambda () {body}))')
        program.with_suffix(".new").rename(program)
        return outcome

    def log(self):
        """What GIMP printed since the last call."""
        with open(self.session.log_path, "rb") as file:
            file.seek(self.seen)
            new = file.read()
        self.seen += len(new)
        return new.decode(errors="replace")

    def end(self):
        """Ends GIMP and returns what it printed since the last call of log()."""
        (self.folder / "end").touch()
        try:
            self.session.process.wait(60)
        finally:
            self.session.screen.session = None
            self.session.kill()
        log = self.log()
        complaints.look_at(log)
        return log


class Program:
    """A Script-Fu program in the GIMP that programs share; a failure ends that GIMP, too."""

    def __init__(self, gimp, screen, body):
        shared = screen.shared
        if shared is None or shared.gimp is not gimp:
            screen.end_shared()
            shared = screen.shared = SharedSession(gimp, screen)
        screen.put_mouse_away()
        self.screen = screen
        self.shared = shared
        self.outcome = shared.start(body)

    def __enter__(self):
        return self

    def __exit__(self, failure, *_):
        if failure:
            print(self.shared.log())  # pytest shows it with the failure
            self.screen.shared = None
            self.screen.session = None
            self.shared.session.kill()

    def wait(self):
        """Waits for the program's end, and fails if that is an error."""
        def ended():
            """the end of a program"""
            assert self.shared.session.process.poll() is None, "GIMP has ended"
            return self.outcome.exists() and self.outcome.read_text()
        outcome = poll(ended)
        assert outcome == "ok", outcome
        complaints.look_at(self.shared.log())


def _entries():
    """The entries of Filters ▸ CUDA in GIMP 3: the plug-in's own, then submenus that operations bring.

    GIMP sorts the plug-in's by their labels, and submenus of operations come as these do, by their names.
    """
    operations = engine.in_place()
    of_plug_in = {"colors", *(row.category for row in engine.registry() if row not in operations)}
    submenus = sorted([*of_plug_in, "on several layers"])
    of_operations = (row.category for row in sorted(operations, key=lambda row: row.name))
    return tuple(dict.fromkeys(["devices", "manual", *submenus, *of_operations]))


def open_effect(screen, window, name):
    """Chooses an effect in its submenu of Filters ▸ CUDA by its mnemonic and returns the dialog."""
    row = engine.find(name)
    key = re.search("_(.)", row.label).group(1).lower()
    screen.keys(window, "alt+r", "Up", "Right", *["Down"] * _entries().index(row.category), "Right", key)
    dialog = screen.window(rf"^{row.title} \(CUDA\) \(cuda:{row.name}\)$")
    screen.do("xdotool", "windowmove", dialog, "600", "100")  # all of it on the screen
    screen.settled(dialog)
    return dialog


def undo_story(path):
    """Script-Fu that saves `img`, which is shown, again and again while undo() works."""
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


def undo(gimp, screen, path, *states):
    """Presses Ctrl+Z once for each of the images, which it then waits for, and ends undo_story()."""
    for before in states:
        def undone():
            """an earlier image, after Ctrl+Z"""
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
