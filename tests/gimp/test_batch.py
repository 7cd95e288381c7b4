# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""data/batch/cuda-batch: many pictures, some of them bad, in several GIMPs at once."""
import os
import pathlib
import shutil
import signal
import subprocess

import numpy as np
import pytest
from PIL import Image

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


def _png(path, seed, size=(40, 30)):
    """A picture of noise."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pixels = np.random.default_rng(seed).integers(0, 256, (*size[::-1], 3), "u1")
    Image.fromarray(pixels).save(os.fsencode(path), "PNG")


def _is_inverted(source, result):
    """Whether `result` is what --steps invert makes of `source`."""
    with Image.open(os.fsencode(source)) as before, Image.open(os.fsencode(result)) as after:
        return bool((np.asarray(after)[..., :3] == 255 - np.asarray(before)).all())


def _fresh(gimp, name):
    """An empty folder."""
    folder = gimp.path(name)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder


def _invert(gimp, *words, language="script-fu", **variables):
    """Runs the command with --steps invert."""
    option = ["--python"] if language == "python-fu" else []
    return _run(gimp.command([*_command(gimp), "--steps", "invert", *option, *words], **variables))


def _hidden(folder):
    """What the command has left in a folder."""
    return [path.name for path in folder.iterdir() if path.name.startswith(".")]


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
    for line, i, letter, outcome in zip(lines, (5, 1, 2, 3, 4, 6), ("c", "a", "b", "broken", "c", "d"),
                                        ("FAILED:", "ok", "ok", "FAILED:", "FAILED:", "ok")):
        assert line.startswith(f"[{i}/6] {folder}/{letter}.") and line.split()[2] == outcome
    assert "same name" in lines[0]  # what cannot be done is told of first
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
    (["x.png", "--steps", "invert", "--out", "/tmp", "--nonsense"], 2, "--nonsense"),
    (["x.png", "--steps", "invert", "--out", "/tmp", "--format", "../png"], 2, "../png"),
    (["", "--steps", "invert", "--out", "/tmp"], 2, "empty"),
    (["x.png", "--steps", "invert", "--out", "/dev/null/out"], 2, "/dev/null/out"),
    (["x.png", "--steps", "invert", "--out", "/proc"], 2, "/proc"),
    (["/proc/self/fdinfo/*.png", "/dev/no-*", "--steps", "invert", "--out", "/tmp"], 1, "/dev/no-*"),
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
def test_originals_by_other_names(gimp, language):
    """A picture is never replaced, whatever the name or link that it has where a result would be."""
    folder = _fresh(gimp, f"batch-originals-{language}")
    given, links, results = folder / "given", folder / "links", folder / "results"
    for seed, name in enumerate(("given/good", "given/hard", "given/soft", "given/far", "results/same",
                                 "results/linked", "results/dots", "results/twin"), 1):
        _png(folder / f"{name}.png", seed)
    shutil.copy(given / "good.png", results / "same.xcf")  # its result would be same.png
    os.link(given / "hard.png", results / "hard.png")
    (results / "soft.png").symlink_to(given / "soft.png")
    (results / "first").symlink_to(given / "far.png")
    (results / "far.png").symlink_to("first")
    links.mkdir()
    (links / "linked.png").symlink_to(results / "linked.png")
    os.link(results / "twin.png", links / "other.png")  # is read by a name that is not the result's
    (links / "twin.png").symlink_to(given / "good.png")
    originals = {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
    done = _invert(gimp, f"{given}/*", f"{results}/same.*", links, f"{results}/../results/dots.png",
                   "--out", results, language=language)
    assert done.returncode == 1, done.stdout
    for path, content in originals.items():
        assert path.read_bytes() == content, f"{path} is another one:\n{done.stdout}"
    assert "2 pictures done, 8 failed" in done.stdout
    assert done.stdout.count(" FAILED: its result would replace it") == 6  # and same.xcf, twin.png
    assert f"twin.png FAILED: its result would replace the picture {links}/other.png" in done.stdout
    assert f"same.xcf FAILED: its result would replace the picture {results}/same.png" in done.stdout
    assert _is_inverted(given / "good.png", results / "good.png")
    assert _is_inverted(links / "other.png", results / "other.png")
    assert _hidden(results) == []


def test_replaces_a_link_not_what_it_leads_to(gimp):
    """A link where a result goes, which others may have laid, is replaced by the result."""
    folder = _fresh(gimp, "batch-laid")
    given, results, secret = folder / "given", folder / "results", folder / "secret.txt"
    for seed, name in enumerate("ab"):
        _png(given / f"{name}.png", seed)
    results.mkdir()
    secret.write_text("what a link leads to")
    (results / "a.png").symlink_to(secret)
    (results / "b.png").symlink_to(folder / "made by a link")
    done = _invert(gimp, given, "--out", results)
    assert done.returncode == 0, done.stdout
    assert secret.read_text() == "what a link leads to" and not (folder / "made by a link").exists()
    for name in "ab":
        assert not (results / f"{name}.png").is_symlink()
        assert _is_inverted(given / f"{name}.png", results / f"{name}.png")


def test_results_have_usual_permissions(gimp):
    """Those of any file that the user makes, although they are made in a folder for the user alone."""
    folder = _fresh(gimp, "batch-umask")
    _png(folder / "given/a.png", 1)
    for suffix in "png", "xcf":
        words = gimp.command([*_command(gimp), folder / "given", "--steps", "invert", "--out",
                              folder / "results", "--format", suffix])
        done = _run(["sh", "-c", 'umask 027; exec "$@"', "sh", *words])
        assert done.returncode == 0, done.stdout
        assert (folder / f"results/a.{suffix}").stat().st_mode & 0o777 == 0o640


def test_parts_among_their_own_results(gimp):
    """What one part has written into the pictures' folder takes no picture from another part."""
    folder = _pictures(gimp, "batch-parts")
    (folder / "e.xcf").write_bytes((folder / "a.xcf").read_bytes())
    originals = {path: path.read_bytes() for path in folder.iterdir()}
    for k in 1, 2, 3:
        done = _invert(gimp, folder, "--out", folder, "--part", f"{k}/3")
        assert ("1 pictures done, 0 failed" if k == 3 else "2 pictures done, 0 failed") in done.stdout
    assert {path.name for path in folder.iterdir()} == {f"{letter}.{suffix}" for letter in "abcde"
                                                        for suffix in ("png", "xcf")}
    for path, content in originals.items():
        assert path.read_bytes() == content
    again = _invert(gimp, folder, "--out", folder)  # now the results are pictures, too
    assert again.returncode == 1 and "0 pictures done, 10 failed" in again.stdout


