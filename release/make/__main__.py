"""``python -m release.make FOLDER``: write the files of a release."""

import shutil
from pathlib import Path

import click
from image.make.sbom import write_bill
from release.make.chart import package_chart
from release.make.command_line import write_command_line
from release.make.notes import write_notes
from release.make.plug_in import write_plug_in
from release.make.sums import write_sums


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--version", required=True, help="Version of the operator.")
@click.option("--made", required=True, type=int, help="Time of the commit, in seconds since 1970.")
@click.option("--image", required=True, type=click.Path(exists=True, path_type=Path), help="Archive of the image.")
@click.option("--address", required=True, help="Where the files can be downloaded, for the manifest of the plug-in.")
def main(folder: Path, version: str, made: int, image: Path, address: str) -> None:
    """Write all files of the release into FOLDER; what was in it before is deleted."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copy(image, folder / f"lockstep-image-{version}.tar")
    package_chart(folder, made)
    wheel, lock = write_command_line(folder, version, made)
    write_plug_in(folder, (wheel, lock), version=version, made=made, address=address)
    write_bill(folder / f"lockstep-{version}.cdx.json", version, made)
    write_notes(folder / "RELEASE_NOTES.md", version, image)
    write_sums(folder)
    click.echo(f"Wrote {folder}: {', '.join(sorted(path.name for path in folder.iterdir()))}.")


if __name__ == "__main__":
    main()
