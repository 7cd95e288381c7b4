# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""data/dist/install, the script in the archive for any Linux, with an archive whose programs are words."""
import os
import pathlib
import shutil
import subprocess

import pytest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "data/dist/install"
PLUGIN = "plug-ins/cuda-filters/cuda-filters"


class Archive:
    """The unpacked archive of one version."""

    def __init__(self, folder, version, *more):
        self.folder = folder / f"archive {version}"
        files = ["config/GIMP/2.10/" + PLUGIN, "config/GIMP/3.0/" + PLUGIN,
                 "config/GIMP/3.0/plug-ins/cuda-filters/help/index.html",
                 "data/gegl-0.4/plug-ins/cuda-filters.so", *more]
        for name in files:
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{name} of {version}\n")
            path.chmod(0o755 if "." not in path.name else 0o644)
        listed = subprocess.run(["cksum", *sorted(files)], cwd=self.folder, capture_output=True, check=True)
        (self.folder / "files").write_bytes(listed.stdout)
        text = SCRIPT.read_text().replace("@VERSION@", version).replace("@GLIBC@", "2.1")
        (self.folder / "install").write_text(text)
        (self.folder / "install").chmod(0o755)


class Person:
    """Somebody with a home folder, in which only GIMP's profiles are."""

    def __init__(self, folder):
        self.home = folder / r"home of a \n 'person' $HOME"
        self.variables = {"PATH": f"{folder}/bin:/usr/bin:/bin", "HOME": str(self.home)}
        self.profile(".config/GIMP/3.0")

    def profile(self, name):
        (self.home / name).mkdir(parents=True)
        (self.home / name / "gimprc").write_text("# as GIMP made it\n")

    def call(self, archive, *options, script=None, status=0):
        done = subprocess.run([script or archive.folder / "install", *options], env=self.variables, cwd="/",
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=60, check=False)
        assert done.returncode == status, done.stdout
        return done.stdout

    def tree(self):
        """Every path below, with what is in it."""
        return {str(path.relative_to(self.home)): path.read_text() if path.is_file() else None
                for path in sorted(self.home.rglob("*"))}


@pytest.fixture
def archive(tmp_path):
    return Archive(tmp_path, "1.0")


@pytest.fixture
def person(tmp_path):
    return Person(tmp_path)


def test_installs_and_leaves_nothing(archive, person):
    person.profile(".config/GIMP/2.10")
    before = person.tree()
    said = person.call(archive)
    assert "The plug-in for GIMP 3.0 is now in " in said and "The operations for GEGL are now in " in said
    after = person.tree()
    for series in "2.10", "3.0":
        path = f".config/GIMP/{series}/{PLUGIN}"
        assert after[path] == f"config/GIMP/{series}/{PLUGIN} of 1.0\n"
        assert os.access(person.home / path, os.X_OK)
    assert after[".local/share/gegl-0.4/plug-ins/cuda-filters.so"].endswith("of 1.0\n")
    assert not [name for name in after if name.endswith(".new") or "/work" in name]

    assert "The plug-in for GIMP 3.0 is in " in person.call(archive)
    assert person.tree() == after

    assert "no longer in" in person.call(archive, "--remove")
    assert person.tree() == before
    assert "has installed nothing" in person.call(archive, "--remove")


def test_removes_without_the_archive(archive, person):
    before = person.tree()
    person.call(archive)
    copy = person.home / ".local/share/gimp-cuda-filters/install"
    assert "unpacked archive" in person.call(archive, script=copy, status=1)
    shutil.rmtree(archive.folder)
    person.call(archive, "--remove", script=copy)
    assert person.tree() == before


def test_every_place(archive, person):
    """GIMP's Flatpak and snap have data folders of their own, and older ones profiles, too."""
    person.profile(".config/GIMP/3.2")
    person.profile(".var/app/org.gimp.GIMP/config/GIMP/2.10")
    (person.home / "snap/gimp/7").mkdir(parents=True)
    (person.home / "snap/gimp/current").symlink_to("7")
    person.profile("snap/gimp/7/.config/GIMP/3.0")
    before = person.tree()
    person.call(archive)
    after = person.tree()
    for profile, series in ((".config/GIMP/3.2", "3.0"), (".var/app/org.gimp.GIMP/config/GIMP/2.10", "2.10"),
                            ("snap/gimp/7/.config/GIMP/3.0", "3.0")):
        assert after[f"{profile}/{PLUGIN}"] == f"config/GIMP/{series}/{PLUGIN} of 1.0\n"
    for data in ".local/share", ".var/app/org.gimp.GIMP/data", "snap/gimp/7/.local/share":
        assert f"{data}/gegl-0.4/plug-ins/cuda-filters.so" in after
    person.call(archive, "--remove")
    assert person.tree() == before


def test_other_folders(archive, person, tmp_path):
    person.variables |= {"XDG_CONFIG_HOME": f"{tmp_path}/c", "XDG_DATA_HOME": "not/absolute"}
    assert "Start GIMP once" in person.call(archive, status=1)
    (tmp_path / "c/GIMP/3.0").mkdir(parents=True)
    person.call(archive)
    assert (tmp_path / "c/GIMP/3.0" / PLUGIN).exists()
    assert (person.home / ".local/share/gegl-0.4/plug-ins/cuda-filters.so").exists()
    assert not (person.home / ".config/GIMP/3.0" / PLUGIN).exists()


