"""The user's cache of programs, and of the Go toolchain that builds them, by version.

The cache has no partial files.
"""

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
        """Return the path at which the cache has the program, or would have it."""
        return self.root / f"{recipe.project}-{recipe.version}" / recipe.tool

    def find(self, recipe: Recipe) -> Path | None:
        """Return the path of the program; None if it is not in the cache."""
        path = self.path(recipe)
        return path if path.is_file() else None

    def install(self, recipe: Recipe, produce: Callable[[Path], None], progress: Progress) -> Path:
        """Add a program that ``produce`` writes to the cache, and return its path.

        ``produce`` is not called if the cache already has the program, for example from another process.
        """

        def produce_executable(product: Path) -> None:
            produce(product)
            product.chmod(EXECUTABLE)

        return _install(self.path(recipe), produce_executable, progress)

    def install_folder(self, name: str, produce: Callable[[Path], None], progress: Progress) -> Path:
        """Add a folder that ``produce`` fills to the cache, and return its path. ``name`` includes the version.

        ``produce`` is not called if the cache already has the folder.
        """
        return _install(self.root / name, produce, progress)


def _install(target: Path, produce: Callable[[Path], None], progress: Progress) -> Path:
    """Call ``produce`` and move its result to ``target``, unless ``target`` exists. Returns ``target``.

    If another process is writing ``target``, this waits for that process. The result gets its name by a single rename.
    So an interruption leaves no partial file of that name.
    """
    waiting = progress.step(f"Waiting for another process that is bringing {target.name}")
    with locked(target.with_name(f".{target.name}.lock"), waiting):
        if not target.exists():
            _produce_whole(target, produce)
    return target


def _produce_whole(target: Path, produce: Callable[[Path], None]) -> None:
    workshop = target.with_name(f".{target.name}.part")
    # This process has the lock, so no other process uses this folder: its files are from an interrupted call.
    shutil.rmtree(workshop, ignore_errors=True)
    workshop.mkdir()
    try:
        product = workshop / target.name
        produce(product)
        product.rename(target)
    finally:
        shutil.rmtree(workshop)
