# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
""".ci/packages.sh: what ./demo and ./check build for the nvcc and the GPUs that a machine has; and what the
Debian package says of the project."""
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGES = ROOT / ".ci/packages.sh"


def _program(folder, name, body):
    path = folder / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


class Machine:
    """A machine that has what a test installs; its meson only notes its arguments."""

    def __init__(self, folder):
        self.folder = folder
        self.nvcc = folder / "bin/nvcc"
        self.smi = folder / "bin/nvidia-smi"
        (folder / "bin").mkdir()
        for name in "cat", "grep", "mkdir", "paste", "rm", "sh", "sort", "touch", "tr":
            (folder / "bin" / name).symlink_to(shutil.which(name))
        _program(folder / "bin", "meson", 'mkdir "$2"; touch "$2/build.ninja"; echo "$*" >>meson.log')

    def install_nvcc(self):
        _program(self.folder / "bin", "nvcc", "exit 1")

    def install_gpu(self, *compute_caps):
        _program(self.folder / "bin", "nvidia-smi", "printf '%s\\n' " + " ".join(compute_caps))

    def configure(self, default):
        """What meson was called with, or None if it was not called."""
        log = self.folder / "meson.log"
        log.unlink(missing_ok=True)
        subprocess.run(["/bin/sh", "-euc", f". {PACKAGES}; use_cuda() {{ :; }}; configure build {default} -Dx=y"],
                       cwd=self.folder, check=True,
                       env={"PATH": f"{self.folder}/bin", "HOME": str(self.folder)})
        return log.read_text().strip() if log.exists() else None


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


def test_without_nvcc(machine):
    machine.install_gpu("9.0")
    for default in "none", "90":
        assert machine.configure(default) in ("setup build -Dfilters_per_file=12 -Dcuda=disabled -Dx=y", None)


def test_nvcc_without_gpu(machine):
    """./demo leaves out the kernels, which could not run; ./check compiles them without optimizing."""
    machine.install_nvcc()
    assert machine.configure("none") == "setup build -Dfilters_per_file=12 -Dcuda=disabled -Dx=y"
    machine.folder.joinpath("build/build.ninja").unlink()
    assert (machine.configure("90") ==
            "setup build -Dfilters_per_file=12 -Dgpu_archs=90 "
            "-Dcuda_args=['-Xcicc=-O1','-Xptxas=-O0'] -Dx=y")


@pytest.mark.parametrize("compute_caps, archs", [(["8.6"], "86"), (["12.0", "9.0", "9.0"], "90,120")])
def test_builds_for_the_gpus_there_are(machine, compute_caps, archs):
    machine.install_nvcc()
    machine.install_gpu(*compute_caps)
    assert machine.configure("none") == f"setup build -Dfilters_per_file=12 -Dgpu_archs={archs} -Dx=y"


def test_driver_without_gpu(machine):
    """nvidia-smi tells of its failure where others tell of a GPU."""
    machine.install_nvcc()
    _program(machine.folder / "bin", "nvidia-smi", "echo NVIDIA-SMI has failed; exit 9")
    assert machine.configure("none") == "setup build -Dfilters_per_file=12 -Dcuda=disabled -Dx=y"


def test_makes_the_build_anew(machine):
    """When a GPU or an nvcc has come or gone, and only then."""
    machine.install_nvcc()
    assert machine.configure("none") is not None
    assert machine.configure("none") is None
    machine.install_gpu("8.9")
    assert machine.configure("none") == "setup build -Dfilters_per_file=12 -Dgpu_archs=89 -Dx=y"
    assert machine.configure("none") is None
    machine.smi.unlink()
    assert machine.configure("none") == "setup build -Dfilters_per_file=12 -Dcuda=disabled -Dx=y"
    machine.install_gpu("8.9")
    machine.nvcc.unlink()
    assert machine.configure("none") == "setup build -Dfilters_per_file=12 -Dcuda=disabled -Dx=y"
    assert machine.configure("none") is None


def test_debian_copyright_has_the_licences_of_the_files():
    """Every licence that a file names is there, and the files that have another than the rest."""
    debian = {"LGPL-3.0-or-later": "LGPL-3+", "FSFAP": "FSFAP"}
    paragraphs = (ROOT / "debian/copyright").read_text().split("\n\n")
    of_files = {re.search(r"^Files: (.*)", p)[1]: re.search(r"(?m)^License: (.*)", p)[1]
                for p in paragraphs if p.startswith("Files: ")}
    names = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in names.splitlines():
        text = (ROOT / name).read_bytes()[:600].decode(errors="replace")
        if said := re.search(r"SPDX-License-Identifier: (\S+)", text):
            assert debian[said[1]] == of_files.get(name, of_files["*"]), name
