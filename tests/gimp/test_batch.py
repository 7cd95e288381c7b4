# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""data/batch/cuda-batch: many pictures, some of them bad, in several GIMPs at once."""
import pathlib
import shutil
import subprocess

import numpy as np
import pytest

import engine
import gimps
import xcf
from cases import picture
from slurm import Slurm

STEPS = "invert light=linear | gaussian-blur std-dev-x=2 std-dev-y=1"
LANGUAGES = [(gimp, language) for gimp in gimps.find()
             for language in (("script-fu", "python-fu") if gimp.is3 else ("script-fu",))]


def _filtered(pixels):
    """What STEPS make of linear floats."""
    inverted = engine.apply("invert", {"light": "linear"}, pixels, linear=True)
    return engine.apply("gaussian-blur", {"std-dev-x": 2.0, "std-dev-y": 1.0}, inverted, linear=True)


def _pictures(gimp, name):
    """A folder of that name with the pictures a … d, of floats, d in two layers."""
    folder = gimp.path(name)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for seed, letter in enumerate("abcd"):
        layers = [xcf.Layer(picture("f4", 4 if letter == "b" else 3, 40, 30, seed))]
        if letter == "d":
            layers.append(xcf.Layer(picture("f4", 3, 40, 30, 9), "below"))
        xcf.write(folder / f"{letter}.xcf", xcf.Image(layers, xcf.LINEAR))
    return folder


def _is_filtered(folder, results, letter):
    before = xcf.read(folder / f"{letter}.xcf").layers[0].pixels
    after = xcf.read(results / f"{letter}.xcf").layers
    wanted = _filtered(before)
    if letter == "d":  # GIMP's merged layers have an alpha channel
        wanted = np.dstack([wanted, np.ones((30, 40), "f4")])
    assert len(after) == 1
    engine.assert_same(after[0].pixels, wanted)


def _command(gimp):
    """The command where this GIMP lives, which is asked for by name."""
    source = "/src" if gimp.root else engine.SOURCE
    return [f"{source}/data/batch/cuda-batch", "--gimp", gimp.binary(True)]


def _run(words, **variables):
    return subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300,
                          check=False, **variables)


@pytest.mark.parametrize("gimp,language", LANGUAGES, ids=str)
def test_folder(gimp, language):
    """Every picture of a folder; what fails is told of, and the rest goes on."""
    folder, results = _pictures(gimp, f"batch-{language}"), gimp.path(f"batch-{language}-out")
    (folder / "broken.png").write_text("this is no picture")
    (folder / "c.png").write_text("the same name once more")
    (folder / ".hidden.png").write_text("nor this")
    (folder / "another").mkdir()
    option = ["--python"] if language == "python-fu" else []
    done = _run(gimp.command([*_command(gimp), folder, "--steps", STEPS, "--out", results,
                              "--format", "xcf", *option]))
    assert done.returncode == 1, done.stdout
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines[:6]] == [f"[{i}/6]" for i in range(1, 7)]
    for line, letter, outcome in zip(lines, ("a", "b", "broken", "c", "c", "d"),
                                     ("ok", "ok", "FAILED:", "FAILED:", "FAILED:", "ok")):
        assert line.split()[1].startswith(f"{folder}/{letter}.") and line.split()[2] == outcome
    assert "same name" in lines[4]
    assert lines[6] == "3 pictures done, 3 failed"
    assert len(lines) == 10 and f"{folder}/broken.png: " in lines[7]
    for letter in "abd":
        _is_filtered(folder, results, letter)


def test_pattern_and_jobs(gimp):
    """A pattern, by two GIMPs at once; the format is that of the name."""
    folder, results = _pictures(gimp, "batch pattern"), gimp.path("batch pattern out")
    done = _run(gimp.command([*_command(gimp), f"{folder}/?.xcf", f"{folder}/*.jpg", "--steps", STEPS,
                              "--out", results, "--jobs", 2]))
    assert done.returncode == 1, done.stdout  # by the second word, which means nothing
    assert "4 pictures done, 1 failed" in done.stdout and "*.jpg: " in done.stdout
    for letter in "abcd":
        with open(results / f"{letter}.png", "rb") as file:
            assert file.read(4) == b"\x89PNG"


def test_all_good(gimp):
    folder, results = _pictures(gimp, "batch-good"), gimp.path("batch-good-out")
    done = _run(gimp.command([*_command(gimp), f"{folder}/*.xcf", "--steps", STEPS, "--out", results,
                              "--format", "xcf"]))
    assert done.returncode == 0, done.stdout
    assert done.stdout.splitlines()[-1] == "4 pictures done, 0 failed"


@pytest.mark.parametrize("words, status, sentence", [
    (["--steps", "invert"], 2, "usage"),
    (["x.png", "--steps", "invert", "--out", "/tmp", "--part", "3/2"], 2, "--part"),
    (["x.png", "--steps", "invert", "--out", "/tmp", "--part", "3"], 2, "--part"),
    (["x.png", "--steps", "invert", "--out", "/tmp", "--jobs", "no"], 2, "--jobs"),
    (["x.png", "--nonsense"], 2, "--nonsense"),
    (["/tmp/no-such-folder-*/*.png", "--steps", "invert", "--out", "/tmp"], 1, "no-such-folder"),
    (["x.png", "--steps", "invert", "--out", "/tmp", "--gimp", "no-such-gimp"], 3, "no-such-gimp"),
])
def test_wrong_calls(gimp, words, status, sentence):
    done = _run(gimp.command([*_command(gimp), *words]))
    assert done.returncode == status, done.stdout
    assert sentence in done.stdout


