"""``python -m image.make.sbom FILE``: what goes into the image, as locked, in CycloneDX.

It lists the packages that are installed on the image's Python, with their dependencies and the hashes of their files.
What the base image has, its publisher lists. The same commit gives the same bytes.
"""

import uuid
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import click
from cyclonedx.model import ExternalReference, ExternalReferenceType, HashAlgorithm, HashType, XsUri
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from image.make.dockerfile import DOCKERFILE, read
from image.make.locks import PROJECT, Locked, markers_of
from image.make.locks import read as read_lock
from packageurl import PackageURL

ROOT = Path(__file__).parents[2]
RUNTIME = ROOT / "image" / "locks" / "runtime.lock"


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--version", required=True, help="Version of the operator.")
@click.option("--made", required=True, type=int, help="Time of the commit, in seconds since 1970.")
def main(file: Path, version: str, made: int) -> None:
    """Write the bill of materials of the image to FILE."""
    file.parent.mkdir(parents=True, exist_ok=True)
    write_bill(file, version, made)
    click.echo(f"Wrote {file}.")


def write_bill(file: Path, version: str, made: int) -> None:
    """Write the bill of what the locks say; ``made`` are seconds since 1970."""
    python = read(DOCKERFILE.read_text(encoding="utf-8")).python
    entries = [one for one in read_lock(RUNTIME.read_text(encoding="utf-8")) if one.is_for(markers_of(python))]
    file.write_text(as_json(bill(entries, version, made)), encoding="utf-8")


def bill(entries: Iterable[Locked], version: str, made: int) -> Bom:
    """Return the bill: the operator, all packages, and their dependencies."""
    entries = tuple(entries)
    operator = _component("lockstep-operator", version, ComponentType.APPLICATION)
    components = {one.name: _component(one.name, one.version, ComponentType.LIBRARY) for one in entries}
    contents = "".join(f"{one.requirement}{one.hashes}" for one in entries)
    bom = Bom(
        components=components.values(), serial_number=uuid.uuid5(uuid.NAMESPACE_URL, f"{operator.purl}{contents}")
    )
    bom.metadata.component = operator
    bom.metadata.timestamp = datetime.fromtimestamp(made, UTC)
    needs: dict[str, list[Component]] = {name: [] for name in (PROJECT, *components)}
    for one in entries:
        components[one.name].external_references.add(_files_of(one))
        for user in one.needed_by & needs.keys():
            needs[user].append(components[one.name])
    for user, component in {PROJECT: operator, **components}.items():
        bom.register_dependency(component, needs[user])
    return bom


def as_json(bom: Bom) -> str:
    """Return the bill as text."""
    return JsonV1Dot6(bom).output_as_string(indent=2) + "\n"


def _component(name: str, version: str, kind: ComponentType) -> Component:
    url = _url(name, version)
    return Component(name=name, version=version, type=kind, purl=url, bom_ref=str(url))


def _url(name: str, version: str) -> PackageURL:
    return PackageURL(type="pypi", name=name, version=version)


def _files_of(entry: Locked) -> ExternalReference:
    return ExternalReference(
        type=ExternalReferenceType.DISTRIBUTION,
        url=XsUri(str(_url(entry.name, entry.version))),
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=one) for one in entry.hashes],
    )


if __name__ == "__main__":
    main()
