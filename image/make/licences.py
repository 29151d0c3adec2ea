"""``python image/make/licences.py``: list the packages of the Python that runs this, with versions and licences.

It fails, naming them, where packages do not say what their licence is. It needs nothing but Python, since it runs in
the image as it is made.
"""

import sys
from collections.abc import Iterable
from importlib.metadata import Distribution, distributions

CLASSIFIER = "License :: "
# What a package writes in the place of a licence that it does not name.
NOTHING = ("", "UNKNOWN")


def main() -> int:
    """Print the list and return the status of the process."""
    found = sorted(distributions(), key=lambda one: one.name.lower())
    if without := [one.name for one in found if not licence(one)]:
        sys.stderr.write(f"Without a licence: {', '.join(without)}.\n")
        return 1
    sys.stdout.write(table(found))
    return 0


def table(found: Iterable[Distribution]) -> str:
    """Return the list in Markdown."""
    rows = [f"| {one.name} | {one.version} | {licence(one)} |" for one in found]
    return "\n".join(["| package | version | licence |", "|---|---|---|", *rows, ""])


def licence(package: Distribution) -> str:
    """Return what a package says of its licence, the most exact word first; empty where it says nothing."""
    metadata = package.metadata
    classified = [one.rpartition(" :: ")[2] for one in metadata.get_all("Classifier", []) if one.startswith(CLASSIFIER)]
    # Some put the whole text in that field; its first line is the name.
    words = [one.strip().partition("\n")[0] for one in metadata.get_all("License", [])]
    said = [*metadata.get_all("License-Expression", []), " and ".join(classified), *words]
    return next((one for one in said if one not in NOTHING), "")


if __name__ == "__main__":
    sys.exit(main())
