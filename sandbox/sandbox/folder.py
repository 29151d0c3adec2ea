"""The folder of a sandbox: its files, and a record from which other processes learn about the sandbox."""

import json
import os
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from sandbox.errors import SandboxError

NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """The facts about a sandbox that are written to its folder when it has started."""

    server: str
    components: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Folder:
    """The paths inside a sandbox's folder. Some paths may not exist yet."""

    root: Path

    @property
    def name(self) -> str:
        """The sandbox's name."""
        return self.root.name

    @property
    def pki(self) -> Path:
        """Certificates and keys."""
        return self.root / "pki"

    @property
    def etcd_data(self) -> Path:
        """The folder with etcd's data."""
        return self.root / "etcd"

    @property
    def kubeconfig(self) -> Path:
        """The administrator's kubeconfig."""
        return self.root / "admin.kubeconfig"

    @property
    def kubectl_cache(self) -> Path:
        """The folder in which kubectl caches facts about the API.

        kubectl caches by address, and a later sandbox may get the same port. So each sandbox has its own cache.
        """
        return self.root / "kubectl-cache"

    @property
    def helm_home(self) -> Path:
        """The folder for Helm's own files, so that Helm neither reads nor changes files of the user."""
        return self.root / "helm"

    def kubeconfig_of(self, user: str) -> Path:
        """Return the path of the kubeconfig of any other user."""
        return self.root / "kubeconfigs" / f"{user}.kubeconfig"

    def log(self, component: str) -> Path:
        """Return the path of the file with the output of a component, from all its starts."""
        return self.root / "logs" / f"{component}.log"

    def write_record(self, record: Record) -> None:
        """Write the record. Readers see the complete new record, or the state before."""
        draft = self._record.with_suffix(".part")
        draft.write_text(json.dumps(asdict(record)), encoding="utf-8")
        draft.rename(self._record)

    def read_record(self) -> Record | None:
        """Return the record; None if the sandbox has not started completely."""
        try:
            written = json.loads(self._record.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        return Record(server=written["server"], components=tuple(written["components"]))

    @property
    def lock(self) -> Path:
        """The lock that is held while the sandbox starts. It is outside of the folder, which each start deletes."""
        return self.root.with_name(f".{self.name}.lock")

    @property
    def _record(self) -> Path:
        return self.root / "sandbox.json"


def state_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """Return the folder of all sandboxes, as the XDG base directory specification says."""
    base = environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(base) / "lockstep" / "sandboxes"


def folder_of(name: str, state: Path) -> Folder:
    """Return the folder of the sandbox ``name``. Raises SandboxError if the name is invalid."""
    if not NAME.fullmatch(name):
        raise SandboxError(f"{name!r} cannot name a sandbox: use up to 40 small letters, digits and hyphens.")
    return Folder(state.resolve() / name)


def folders_in(state: Path) -> list[Folder]:
    """Return the folders of all sandboxes, by name."""
    if not state.is_dir():
        return []
    return [Folder(entry) for entry in sorted(state.resolve().iterdir()) if entry.is_dir()]
