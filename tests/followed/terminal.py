"""A terminal as a reader of the documentation has it: what a block says is typed in, and what comes out is seen."""

import os
import re
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from docs.markdown import ROOT
from eventually import eventually
from sandbox import processes

BLOCK_SECONDS = 300.0
CONSOLE_SECONDS = 180.0


class Terminal:
    """One shell in the clone's folder, which keeps its variables from block to block. ``home`` is an empty folder."""

    def __init__(self, environment: Mapping[str, str], home: Path) -> None:
        home.mkdir()
        self._home = home
        self._log = home / "output"
        with self._log.open("wb") as output:
            self._shell = subprocess.Popen(
                processes.owned(["/bin/bash", "--noprofile", "--norc", "-eo", "pipefail"]),
                cwd=ROOT,
                env=dict(environment),
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        self._typed = 0
        self._stays: Path | None = None

    def follow(self, text: str) -> str:
        """Type a block and return what it wrote; the test fails where a command of it does."""
        before = self._log.stat().st_size
        done = self._type(text)
        eventually(lambda: done.exists() or self._shell.poll() is not None, seconds=BLOCK_SECONDS)
        written = self._log.read_bytes()[before:].decode(errors="replace")
        assert done.exists(), f"{text}\n--- failed:\n{written}"
        return written

    def stay_in(self, text: str) -> None:
        """Type a block whose last command goes on until Ctrl-C."""
        self._stays = self._type(text)

    def until_it_says(self, words: str) -> None:
        """Return once the terminal shows these words."""
        eventually(lambda: words in self._log.read_text(errors="replace"), seconds=BLOCK_SECONDS)

    def see(self, text: str) -> None:
        """Type the commands of a console's picture until it shows what the picture does; times and ages differ."""
        for command, want in pictured(text):
            eventually(
                lambda command=command, want=want: self._shows(command, want), seconds=CONSOLE_SECONDS, every=0.5
            )

    def interrupt(self) -> None:
        """Press Ctrl-C, and return once the command that stays has ended well."""
        os.killpg(self._shell.pid, signal.SIGINT)
        self.until_it_has_ended()

    def until_it_has_ended(self) -> None:
        """Return once the command that stays has ended well."""
        assert self._stays is not None, "nothing stays"
        eventually(lambda: self._stays.exists() or self._shell.poll() is not None, seconds=BLOCK_SECONDS)
        assert self._stays.exists(), self._log.read_text(errors="replace")

    def leave(self) -> None:
        """Close the terminal, whatever runs in it."""
        if self._shell.poll() is None:
            os.killpg(self._shell.pid, signal.SIGKILL)
        self._shell.communicate()

    def _type(self, text: str) -> Path:
        self._typed += 1
        block, done = self._home / f"{self._typed}.sh", self._home / f"{self._typed}.done"
        block.write_text(text, encoding="utf-8")
        assert self._shell.stdin is not None
        self._shell.stdin.write(f". '{block}' </dev/null\n: >'{done}'\n".encode())
        self._shell.stdin.flush()
        return done

    def _shows(self, command: str, want: re.Pattern[str]) -> bool:
        shown = self.follow(command)
        assert want.fullmatch(shown), f"{command}\n{shown}"
        return True


@contextmanager
def terminal(environment: Mapping[str, str], home: Path) -> Iterator[Terminal]:
    """Open a terminal for the block."""
    opened = Terminal(environment, home)
    try:
        yield opened
    finally:
        opened.leave()


def applying(manifests: str) -> str:
    """The command that applies these manifests."""
    return f"kubectl apply -f - <<'END'\n{manifests}\nEND"


def pictured(text: str) -> Iterator[tuple[str, re.Pattern[str]]]:
    """Every command of a console's picture, and what it has to show."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        yield command, re.compile("\n".join(map(_pattern, shown.splitlines())) + r"\s*")


def _pattern(line: str) -> str:
    """Any time for a time, any age for an age or a while, and as many blanks as a column has."""
    words = re.sub(r"\S+", lambda word: re.escape(word[0]), line)
    words = re.sub(r"\d{4}\\-\d\d\\-\d\dT[\d:]+Z", r"\\d{4}-\\d\\d-\\d\\dT[\\d:]+Z", words)
    words = re.sub(r"(?<=\s)(\d+ min )?\d+ s\b", r"[\\dsmin\\s]+", words)
    words = re.sub(r"(?<=\s)\d+s(?=\s|$)", r"[\\dms]+", words.rstrip())
    return re.sub(r"\s+", r"\\s+", words) + r"\s*"
