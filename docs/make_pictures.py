#!/usr/bin/env python3
"""`python docs/make_pictures.py`: draw docs/pictures anew, from answers of the engine and the recording of the demo."""

from collections.abc import Callable, Mapping
from pathlib import Path

import click
from drawing import allocation, auction, bounding, speedup, terminal

_FOLDER = Path(__file__).with_name("pictures")

PICTURES: Mapping[str, Callable[[], str]] = {
    "allocation-map.svg": allocation.draw,
    "bounding.svg": bounding.draw,
    "demo.svg": terminal.draw,
    "share-auction.svg": auction.draw,
    "speedup-over-size.svg": speedup.draw,
}


def main() -> None:
    """Write every picture that is not as it should be."""
    for name, draw in PICTURES.items():
        text, target = draw(), _FOLDER / name
        if not target.exists() or target.read_text(encoding="utf-8") != text:
            target.write_text(text, encoding="utf-8")
            click.echo(f"Wrote docs/pictures/{name}.")


if __name__ == "__main__":
    main()
