# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
"""A Slurm of one node on this machine, in a folder that is thrown away."""
import getpass
import os
import pathlib
import platform
import shutil
import signal
import subprocess
import tempfile
import time

_PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "sinfo")
_PATH = os.environ["PATH"] + ":/usr/sbin"
_CONFIGURATION = """
ClusterName=test
SlurmctldHost={node}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
SlurmctldPort={port}
SlurmdPort={port_of_node}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
NodeName={node} NodeAddr=127.0.0.1 CPUs=2
PartitionName=all Nodes={node} Default=YES
"""


class Slurm:
    """Starts the daemons; `problem` says why there are none."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="cuda-filters-slurm-", dir="/tmp"))
        self.environment = os.environ | {"PATH": _PATH, "SLURM_CONF": f"{self.folder}/slurm.conf"}
        self.problem = self._start()

    def _start(self):
        missing = [name for name in _PROGRAMS if shutil.which(name, path=_PATH) is None]
        if missing:
            return f"Slurm is not installed: there is no {missing[0]}"
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        port = 20000 + 2 * (os.getpid() % 10000)
        (self.folder / "slurm.conf").write_text(_CONFIGURATION.format(
            node=platform.node(), user=getpass.getuser(), folder=self.folder, port=port,
            port_of_node=port + 1))
        own = {f"--{what}-file={self.folder}/munge.{what}" for what in ("key", "pid", "log", "seed")}
        for words in (["munged", "--force", f"--socket={self.folder}/munge.socket", *own],
                      ["slurmctld"], ["slurmd"]):
            done = self.run(words)
            if done.returncode != 0:
                return f"{words[0]} does not start: {done.stdout}"
        end = time.monotonic() + 120
        while self.run(["sinfo", "-h", "-o", "%T"]).stdout.strip() != "idle":
            if time.monotonic() > end:
                log = (self.folder / "slurmd.log").read_text().splitlines()
                return f"Slurm's node does not get ready: {log[-1:]}"
            time.sleep(0.2)
        return ""

    def run(self, words, timeout=60, **variables):
        """Runs a command that finds this Slurm."""
        return subprocess.run([str(word) for word in words], env=self.environment | variables,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=timeout, check=False)

    def close(self):
        """Ends the daemons, in this order, and removes the folder."""
        for name in ("slurmd", "slurmctld", "munge"):
            path = self.folder / f"{name}.pid"
            if path.exists() and (text := path.read_text().strip()):
                _end(int(text))
        shutil.rmtree(self.folder, ignore_errors=True)


def _end(process):
    """Asks a process that is no child of ours to end, and waits for that."""
    end = time.monotonic() + 20
    try:
        os.kill(process, signal.SIGTERM)
        while time.monotonic() < end and pathlib.Path(f"/proc/{process}/exe").exists():
            time.sleep(0.1)
    except ProcessLookupError:
        pass
