"""Builds a program from its pinned Go module."""

import os
import signal
import subprocess
from pathlib import Path

from sandbox.binaries.catalog import Recipe
from sandbox.errors import SandboxError

STRIPPED = "-s -w"


def build(recipe: Recipe, *, go: str, output: Path) -> None:
    """Compile the program into ``output``.

    Raises SandboxError with the last line of the compiler's output if the compiler fails. If the call is interrupted,
    it kills the compiler and the compiler's children.
    """
    options = ["-trimpath", "-tags", recipe.tags, "-ldflags", f"{STRIPPED} {recipe.linker_flags}", "-o", str(output)]
    # A Ctrl-C waits until the compiler's process is known, so that it can be ended too.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    process = subprocess.Popen(
        [go, "build", *options, recipe.package],
        cwd=recipe.module_folder,
        env=os.environ | {"CGO_ENABLED": "0", "GOWORK": "off"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        _, messages = process.communicate()
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise
    if process.returncode != 0:
        last_line = (messages.strip().splitlines() or ["no message"])[-1]
        raise SandboxError(f"Go could not build {recipe.tool} {recipe.version}: {last_line}")
