"""What an installation needs to run by itself: this machine's Python, and the shared libraries of both."""

import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

# Parts of the standard library that no server needs, and what other programs have installed for this Python.
LEFT_OUT = (
    *("site-packages", "dist-packages"),
    *("test", "idlelib", "tkinter", "_tkinter*", "turtledemo", "ensurepip", "config-*"),
)
WHERE_IT_KEEPS_ITS_LIBRARY = "import sysconfig; print(*map(sysconfig.get_path, ('stdlib', 'platstdlib')), sep='\\n')"
# Programs read the name of a file's owner in the image now and then.
ACCOUNTS = {
    "etc/passwd": "root:x:0:0::/root:/usr/sbin/nologin\nlockstep:x:65532:65532::/:/usr/sbin/nologin\n",
    "etc/group": "root:x:0:\nlockstep:x:65532:\n",
}


def add_base(root: Path, prefix: str) -> None:
    """Make ``root``, where an installation is at ``prefix``, a root file system: after a chroot it runs.

    It has the Python that the installation was made with, at the path that it has on this machine.
    """
    executable = _python_of(root / prefix.removeprefix("/"))
    _copy(executable, root)
    for library in _library_of(executable):
        unneeded = shutil.ignore_patterns(*LEFT_OUT)
        shutil.copytree(library, _below(root, library), symlinks=True, dirs_exist_ok=True, ignore=unneeded)
    for needed in sorted(_shared_libraries([executable, *root.rglob("*.so"), *root.rglob("*.so.*")], apart_from=root)):
        _copy(needed, root)
    _add_accounts(root)


def _python_of(installation: Path) -> Path:
    """Return the program, and have the installation name it by its own path: its links are not in the image."""
    link = installation / "bin" / "python"
    executable = link.resolve()
    link.unlink()
    link.symlink_to(executable)
    return executable


def _library_of(executable: Path) -> set[Path]:
    asked = [str(executable), "-I", "-S", "-c", WHERE_IT_KEEPS_ITS_LIBRARY]
    done = subprocess.run(asked, capture_output=True, text=True, check=True)
    return {Path(path) for path in done.stdout.splitlines()}


def _shared_libraries(programs: Iterable[Path], *, apart_from: Path) -> set[Path]:
    """Return what the loader would load for these, but for what is in the folder already."""
    done = subprocess.run(["ldd", *programs], capture_output=True, text=True, check=False)
    return {path for path in _paths_in(done.stdout) if not path.resolve().is_relative_to(apart_from.resolve())}


def _paths_in(listed: str) -> Iterator[Path]:
    for line in listed.splitlines():
        if found := re.match(r"\t(?:\S+ => )?(/\S+) \(0x", line):
            yield Path(found[1])


def _add_accounts(root: Path) -> None:
    for path, text in ACCOUNTS.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="ascii")
    (root / "tmp").mkdir()
    (root / "tmp").chmod(0o1777)


def _copy(file: Path, root: Path) -> None:
    target = _below(root, file)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(file, target)


def _below(root: Path, path: Path) -> Path:
    return root / path.relative_to("/")
