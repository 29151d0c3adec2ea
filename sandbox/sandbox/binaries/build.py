"""Building a program from its pinned Go module."""

import os
import shutil
import signal
import subprocess
from pathlib import Path

from sandbox.binaries.catalog import Recipe
from sandbox.errors import SandboxError

STRIPPED = "-s -w"


def find_go(search_path: str) -> str:
    """Return the path of the Go command, or raise SandboxError saying what to install."""
    go = shutil.which("go", path=search_path)
    if go is None:
        raise SandboxError(
            "Install Go 1.26 or newer, or put etcd, kube-apiserver and the others into a folder and name it in "
            "LOCKSTEP_SANDBOX_BIN: they are neither on this machine nor could they be downloaded."
        )
    return go


def build(recipe: Recipe, *, go: str, output: Path) -> None:
    """Compile the program into ``output``; raise SandboxError with the compiler's last line when it cannot be.

    An interrupted call takes the compiler and its children with it.
    """
    command = [go, "build", "-trimpath", "-ldflags", f"{STRIPPED} {recipe.linker_flags}", "-o", str(output)]
    process = subprocess.Popen(
        [*command, recipe.package],
        cwd=recipe.module_folder,
        env=os.environ | {"CGO_ENABLED": "0", "GOWORK": "off"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        _, messages = process.communicate()
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise
    if process.returncode != 0:
        last_line = (messages.strip().splitlines() or ["no message"])[-1]
        raise SandboxError(f"Go could not build {recipe.tool} {recipe.version}: {last_line}")
