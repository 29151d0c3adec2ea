"""The notes of a release: what its files are for, and what the changelog says of its version."""

import re
import tarfile
from pathlib import Path
from string import Template

import click

ROOT = Path(__file__).parents[2]
CHANGELOG = ROOT / "CHANGELOG.md"
FILES = Template((ROOT / "release" / "files.md").read_text(encoding="utf-8"))
LINK = re.compile(r"\[([^\]]*)\]\((?!https?:)([^)]*)\)")


def write_notes(target: Path, version: str, image: Path) -> None:
    """Write the notes; raise ClickException where the changelog has no section of this version."""
    changes = section(CHANGELOG.read_text(encoding="utf-8"), version)
    files = FILES.substitute(version=version, archive=archive_of(image))
    target.write_text(files + "\n## Changes\n\n" + changes, encoding="utf-8")


def archive_of(image: Path) -> str:
    """Return how skopeo copies the whole archive. Those of several platforms have an index, in the layout of OCI."""
    with tarfile.open(image) as archive:
        return "--all oci-archive" if "index.json" in archive.getnames() else "docker-archive"


def section(changelog: str, version: str) -> str:
    """Return what stands below the heading of a version; pages are named by their paths, since links lead nowhere."""
    for part in re.split(r"^## ", changelog, flags=re.MULTILINE)[1:]:
        heading, _, text = part.partition("\n")
        if heading.removeprefix("Unreleased: ").split(maxsplit=1)[0] == version:
            return LINK.sub(r"\1 (`\2`)", text).strip() + "\n"
    raise click.ClickException(f"CHANGELOG.md has no heading of the version {version}.")