def test_names(gimp):
    """Of any bytes, and such as what the command itself says."""
    folder = _fresh(gimp, "batch-names")
    given, results = folder / "given", folder / "results"
    names = [b"a FAILED: b", b"[1-2] c ok", b"-d", b"--steps", b"e\nf", b'g"h\\i\'', b"caf\xe9", b"\xff",
             "größe 雪".encode(), b"%s ${HOME} $(id) `id`", b"tab\there", b"many.dots.in it"]
    for seed, name in enumerate(names):
        _png(given / (os.fsdecode(name) + ".png"), seed)
    (given / "x FAILED: y.png").write_text("this is no picture")
    (given / os.fsdecode(b"z\xe9.png")).write_text("nor this")
    done = _invert(gimp, given, "--out", results)
    assert done.returncode == 1, done.stdout
    assert "12 pictures done, 2 failed" in done.stdout
    lines = done.stdout.splitlines()
    assert len(lines) == 14 + 1 + 2
    assert any(line.endswith(r"/caf\xe9.png ok") for line in lines)
    assert any(line.endswith(r"/e\nf.png ok") for line in lines)
    assert lines[-1].startswith(rf"  {given}/z\xe9.png: ") and "/proc/" not in done.stdout
    assert len(list(results.iterdir())) == 12
    for name in names:
        assert _is_inverted(given / (os.fsdecode(name) + ".png"), results / (os.fsdecode(name) + ".png"))
    one = _run(gimp.command(["sh", "-c", 'cd "$1"; shift; exec "$@"', "sh", given, *_command(gimp),
                             "--steps", "invert", "--out", folder / "one", "./--steps.png"]))
    assert one.returncode == 0 and (folder / "one/--steps.png").exists(), one.stdout


def test_folder_of_other_names(gimp):
    """Folders of any bytes, for pictures, results, temporary files and the user's own."""
    folder = _fresh(gimp, os.fsdecode(b"batch \"folder\" \\ \n' \xe9"))
    given, results, home = folder / "given", folder / "results", folder / "temporary"
    _png(given / "a.png", 1)
    home.mkdir()
    done = _invert(gimp, f"{given}/*.png", "--out", results, TMPDIR=home)
    assert done.returncode == 0, done.stdout
    assert _is_inverted(given / "a.png", results / "a.png")
    assert list(home.glob("cuda-batch-*")) == []


