"""The examples of the repository, for tests that apply them."""

from pathlib import Path
from typing import Any

import yaml

from live.arena import Arena

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.yaml"))
OFFERS = EXAMPLES[0]
OF_CONTROLLERS = EXAMPLES[0].parent / "controllers"
"""Examples for kinds of other projects, and for sources that the quick start lacks. Their objects are called heat."""


def example_of(stem: str) -> Path:
    """The example of that file name, without its ending."""
    return next(example for example in EXAMPLES if example.stem == stem)


def apply_example(arena: Arena, name: str) -> None:
    """Apply one of those examples in the namespace of an arena."""
    arena.api.kubectl("apply", f"--namespace={arena.namespace}", f"--filename={OF_CONTROLLERS / name}.yaml")


def documents_of(example: Path, kind: str) -> list[dict[str, Any]]:
    """The manifests of one kind in an example."""
    documents = yaml.load_all(example.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    return [document for document in documents if document["kind"] == kind]


def pod_gangs_of(example: Path) -> list[str]:
    """The names of the Gangs of an example: those that it has, and those that the operator makes for its Jobs."""
    own = [document["metadata"]["name"] for document in documents_of(example, "Gang")]
    return own + [f"job.{job['metadata']['name']}" for job in documents_of(example, "Job") if not _names_gang(job)]


def _names_gang(job: dict[str, Any]) -> bool:
    return "lockstep.dev/member-of" in job["spec"]["template"]["metadata"].get("labels", {})
