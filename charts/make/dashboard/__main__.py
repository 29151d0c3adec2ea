"""`python -m charts.make.dashboard`: write the dashboard, or with --check report whether it is as it should be."""

from pathlib import Path

import click
from charts.make.dashboard.overview import overview_json

_ROOT = Path(__file__).parents[3]
_TARGET = _ROOT / "charts" / "lockstep" / "files" / "dashboard.json"


@click.command()
@click.option("--check", is_flag=True, help="Write nothing, and fail if the file is not as it should be.")
def main(*, check: bool) -> None:
    """Generate the dashboard from the code beside this."""
    text, name = overview_json(), _TARGET.relative_to(_ROOT)
    if _TARGET.exists() and _TARGET.read_text(encoding="utf-8") == text:
        return
    if check:
        raise click.ClickException(f"Not as `make generate` would write it: {name}.")
    _TARGET.write_text(text, encoding="utf-8")
    click.echo(f"Wrote {name}.")


if __name__ == "__main__":
    main()