def test_links_and_pipes(gimp):
    """Links are pictures like others; what is no file is never opened."""
    folder = _fresh(gimp, "batch-links")
    given, results = folder / "given", folder / "results"
    _png(folder / "elsewhere/real.png", 1)
    given.mkdir()
    (given / "link.png").symlink_to(folder / "elsewhere/real.png")
    (given / "broken.png").symlink_to(folder / "nothing")
    (given / "loop.png").symlink_to("loop.png")
    (given / "folder.png").symlink_to(folder / "elsewhere")
    os.mkfifo(given / "pipe.png")
    (given / "device.png").symlink_to("/dev/zero")
    done = _invert(gimp, given, "--out", results)
    assert done.returncode == 1, done.stdout
    assert "1 pictures done, 2 failed" in done.stdout
    assert "broken.png FAILED: it is a link that leads nowhere" in done.stdout
    assert _is_inverted(folder / "elsewhere/real.png", results / "link.png")
    named = _invert(gimp, given / "pipe.png", given / "device.png", "--out", results)
    assert named.returncode == 1, named.stdout
    assert named.stdout.count(".png FAILED: it is no file\n") == 2
    (results / "link.png").unlink()
    os.mkfifo(results / "link.png")
    taken = _invert(gimp, given / "link.png", "--out", results)
    assert taken.returncode == 1 and "something that is no file" in taken.stdout
    (results / "link.png").unlink()
    (results / "link.png").mkdir()
    taken = _invert(gimp, given / "link.png", "--out", results)
    assert taken.returncode == 1 and "something that is no file" in taken.stdout


@pytest.mark.parametrize("gimp,language", LANGUAGES, ids=str)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_interrupted(gimp, language, number):
    """Who ends the command while a result is being written finds neither that nor anything else."""
    folder = _fresh(gimp, f"batch-interrupted-{language}")
    results = folder / "results"
    _png(folder / "given/a.png", 1, (3000, 2000))
    option = ["--python"] if language == "python-fu" else []
    words = gimp.command([*_command(gimp), folder / "given", "--steps", "invert", "--out", results, *option],
                         TMPDIR=folder)

    def writes():
        """a result that has begun"""
        return [path for path in results.rglob("*.png") if path.stat().st_size > 0]

    with subprocess.Popen([str(word) for word in words], stdout=subprocess.DEVNULL) as batch:
        gimps.poll(writes, step=0.01)
        batch.send_signal(number)
        assert batch.wait() in (0, 128 + number)  # 0: all was done before it heard
    assert list(folder.glob("cuda-batch-*")) == []
    for path in results.iterdir():
        assert path.name == "a.png" and _is_inverted(folder / "given/a.png", path)


@pytest.mark.parametrize("suffix", ["png", "bmp"])  # GIMP does not notice that its BMP is not complete
def test_full_disk(gimp, suffix):
    """Half a result never gets its name, even where GIMP calls it one; the rest goes on."""
    folder = _fresh(gimp, "batch-full")
    results = folder / "results"
    for letter, size in ("a", (40, 30)), ("b", (800, 700)), ("c", (40, 30)):
        _png(folder / f"given/{letter}.png", ord(letter), size)
    results.mkdir()
    plugins = folder / "plug-ins"
    plugins.mkdir()
    where = (gimp.path("sys") / "file-png").readlink().parent
    (plugins / "file-bmp").symlink_to(where / "file-bmp")
    script = 'mount -t tmpfs -o size=1600k tmpfs "$0" || exit 77; "$@"; status=$?; ls -A "$0"; exit $status'
    words = ["sh", "-c", script, results, *_command(gimp), folder / "given", "--steps", "invert", "--out",
             results, "--format", suffix]
    if not gimp.root:
        words = ["unshare", "--map-root-user", "--mount", *words]
    done = _run(gimp.command(words, GIMP_TESTING_PLUGINDIRS=f"{gimp.folder}/own:{gimp.folder}/sys:{plugins}"))
    if done.returncode == 77 or "unshare" in done.stdout:
        pytest.skip("nothing can be mounted here")
    assert done.returncode == 1, done.stdout
    assert f"2 pictures done, 1 failed\n  {folder}/given/b.png: " in done.stdout
    assert done.stdout.splitlines()[-2:] == [f"a.{suffix}", f"c.{suffix}"]


