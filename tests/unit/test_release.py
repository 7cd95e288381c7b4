# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""data/dist/release: the files agree in their version, and it finds where they do not."""
import importlib.machinery
import importlib.util
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "data/dist/release"
_loader = importlib.machinery.SourceFileLoader("release", str(PROGRAM))
release = importlib.util.module_from_spec(importlib.util.spec_from_loader("release", _loader))
_loader.exec_module(release)

FILES = sorted({name for name, _, _ in release.PLACES})


def _change(path, pattern, new):
    text, count = re.subn(pattern, new, path.read_text(), count=1)
    assert count == 1
    path.write_text(text)


@pytest.fixture
def project(tmp_path):
    """The files that have the version, as they are when 1.0.0 is released."""
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
        text = (tmp_path / name).read_text()
        for version in {version for there, version, _ in release.versions(ROOT) if there == name}:
            text = text.replace(version, "1.0.0")
        (tmp_path / name).write_text(text)
    _change(tmp_path / "CHANGELOG.md", r"(?m)^(## 1\.0\.0) .*", r"\1 (2030-01-31)")
    _change(tmp_path / "debian/changelog", r"\A(.*) \w+;", r"\1 unstable;")
    _change(tmp_path / "debian/changelog", r"(?m)^( -- .*>  ).*", r"\1Thu, 31 Jan 2030 12:00:00 +0000")
    _change(tmp_path / release.METAINFO, r'(<releases>\s*<release version="1\.0\.0") [^/]*', r'\1 date="2030-01-31"')
    return tmp_path


def test_versions_of_the_project_agree():
    found = {(name, version) for name, version, _ in release.versions(ROOT)}
    assert len({version for _, version in found}) == 1, found


def test_a_version_is_released_in_all_files_or_in_none():
    assert len(list(release.unreleased(ROOT))) in (0, len(release.UNRELEASED))


def test_a_release_whose_files_agree(project):
    assert release.problems_of_files(project, "1.0.0") == []


@pytest.mark.parametrize("name", FILES)
def test_a_file_with_another_version(project, name):
    pattern = next(pattern for there, pattern, _ in release.PLACES if there == name)
    text = (project / name).read_text()
    start, end = re.search(pattern, text).span(1)
    (project / name).write_text(text[:start] + "0.9.9" + text[end:])
    found = release.problems_of_files(project, "1.0.0")
    assert found and found[0].startswith(f"{name} has version 0.9.9: write ") and "1.0.0" in found[0]
    (project / name).write_text(text.replace("1.0.0", ""))
    assert any(problem.startswith(f"{name} has version") for problem in release.problems_of_files(project, "1.0.0"))


@pytest.mark.parametrize("name, pattern, said", [
    ("CHANGELOG.md", r"\(2030-01-31\)", "(not released yet)"), ("debian/changelog", r"unstable", "UNRELEASED"),
    (release.METAINFO, r'date="2030-01-31"', 'date="2030-01-31" type="development"')])
def test_a_file_that_says_it_is_not_released(project, name, pattern, said):
    _change(project / name, pattern, said)
    found = release.problems_of_files(project, "1.0.0")
    assert found and all(problem.startswith(f"{name} says ") for problem in found)


def test_dates_that_differ(project):
    _change(project / "CHANGELOG.md", "2030-01-31", "2030-02-01")
    assert [problem[:16] for problem in release.problems_of_files(project, "1.0.0")] == ["the dates differ"]


def test_refuses_what_is_not_ready():
    """Before anything that takes long: every file is named, and there is no command for a tag."""
    called = subprocess.run([PROGRAM, "999.0.0", "--without-gpu"], capture_output=True, text=True, timeout=60)
    assert called.returncode == 1 and "git tag" not in called.stdout
    for name in FILES:
        assert f"not ready: {name} has version " in called.stdout
    wrong = subprocess.run([PROGRAM, "1.0"], capture_output=True, text=True, timeout=60)
    assert wrong.returncode == 2 and "three numbers" in wrong.stderr
