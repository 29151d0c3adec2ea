"""`python -m crds.make`: write what is generated, or with --check report whether it is as it should be."""

import json
import tempfile
from pathlib import Path
from typing import Any

import click
from crds.make.files import generated_files
from rich.console import Console

from sandbox import Options, start
from sandbox.progress import OnConsole

_ROOT = Path(__file__).parents[2]
_CORE = "/openapi/v3/api/v1"


@click.command()
@click.option(
    "--openapi",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help=f"A saved {_CORE} to use instead of starting an API server.",
)
@click.option("--check", is_flag=True, help="Write nothing, and fail if a file is not as it should be.")
def main(openapi: Path | None, *, check: bool) -> None:
    """Generate the CRDs, their bounds and their reference from crds/make and an API server's own OpenAPI."""
    document: dict[str, Any] = _served() if openapi is None else json.loads(openapi.read_text())
    outdated = [(_ROOT / path, text) for path, text in generated_files(document).items() if _present(path) != text]
    if check and outdated:
        names = ", ".join(str(path.relative_to(_ROOT)) for path, _ in outdated)
        version = document["info"]["version"]
        raise click.ClickException(f"Not as `make generate` would write it with Kubernetes {version}: {names}.")
    for path, text in outdated:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        click.echo(f"Wrote {path.relative_to(_ROOT)}.")


def _served() -> dict[str, Any]:
    """What a new API server says of its core group."""
    with tempfile.TemporaryDirectory() as state:
        options = Options(name="generate", state=Path(state))
        with start(options, OnConsole(Console(stderr=True))) as sandbox:
            return sandbox.request("GET", _CORE)


def _present(path: str) -> str | None:
    file = _ROOT / path
    return file.read_text() if file.exists() else None


if __name__ == "__main__":
    main()