def test_no_profile(archive, person, tmp_path):
    """A profile that GIMP finds empty is not whole: only GIMP makes one."""
    shutil.rmtree(person.home / ".config")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/gimp-3.2").symlink_to("/bin/true")
    said = person.call(archive, status=1)
    assert "You have not started GIMP 3.2 yet" in said and "Start GIMP once" in said
    assert person.tree() == {}


def test_another_version(tmp_path, person):
    """What only the older one had goes; what somebody put beside it stays, with its folder."""
    before = person.tree()
    person.call(Archive(tmp_path, "0.9", "config/GIMP/3.0/plug-ins/cuda-filters/old/page.html",
                        "config/GIMP/3.0/plug-ins/cuda-filters/mixed/page.html"))
    mine = person.home / ".config/GIMP/3.0/plug-ins/cuda-filters/mixed/mine"
    mine.write_text("mine")
    new = Archive(tmp_path, "1.0")
    assert "This is version 1.0, after 0.9." in person.call(new)
    after = person.tree()
    assert not [name for name in after if "old" in name or "page.html" in name]
    assert not [text for name, text in after.items() if "0.9" in str(text) and not name.endswith("install")]
    assert mine.read_text() == "mine"
    person.call(new, "--remove")
    mine.unlink()
    mine.parent.rmdir()
    mine.parents[1].rmdir()
    mine.parents[2].rmdir()
    assert person.tree() == before


@pytest.mark.parametrize("kind", ["file", "link", "folder that is a link"])
def test_what_it_did_not_install(archive, person, tmp_path, kind):
    own = tmp_path / "own build"
    own.mkdir()
    (own / "cuda-filters").write_text("my build")
    there = person.home / ".config/GIMP/3.0" / PLUGIN
    if kind == "folder that is a link":
        there.parents[1].mkdir()
        there.parent.symlink_to(own)
    else:
        there.parent.mkdir(parents=True)
        if kind == "link":
            there.symlink_to(own / "cuda-filters")
        else:
            there.write_text("my build")
    before = person.tree()
    said = person.call(archive, status=1)
    assert "is not installed in" in said and "--replace" in said
    assert there.read_text() == "my build"
    assert (person.home / ".local/share/gegl-0.4/plug-ins/cuda-filters.so").exists()
    person.call(archive, "--remove")
    assert person.tree() == before

    assert "is replaced, such as" in person.call(archive, "--replace")
    assert there.read_text().endswith("of 1.0\n")
    assert [path.name for path in own.iterdir()] == ["cuda-filters"]
    assert (own / "cuda-filters").read_text() == "my build"
    person.call(archive, "--remove")
    assert not [name for name in person.tree() if "cuda" in name]


def test_keeps_what_was_changed(archive, person):
    person.call(archive)
    page = person.home / ".config/GIMP/3.0/plug-ins/cuda-filters/help/index.html"
    page.write_text("mine")
    assert "is not installed in" in person.call(archive, status=1)
    assert page.read_text() == "mine"
    assert "index.html was changed after it had been installed, and stays." in person.call(archive, "--remove")
    assert [name for name in person.tree() if "cuda" in name and (person.home / name).is_file()] == [
        str(page.relative_to(person.home))]


@pytest.mark.parametrize("after", range(1, 5))
@pytest.mark.parametrize("then", ["installs", "removes"])
def test_half_an_installation(tmp_path, person, after, then):
    """An update that ends with an error after so many files, or is killed: the next call mends or removes it."""
    before = person.tree()
    person.call(Archive(tmp_path, "0.9"))
    new = Archive(tmp_path, "1.0")
    (tmp_path / "bin").mkdir()
    copy = tmp_path / "bin/cp"
    copy.write_text(f"#!/bin/sh\necho x >>{tmp_path}/copies\n"
                    f"[ $(wc -l <{tmp_path}/copies) -le {after - 1} ] && exec /bin/cp \"$@\"\n"
                    f"head -c 5 \"$1\" >\"$2\"; kill -9 $PPID\n" if after % 2 else
                    f"#!/bin/sh\necho x >>{tmp_path}/copies\n"
                    f"[ $(wc -l <{tmp_path}/copies) -le {after - 1} ] && exec /bin/cp \"$@\"\n"
                    "echo 'cp: No space left on device' >&2; head -c 5 \"$1\" >\"$2\"; exit 1\n")
    copy.chmod(0o755)
    said = person.call(new, status=-9 if after % 2 else 1)
    assert after % 2 or "cannot be written. Make room" in said
    plugin = (person.home / ".config/GIMP/3.0" / PLUGIN).read_text()
    assert plugin.endswith(("of 0.9\n", "of 1.0\n"))  # whole
    copy.unlink()
    if then == "installs":
        person.call(new)
        tree = person.tree()
        assert not [name for name in tree if name.endswith(".new") or name.endswith("/work")]
        assert not [name for name, text in tree.items() if text and text.endswith("of 0.9\n")]
    person.call(new, "--remove")
    assert person.tree() == before


def test_damaged_archive(archive, person):
    (archive.folder / "data/gegl-0.4/plug-ins/cuda-filters.so").write_text("half")
    before = person.tree()
    assert "Unpack it again" in person.call(archive, status=1)
    assert person.tree() == before


def test_wrong_calls(archive, person):
    assert "usage" in person.call(archive, "--help", status=1)
    person.variables["HOME"] = ""
    assert "HOME" in person.call(archive, status=1)
