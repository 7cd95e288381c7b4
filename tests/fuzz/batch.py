# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""batch.py SECONDS: calls what cuda-batch does before it starts a GIMP with words drawn at random.

Each call ends with a plan of what is filtered, or with the status 2 and a line that says why not.
"""
import contextlib
import importlib.machinery
import importlib.util
import io
import os
import pathlib
import random
import re
import sys
import tempfile
import time

COMMAND = pathlib.Path(__file__).resolve().parents[2] / "data/batch/cuda-batch"
WORDS = ["--steps", "--out", "--format", "--jobs", "--part", "--gimp", "--python", "--", "-", "--help",
         "--steps=invert", "invert", "gaussian-blur std-dev-x=2 | invert", "out", "png", ".tar.gz",
         "1", "0", "-1", "2/5", "5/2", "0/1", "99999999999999999999/99999999999999999999", "*", "?.png",
         "a.png", "A.PNG", "ä.png", "a\u0308.png", "in", "in/*", "in/?", "..", "/", "", " ", "\n", "[a]",
         "a\\b", "\udc80", "\udcff.png", "'", '"', "(", "x" * 300, "--format=png", "--part=1/1", "--no"]
NAMES = ["a.png", "A.png", "a.jpg", "b", ".hidden.png", "ß.png", "SS.png", "c d.png", "e\nf.png", "(.png",
         "[g].png", "\udc80.png", "İ.png", "ﬁ.png"]


def load():
    """The command as a module."""
    loader = importlib.machinery.SourceFileLoader("cuda_batch", str(COMMAND))
    spec = importlib.util.spec_from_loader("cuda_batch", loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def draw_words(draw):
    """A command line."""
    words = []
    if draw.random() < 0.7:
        words += ["--steps", "invert", "--out", "out", "in"]
    for _ in range(draw.randrange(6)):
        word = draw.choice(WORDS)
        if draw.random() < 0.3 and word:
            at = draw.randrange(len(word))
            word = word[:at] + chr(draw.choice([draw.randrange(1, 256), draw.randrange(0xd800)])) + word[at:]
        words.insert(draw.randrange(len(words) + 1), word.replace("\0", ""))
    return words


def unquoted(text):
    """What a string of Scheme says."""
    assert text[0] == text[-1] == '"'
    return re.sub(r"\\(.)", lambda found: "\n" if found[1] == "n" else found[1], text[1:-1], flags=re.S)


def check(batch, words):
    """One call: whether it was accepted."""
    sys.argv = ["cuda-batch", *words]
    told = io.StringIO()
    try:
        with contextlib.redirect_stderr(told), contextlib.redirect_stdout(told):
            options = batch.arguments()
            sources = {source for word in options.pictures for source in batch.files_of(word)}
    except SystemExit as end:
        assert end.code in (0, 2), end.code
        assert told.getvalue().strip(), "no line says why"
        return False
    everything = sorted((batch.Picture(source, options.format) for source in sources),
                        key=batch.Picture.order)
    for picture in everything:
        assert os.sep not in picture.target and picture.target not in ("", ".", "..")
        assert picture.target.endswith("." + options.format)
        assert batch.fold(picture.target) == picture.folded
        assert "\n" not in batch.shown(picture.source) and batch.shown(picture.source).isprintable()
    k, n = options.part
    if n <= 8:
        parts = [batch.part_of(everything, i, n) for i in range(1, n + 1)]
        assert sorted(map(id, everything)) == sorted(id(picture) for part in parts for picture in part)
    else:
        batch.part_of(everything, k, n)
    assert unquoted(batch.quoted(options.steps)) == options.steps
    options.steps.encode()
    return True


def main():
    """Draws until the time is over."""
    end = time.monotonic() + float(sys.argv[1])
    seed = time.time_ns()
    draw = random.Random(seed)
    batch = load()
    count = accepted = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.mkdir("in")
        for name in NAMES:
            pathlib.Path("in", name).touch()
        os.symlink("absent", "in/link.png")
        os.mkfifo("in/pipe.png")
        while time.monotonic() < end:
            words = draw_words(draw)
            count += 1
            try:
                accepted += check(batch, words)
            except BaseException:
                print(f"with the words {words!r}", file=sys.stderr)
                raise
        os.chdir("/")
    print(f"stat::number_of_executed_units: {count}\nof which accepted: {accepted}")


main()
