"""Finds a program for this machine.

The nearest source that has the program is used. A build is the last choice.
"""

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from pathlib import Path

from sandbox.binaries import build, download
from sandbox.binaries.cache import Cache
from sandbox.binaries.catalog import Recipe, recipe, releases
from sandbox.binaries.toolchain import REQUIREMENT, Toolchain
from sandbox.binaries.tools import Tool
from sandbox.errors import SandboxError
from sandbox.progress import Progress

VERSION_SECONDS = 10.0
# The arguments with which a program prints its version, if they are not ``--version``.
VERSION_QUESTIONS = {
    Tool.KUBECTL: ("version", "--client"),
    Tool.HELM: ("version", "--short"),
    Tool.COREDNS: ("-version",),
}
FOLDER_VARIABLES = ("LOCKSTEP_SANDBOX_BIN", "KUBEBUILDER_ASSETS")
RELEASE_VARIABLE = "LOCKSTEP_SANDBOX_KUBERNETES"


class Origin(StrEnum):
    """Where a program was found. The places are tried in this order."""

    FOLDER = "folder named in the environment"
    PATH = "PATH"
    CACHE = "cache"
    DOWNLOAD = "official download"
    BUILD = "build with Go"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A program that can be run. Its version is certain only if it is from the cache, a download or a build."""

    tool: Tool
    path: Path
    origin: Origin


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolver:
    """Finds programs, and adds programs that this machine lacks to the cache."""

    folders: tuple[Path, ...]
    search_path: str
    cache: Cache
    progress: Progress
    recipes: Callable[[Tool], Recipe] = recipe
    go_requirement: Path = REQUIREMENT
    unreachable_hosts: set[str] = field(default_factory=set)

    @classmethod
    def of_environment(
        cls, progress: Progress, environ: Mapping[str, str] = os.environ, *, release: str = ""
    ) -> "Resolver":
        """Return the resolver that the environment variables describe.

        If a ``release`` of Kubernetes is given, the environment's release does not count. Raises ``SandboxError`` for
        an unknown release.
        """
        folders = tuple(Path(environ[name]) for name in FOLDER_VARIABLES if environ.get(name))
        search_path = environ.get("PATH", os.defpath)
        recipes = partial(recipe, release=release_of(environ, release))
        return cls(
            folders=folders,
            search_path=search_path,
            cache=Cache.of_user(environ),
            progress=progress,
            recipes=recipes,
        )

    def resolve(self, tool: Tool) -> Found:
        """Return the program from the first source that has it. Raises SandboxError, which says what to install."""
        wanted = self.recipes(tool)
        found = self._on_this_machine(wanted) or self._downloaded(wanted) or self._built(wanted)
        self.progress.say(f"{tool}: {found.path} ({_provenance(found, wanted)})")
        return found

    def _on_this_machine(self, wanted: Recipe) -> Found | None:
        if not wanted.exact and (found := self._of_machine(wanted.tool)):
            return found
        cached = self.cache.find(wanted)
        return Found(tool=wanted.tool, path=cached, origin=Origin.CACHE) if cached else None

    def _of_machine(self, tool: Tool) -> Found | None:
        for folder in self.folders:
            if named := shutil.which(tool, path=folder):
                return Found(tool=tool, path=Path(named), origin=Origin.FOLDER)
        on_path = shutil.which(tool, path=self.search_path)
        return Found(tool=tool, path=Path(on_path), origin=Origin.PATH) if on_path else None

    def _downloaded(self, wanted: Recipe) -> Found | None:
        published = wanted.download
        if published is None or published.host in self.unreachable_hosts:
            return None
        text = f"Downloading {wanted.tool} {wanted.version} (this happens once)"

        def produce(target: Path) -> None:
            with self.progress.step(text):
                download.fetch(published, target)

        try:
            path = self.cache.install(wanted, produce, self.progress)
        except download.DownloadError as error:
            if isinstance(error, download.UnreachableError):
                self.unreachable_hosts.add(published.host)
            self.progress.say(f"No download of {wanted.tool}: {error}.")
            return None
        return Found(tool=wanted.tool, path=path, origin=Origin.DOWNLOAD)

    def _built(self, wanted: Recipe) -> Found:
        go = self._toolchain().go()
        text = f"Building {wanted.tool} {wanted.version} with Go (this happens once, about {wanted.build_hint})"

        def produce(target: Path) -> None:
            with self.progress.step(text):
                build.build(wanted, go=go, output=target)

        path = self.cache.install(wanted, produce, self.progress)
        return Found(tool=wanted.tool, path=path, origin=Origin.BUILD)

    def _toolchain(self) -> Toolchain:
        return Toolchain(
            search_path=self.search_path, cache=self.cache, progress=self.progress, requirement=self.go_requirement
        )


def release_of(environ: Mapping[str, str], asked: str = "") -> str:
    """Return the release of Kubernetes in ``asked``, such as ``1.37``, or else the environment's release.

    Return '' if neither names a release. Then installed programs of any release may be used. Raises
    ``SandboxError`` for a release that is not one of ``releases``.
    """
    release = asked or environ.get(RELEASE_VARIABLE, "")
    if release and release not in releases():
        where = "--kubernetes" if asked else RELEASE_VARIABLE
        raise SandboxError(f"{where}={release}: choose among {', '.join(releases())}, or leave it out.")
    return release


def _provenance(found: Found, wanted: Recipe) -> str:
    if found.origin not in {Origin.FOLDER, Origin.PATH}:
        return f"{found.origin}, {wanted.version}"
    return f"{found.origin}, {_own_words(found)}; tested with {wanted.version}"


def _own_words(found: Found) -> str:
    question = VERSION_QUESTIONS.get(found.tool, ("--version",))
    try:
        answer = subprocess.run(
            [str(found.path), *question], capture_output=True, text=True, check=True, timeout=VERSION_SECONDS
        )
    except (OSError, subprocess.SubprocessError):
        return "reports no version"
    first_line = (answer.stdout.strip().splitlines() or ["nothing"])[0]
    return f"says {first_line}"