@pytest.mark.parametrize("gimp,language", LANGUAGES, ids=str)
def test_never_replaces_a_picture(gimp, language):
    """However the folder is written, its pictures are not replaced by their own results."""
    folder = _pictures(gimp, f"batch-in-{language}")
    link = gimp.path(f"batch-link-{language}")
    link.unlink(missing_ok=True)
    link.symlink_to(folder)
    before = {letter: (folder / f"{letter}.xcf").read_bytes() for letter in "abcd"}
    option = ["--python"] if language == "python-fu" else []
    for word in f"{folder}/", f"{folder}/../{folder.name}/?.xcf", link, f"{link}/a.xcf":
        done = _run(gimp.command([*_command(gimp), word, "--steps", "invert", "--out", folder,
                                  "--format", "xcf", *option]))
        assert done.returncode == 1 and "would replace it" in done.stdout, done.stdout
        assert "0 pictures done" in done.stdout
        for letter, content in before.items():
            assert (folder / f"{letter}.xcf").read_bytes() == content


@pytest.mark.parametrize("gimp,language", LANGUAGES, ids=str)
def test_line_breaks(gimp, language):
    """In the steps they are blanks; a picture that has one in its name is counted as any other."""
    folder, results = _pictures(gimp, f"batch-lines-{language}"), gimp.path(f"batch-lines-{language}-out")
    (folder / "e\nf.png").write_text("this is no picture")
    option = ["--python"] if language == "python-fu" else []
    done = _run(gimp.command([*_command(gimp), folder, "--steps", STEPS.replace(" | ", "\n|\n"), "--out",
                              results, "--format", "xcf", *option]))
    assert done.returncode == 1, done.stdout
    assert "4 pictures done, 1 failed" in done.stdout
    for letter in "abcd":
        _is_filtered(folder, results, letter)


def test_ends_its_gimps(gimp):
    """Who ends the command ends what it started."""
    program, told = gimp.path("waiting-gimp"), gimp.path("waiting-gimp.pid")
    program.write_text("#!/bin/sh\n[ \"$1\" != --version ] || exec echo GIMP version 3.0.4\n"
                       f"echo $$ >{told}.new; mv {told}.new {told}\nexec tail -f /dev/null\n")
    program.chmod(0o755)
    words = gimp.command([_command(gimp)[0], "a.png", "--steps", "invert", "--out", gimp.folder,
                          "--gimp", program])
    with subprocess.Popen([str(word) for word in words], stdout=subprocess.PIPE) as batch:
        gimps.poll(told.exists)
        waiting = pathlib.Path(f"/proc/{told.read_text().strip()}")
        assert waiting.exists()
        batch.terminate()
        assert batch.wait() == 143
        def ended():
            """the end of the GIMP"""
            return not waiting.exists()
        gimps.poll(ended)


def test_gimp_dies(gimp):
    """A GIMP that ends early is no success, even if its exit status were 0."""
    program = gimp.path("dying gimp")
    program.write_text("#!/bin/sh\necho GNU Image Manipulation Program version 3.0.4\n"
                       "echo '[1/2] a.png ok'\n")
    program.chmod(0o755)
    done = _run(gimp.command([_command(gimp)[0], "a.png", "--steps", "invert", "--out", gimp.folder,
                              "--gimp", program]))
    assert done.returncode == 3 and "ended before its work was done" in done.stdout


def test_gnu_parallel(gimp):
    """One GIMP for each of GNU parallel's jobs, each with a profile and a part of its own."""
    if shutil.which("parallel") is None:
        pytest.skip("GNU parallel is not installed")
    folder, results = _pictures(gimp, "batch-parallel"), gimp.path("batch-parallel-out")
    words = gimp.command([*_command(gimp), folder, "--steps", STEPS, "--out", results, "--format",
                          "xcf", "--part", "{}/2"])
    done = _run(["parallel", "--will-cite", "--quote", "--jobs", 2, "--sshlogin", "2/:", *words, ":::",
                 1, 2])
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("2 pictures done, 0 failed") == 2
    for letter in "abcd":
        _is_filtered(folder, results, letter)


@pytest.fixture(scope="session")
def slurm():
    """A Slurm for all tests."""
    made = Slurm()
    yield made
    made.close()


def test_slurm_array(gimp, slurm):
    """An array job, really run by Slurm; a task whose picture is broken fails, the other does not."""
    if gimp.root:
        pytest.skip("Slurm runs on this machine, not in a root")
    if slurm.problem:
        pytest.skip(slurm.problem)
    folder, results = _pictures(gimp, "batch-slurm"), gimp.path("batch-slurm-out")
    (folder / "e.png").write_text("this is no picture")  # the fifth, and so of the first task
    script = engine.SOURCE / "data/batch/cuda-batch.sbatch"
    command, *options = _command(gimp)
    done = slurm.run(["sbatch", "--wait", "--array=1-2", f"--output={folder}-%a.log", script, folder,
                      "--steps", STEPS, "--out", results, "--format", "xcf", *options], 300,
                     **gimp.environment(CUDA_BATCH=command))
    logs = [gimp.path(f"batch-slurm-{task}.log").read_text() for task in (1, 2)]
    assert done.returncode == 1, done.stdout
    assert "2 pictures done, 1 failed" in logs[0] and "2 pictures done, 0 failed" in logs[1]
    for letter in "abcd":
        _is_filtered(folder, results, letter)
