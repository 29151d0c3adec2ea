"""The user's cache of programs and of the Go that builds them, keyed by version: whatever is in it is whole."""

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from sandbox.binaries.catalog import Recipe
from sandbox.locks import locked
from sandbox.progress import Progress

EXECUTABLE = 0o755


@dataclass(frozen=True, slots=True, kw_only=True)
class Cache:
    """A folder of programs, with one folder per project and version."""

    root: Path

    @classmethod
    def of_user(cls, environ: Mapping[str, str]) -> "Cache":
        """Return the user's cache, as the XDG base directory specification says."""
        base = environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        return cls(root=Path(base) / "lockstep" / "bin")

    def path(self, recipe: Recipe) -> Path:
        """Return where the program is, or would be."""
        return self.root / f"{recipe.project}-{recipe.version}" / recipe.tool

    def find(self, recipe: Recipe) -> Path | None:
        """Return the program when it is here."""
        path = self.path(recipe)
        return path if path.is_file() else None

    def install(self, recipe: Recipe, produce: Callable[[Path], None], progress: Progress) -> Path:
        """Let ``produce`` write the program and take it in, unless another process has done so meanwhile."""

        def produce_executable(product: Path) -> None:
            produce(product)
            product.chmod(EXECUTABLE)

        return _install(self.path(recipe), produce_executable, progress)

    def install_folder(self, name: str, produce: Callable[[Path], None], progress: Progress) -> Path:
        """Let ``produce`` fill a folder, whose name holds its version, and take it in, unless it is here."""
        return _install(self.root / name, produce, progress)


def _install(target: Path, produce: Callable[[Path], None], progress: Progress) -> Path:
    """Take in what ``produce`` writes, unless it is here or another process brings it meanwhile.

    One rename gives it its name after ``produce`` has returned. So an interruption leaves no partial file of that
    name.
    """
    waiting = progress.step(f"Waiting for another process that is bringing {target.name}")
    with locked(target.with_name(f".{target.name}.lock"), waiting):
        if not target.exists():
            _produce_whole(target, produce)
    return target


def _produce_whole(target: Path, produce: Callable[[Path], None]) -> None:
    workshop = target.with_name(f".{target.name}.part")
    # Under the lock no other process works here: what lies there was left by an interruption.
    shutil.rmtree(workshop, ignore_errors=True)
    workshop.mkdir()
    try:
        product = workshop / target.name
        produce(product)
        product.rename(target)
    finally:
        shutil.rmtree(workshop)
