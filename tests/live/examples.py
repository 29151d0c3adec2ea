"""The examples of the repository, for tests that apply them."""

from pathlib import Path
from typing import Any

import yaml

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.yaml"))
OFFERS = EXAMPLES[0]


def example_of(stem: str) -> Path:
    """The example of that file name, without its ending."""
    return next(example for example in EXAMPLES if example.stem == stem)


def documents_of(example: Path, kind: str) -> list[dict[str, Any]]:
    """The manifests of one kind in an example."""
    documents = yaml.safe_load_all(example.read_text(encoding="utf-8"))
    return [document for document in documents if document["kind"] == kind]
