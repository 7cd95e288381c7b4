# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""The plug-in is killed at drawn moments: a layer is as before or done, and nothing stays behind."""
import os
import pathlib
import random
import signal
import struct
import time
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pytest

import engine
import xcf
from cases import other_values, picture
from endurance import KILLS, MEMORY, RETURNS_MEMORY, assert_no_more, children, holdings, processes_of
from gimps import PLUGIN, poll
from screen import SharedSession, undo_story

SIZE = 400, 360
# How many KiB GIMP may keep of a call that is killed, on average: it frees less than of one that ends.
KEPT = 2 << 10
LAYER = "(layer img 0)"
SOFT = ("(gimp-image-select-rectangle img CHANNEL-OP-REPLACE 60 50 250 220) "
        "(gimp-selection-feather img 40)")
HARD = "(gimp-image-select-rectangle img CHANNEL-OP-REPLACE 200 190 30 24)"


@dataclass(frozen=True)
class Kind:
    """A kind of call: a filter, an image's number type, curve and channels, what is done before, and
    what is filtered."""

    name: str
    filter: str
    number: str = "u1"
    trc: int = xcf.ENCODED
    channels: int = 4
    prepare: str = ""
    target: str = LAYER

    def image(self):
        plane = picture(self.number, 1, *SIZE, seed=2)
        return xcf.Image([xcf.Layer(picture(self.number, self.channels, *SIZE), mask=plane),
                          xcf.Layer(picture(self.number, self.channels, *SIZE, seed=3), "below")],
                         self.trc, {"channel": plane})

    def values(self):
        if self.filter == "diffusion":
            return {"iterations": 1000}
        if self.filter == "resize":
            return {"width": 370, "height": 300, "fit": False, "interpolation": "bilinear", "scope": "layer"}
        return other_values(engine.find(self.filter))


# In GIMP 3 some of them work inside of its process, and others move the pixels to the plug-in's.
KINDS = [
    Kind("plain", "invert"), Kind("slow", "diffusion"), Kind("around", "sobel", "f4", xcf.LINEAR, 3),
    Kind("long", "median-blur", "u2"),
    Kind("soft", "gaussian-blur", prepare=SOFT), Kind("alpha", "matte-invert", channels=3),
    Kind("mask", "box-blur", target="(car (gimp-layer-get-mask (layer img 0)))"),
    Kind("channel", "canny", "f2", target="(channel img 0)"), Kind("whole", "autocontrast", "u2", xcf.LINEAR, 1),
    Kind("chain", "chain", "u4"), Kind("hole", "heal-selection", prepare=HARD), Kind("scaled", "resize"),
    Kind("two", "unsharp-mask", target=f"{LAYER} (layer img 1)"),
]


def kinds(gimp):
    """Those of a GIMP; 2.10 gives a plug-in one drawable."""
    return [kind for kind in KINDS if gimp.is3 or kind.name != "two"]


@lru_cache(maxsize=64)
def _parsed(data):
    """All pixels of an image, but for its selection."""
    image = xcf.parse(data)
    found = [layer.pixels for layer in image.layers]
    found += [layer.mask for layer in image.layers if layer.mask is not None]
    return found + [image.channels["channel"]]


def _planes(path):
    """All pixels of an image that GIMP wrote; equal files are looked at once."""
    return _parsed(pathlib.Path(path).read_bytes())


def _same(some, others):
    return some is others or len(some) == len(others) and all(map(np.array_equal, some, others))


@dataclass
class Story:
    """A call: how it ended, the image before and after it, how long its plug-in lived, and whether
    that was killed."""

    told: str
    before: list
    after: list
    lasted: float
    killed: bool


