"""``python -m image.make``: write the locks of the image's steps, or with --check report whether they are right."""

from pathlib import Path

import click
from image.make.locks import LOCK, PROJECT, part

ROOT = Path(__file__).parents[2]
# By the step that installs it. What builds the wheel is in the lock for that alone.
PARTS = {
    "image/locks/wheel.lock": "hatchling",
    "image/locks/runtime.lock": PROJECT,
}


@click.command()
@click.option("--check", is_flag=True, help="Write nothing, and fail if a file is not as it should be.")
def main(*, check: bool) -> None:
    """Generate what each step of the image installs from the lock of the whole project."""
    lock = (ROOT / LOCK).read_text(encoding="utf-8")
    wanted = {path: part(lock, root) for path, root in PARTS.items()}
    outdated = {path: text for path, text in wanted.items() if _present(path) != text}
    if check and outdated:
        raise click.ClickException(f"Not as `make generate` would write it: {', '.join(outdated)}.")
    for path, text in outdated.items():
        (ROOT / path).write_text(text, encoding="utf-8")
        click.echo(f"Wrote {path}.")


def _present(path: str) -> str | None:
    file = ROOT / path
    return file.read_text(encoding="utf-8") if file.exists() else None


if __name__ == "__main__":
    main()