def test_changes_meanwhile(gimp):
    """A picture that goes before its turn fails by its name; one that is moved to where a result of
    another goes is not replaced; and the rest goes on."""
    folder = _fresh(gimp, "batch-meanwhile")
    given, results = folder / "given", folder / "results"
    for seed, letter in enumerate("abcd"):
        _png(given / f"{letter}.png", seed)
    moved = (given / "d.png").read_bytes()
    results.mkdir()
    program = gimp.path("changing gimp")
    program.write_text(f'#!/bin/sh\n[ "$1" = --version ] || {{ rm "{given}/b.png"\n'
                       f'mv "{given}/d.png" "{results}/a.png"; }}\n'
                       f'exec {gimp.binary(True)} "$@"\n')
    program.chmod(0o755)
    done = _run(gimp.command([_command(gimp)[0], "--gimp", program, given, "--steps", "invert", "--out",
                              results]))
    assert done.returncode == 1, done.stdout
    assert "1 pictures done, 3 failed\n" in done.stdout and f"\n  {given}/b.png: " in done.stdout
    assert f"  {given}/a.png: its result would replace the picture {given}/d.png" in done.stdout
    assert (results / "a.png").read_bytes() == moved and (results / "c.png").exists()


def test_names_that_differ_by_case(gimp):
    """They are names of two results."""
    folder = _fresh(gimp, "batch-case")
    results = folder / "results"
    for seed, name in enumerate(("a", "A", "straße", "STRASSE")):
        _png(folder / f"given/{name}.png", seed)
    done = _invert(gimp, folder / "given", "--out", results)
    assert done.returncode == 0, done.stdout
    for name in "a", "A", "straße", "STRASSE":
        assert _is_inverted(folder / f"given/{name}.png", results / f"{name}.png")


def test_file_system_that_ignores_case(gimp):
    """There, names that differ by case are those of one file."""
    tools = ["mount.exfat-fuse", "mkfs.exfat", "losetup"]
    if gimp.root or os.geteuid() != 0 or not all(map(shutil.which, tools)):
        pytest.skip("this needs root and exfat-fuse on this machine")
    folder = _fresh(gimp, "batch-exfat")
    for seed, name in enumerate(("a", "A", "b")):
        _png(folder / f"given/{name}.png", seed)
    with open(folder / "disk", "wb") as disk:
        disk.truncate(20 << 20)
    script = r'''
      disk=$(losetup -f --show "$0/disk") || exit 77
      trap 'umount "$0/card"; losetup -d "$disk"' EXIT
      mkdir "$0/card"
      mkfs.exfat "$disk" >/dev/null && mount.exfat-fuse "$disk" "$0/card" >/dev/null || exit 77
      cp "$0/given/b.png" "$0/card/B.PNG"
      "$@" "$0/given" --out "$0/card/results"
      "$@" "$0/card" --out "$0/card"
      "$@" "$0/card/*.PNG" --out "$0/CARD/../card/."
      cmp "$0/given/b.png" "$0/card/B.PNG" && echo as it was
      ls -A "$0/card" "$0/card/results"'''
    words = ["unshare", "--mount", "sh", "-c", script, folder, *_command(gimp), "--steps", "invert"]
    done = _run(gimp.command(words))
    if done.returncode == 77:
        pytest.skip("nothing can be mounted here")
    assert "2 pictures done, 1 failed" in done.stdout, done.stdout  # of a and A, one
    assert f"a.png: its result would replace that of another picture of the same name, {folder}/given/A" \
        in done.stdout
    assert done.stdout.count("FAILED: its result would replace the picture") == 2
    assert "as it was" in done.stdout and ".cuda-batch" not in done.stdout.split("as it was")[1]


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
    _png(gimp.path("batch-one/a.png"), 1)
    words = gimp.command([_command(gimp)[0], gimp.path("batch-one"), "--steps", "invert", "--out",
                          gimp.path("batch-one-out"), "--gimp", program])
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
    _png(gimp.path("batch-one/a.png"), 1)
    done = _run(gimp.command([_command(gimp)[0], gimp.path("batch-one"), "--steps", "invert", "--out",
                              gimp.path("batch-one-out"), "--gimp", program]))
    assert done.returncode == 3 and "ended before its work was done" in done.stdout
    assert f"{gimp.folder}/batch-one/a.png" in done.stdout


def test_nobody_takes_what_it_tells(gimp):
    """That ends it with a status of its own, and nothing is left behind."""
    folder = _fresh(gimp, "batch-untold")
    _png(folder / "given/a.png", 1)
    words = gimp.command([*_command(gimp), folder / "given", "--steps", "invert", "--out",
                          folder / "results"])
    done = _run(["sh", "-c", '"$@" >/dev/full', "sh", *words])
    assert done.returncode == 3 and "No space left on device" in done.stdout, done.stdout
    done = _run(["sh", "-c", '{ "$@"; echo $? >&2; } | true', "sh", *words])
    assert done.stdout == "141\n"
    assert [path.name for path in (folder / "results").iterdir()] == ["a.png"]


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