class Victim:
    """A GIMP with windows in which calls are made, and killed."""

    def __init__(self, gimp, screen):
        self.gimp, self.screen = gimp, screen
        self.folder = gimp.path("killed")
        self.folder.mkdir()
        self.session = SharedSession(gimp, screen, **RETURNS_MEMORY)
        self.process = self.session.session.process.pid
        self._calls = 0
        xcf.write(self.folder / "small.xcf", xcf.Image([xcf.Layer(picture("u1", 4))]))
        for kind in kinds(gimp):
            xcf.write(self.folder / f"{kind.name}.in.xcf", kind.image())

    def call(self, kind, moment=None):
        """Inverts a layer, then makes a call, and kills its plug-in so many seconds after that has
        started, if a moment is given. Returns the Story, and by how many presses of Ctrl+Z the image
        came back."""
        self._calls += 1
        path = self.folder / f"call-{self._calls}"
        outcome = self.session.start(self._script(kind, path))

        def started():
            """the plug-in's process"""
            return path.with_suffix(".begins").exists() and children(self.process, PLUGIN)
        plugin = poll(started, step=0.001)[0]
        begin = time.monotonic()

        def ended():
            """the end of the plug-in's process"""
            return plugin not in children(self.process, PLUGIN)
        while moment is not None and time.monotonic() < begin + moment and not ended():
            time.sleep(0.001)
        killed = moment is not None and self._kill(plugin)
        poll(ended, step=0.001)
        lasted = time.monotonic() - begin
        poll(path.with_suffix(".ready").exists)
        story = Story(path.with_suffix(".told").read_text(), _planes(f"{path}.before.xcf"),
                      _planes(f"{path}.after.xcf"), lasted, killed)
        presses = self._undo(kind, path, story) if killed else 0
        path.with_suffix(".stop").touch()

        def over():
            """the end of a program"""
            return outcome.exists() and outcome.read_text()
        assert poll(over) == "ok", outcome.read_text()
        later = xcf.read(f"{path}.later.xcf").layers[0].pixels
        assert np.array_equal(later[..., :3], 255 - picture("u1", 4)[..., :3])
        for file in self.folder.glob(f"{path.name}.*"):
            file.unlink()
        return story, presses

    def _script(self, kind, path):
        gimp = self.gimp
        call = gimp.call(engine.find(kind.filter), kind.values(), kind.target)
        return f"""
(let* ((img (load-image "{self.folder}/{kind.name}.in.xcf")) (display (car (gimp-display-new img))))
  {kind.prepare}
  (gimp-drawable-invert (layer img 0) FALSE)
  (gimp-displays-flush)
  (save-image img "{path}.before.xcf")
  (write-file "{path}.begins" "")
  (attempt "{path}.told" (lambda () {call}))
  (gimp-displays-flush)
  (save-image img "{path}.after.xcf")
  {undo_story(path)}
  (gimp-image-clean-all img)
  (gimp-display-delete display))
(let ((img (load-image "{self.folder}/small.xcf")))
  {gimp.call(engine.find("invert"), {})}
  (save-image img "{path}.later.xcf")
  (gimp-image-delete img))"""

    def holdings(self):
        """What GIMP holds, but for what the test itself writes."""
        return holdings(self.gimp, self.process, self.folder, self.session.folder)

    def _kill(self, plugin):
        """Kills a plug-in; whether it was still at work."""
        if plugin not in children(self.process, PLUGIN):
            return False
        os.kill(plugin, signal.SIGKILL)
        return True

    def _undo(self, kind, path, story):
        """Presses Ctrl+Z until all is undone that was done to an image; how often."""
        first = _planes(self.folder / f"{kind.name}.in.xcf")
        presses = 0
        for wanted in [first] if _same(story.after, story.before) else [story.before, first]:
            def undone():
                """an earlier image, after Ctrl+Z"""
                try:
                    return _same(_planes(f"{path}.undone.xcf"), wanted)
                except (OSError, LookupError, ValueError, struct.error):  # it is being written
                    return False
            while True:
                self.screen.keys(self.screen.window("GIMP$"), "ctrl+z")
                presses += 1
                try:
                    poll(undone, 10, 0.02)
                    break
                except AssertionError:
                    assert presses < 4, f"{presses} times Ctrl+Z did not bring back the image"
        return presses


def _is_one_of(plane, *others):
    return any(np.array_equal(plane, other) for other in others)


def _left(kind, story, usual):
    """How a killed call left the image: as before, done, or with what GIMP does before it takes our
    pixels. Fails if it is none of these, or success was told of another."""
    assert _same(story.before, usual.before)
    if _same(story.after, usual.after):
        return "done"
    assert story.told != "ok"
    if _same(story.after, usual.before):
        return "as before"
    colors, alpha = story.after[0][..., :-1], story.after[0][..., -1]
    if engine.find(kind.filter).adds_alpha and np.array_equal(colors, story.before[0]):
        assert (alpha == 255).all()
        return "an opaque alpha channel more"
    if kind.name == "two" and all(map(_is_one_of, story.after, usual.before, usual.after)):
        return "one of two layers done"
    assert kind.filter == "resize", f"{kind.name}: neither as before nor done"
    assert [plane.shape for plane in story.after] == [plane.shape for plane in usual.after]
    return "scaled, without our pixels"


@pytest.mark.leaves("[Cc]rashed|terminated: |undo in inconsistent state|Broken pipe|handle_proc_run: ERROR|"
                    r"gimp_wire_read\(\): (unexpected EOF|error)|GIMP-Error")
def test_killed_at_drawn_moments(gimp, screen, record_property):
    """GIMP goes on, a layer is as before or done, one step of undo takes that back, and nothing is left."""
    draw, counts = random.Random(gimp.version), Counter()
    victim = Victim(gimp, screen)
    try:
        usual = {kind.name: victim.call(kind)[0] for kind in kinds(gimp)}
        for name, story in usual.items():
            assert story.told == "ok" and not _same(story.before, story.after), name
        at_first = victim.holdings()
        while counts.total() < KILLS:
            kind = draw.choice(kinds(gimp))
            story, presses = victim.call(kind, draw.uniform(0, usual[kind.name].lasted))
            if story.killed:
                left = _left(kind, story, usual[kind.name])
                # GIMP may have a step of undo for an operation that a call was killed over.
                needless = presses - (1 if left == "as before" else 2)
                assert needless <= 1, f"{kind.name}, {left}: {presses} times Ctrl+Z"
                counts[left + needless * ", with a step of undo that changes nothing"] += 1
            else:  # the first calls took longer
                usual[kind.name].lasted = min(usual[kind.name].lasted, story.lasted)
        victim.call(KINDS[0])
        at_last = victim.holdings()
    finally:
        screen.session = None
        victim.session.end()
    told = f"{gimp}: {counts.total()} killed: {dict(counts)}; before: {at_first}; at the end: {at_last}"
    print(told)
    record_property("killed", told)
    assert_no_more(at_first, at_last, 2 * MEMORY + KILLS * KEPT)  # it shows pictures, too
    assert processes_of(gimp) == []
