"""`python -m charts.make`: write what is generated, or with --check report whether it is as it should be."""

import click
from charts.make.files import ROOT, generated_files


@click.command()
@click.option("--check", is_flag=True, help="Write nothing, and fail if a file is not as it should be.")
def main(*, check: bool) -> None:
    """Generate what the chart has from elsewhere: kinds, roles, the schema and the documentation of its values."""
    outdated = {path: text for path, text in generated_files().items() if _present(path) != text}
    if check and outdated:
        raise click.ClickException(f"Not as `make generate` would write it: {', '.join(outdated)}.")
    for path, text in outdated.items():
        (ROOT / path).parent.mkdir(exist_ok=True)
        (ROOT / path).write_text(text)
        click.echo(f"Wrote {path}.")


def _present(path: str) -> str | None:
    file = ROOT / path
    return file.read_text() if file.exists() else None


if __name__ == "__main__":
    main()
