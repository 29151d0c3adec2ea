"""The ConfigMap in which the operator keeps how long finished runs took, so that its next process knows it too."""

import re
from collections.abc import Mapping
from typing import Any

import orjson

from lockstep.facts.past_runs import (
    MOST_MEMBERS,
    MOST_MILLISECONDS,
    MOST_RUNS,
    MOST_RUNS_OF_ALL,
    MOST_TEMPLATES,
    MOST_THOUSANDTHS,
    Run,
    Runs,
    RunsByTemplate,
)

Manifest = Mapping[str, Any]

LARGEST_BYTES = 960 * 1024
"""More is never written: a namespace's name has 63 characters at most, and everything else has bounds of ours.

A ConfigMap may have 1 MiB.
"""

_KEY = "runs.json"
_NAMESPACE = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
_DIGEST = re.compile(r"[0-9a-f]{32}")
_MOST_OF_RUN = Run(MOST_THOUSANDTHS, MOST_MEMBERS, MOST_THOUSANDTHS, MOST_MILLISECONDS)


def kept_runs_manifest(namespace: str, name: str, runs: RunsByTemplate, *, version: str) -> dict[str, Any]:
    """What stands there next; ``version`` is what it replaces, and empty where there is none."""
    metadata = {"namespace": namespace, "name": name, **({"resourceVersion": version} if version else {})}
    content = {
        space: {digest: [_entry(run) for run in of] for digest, of in templates.items()}
        for space, templates in runs.items()
    }
    text = orjson.dumps(content).decode()
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {_KEY: text}}


def _entry(run: Run) -> int | list[int]:
    """A number alone where nothing else is known."""
    return list(run) if run.members else run.thousandths


def parse_kept_runs(manifest: Manifest) -> RunsByTemplate | None:
    """What was kept; None where that was written by somebody else, or by a version that keeps it in another way."""
    data = manifest.get("data")
    text = data.get(_KEY) if isinstance(data, dict) else None
    if not isinstance(text, str) or len(text) > LARGEST_BYTES:
        return None
    try:
        content = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    return _parse_templates(content) if _is_as_written(content) else None


def _is_as_written(content: object) -> bool:
    if not isinstance(content, dict) or not all(isinstance(one, dict) and one for one in content.values()):
        return False
    digests = [digest for templates in content.values() for digest in templates]
    runs = [runs for templates in content.values() for runs in templates.values()]
    return (
        len(digests) <= MOST_TEMPLATES
        and all(_are_runs(one) for one in runs)
        and sum(map(len, runs)) <= MOST_RUNS_OF_ALL
        and all(_NAMESPACE.fullmatch(namespace) for namespace in content)
        and all(_DIGEST.fullmatch(digest) for digest in digests)
    )


def _are_runs(runs: object) -> bool:
    if not isinstance(runs, list) or not 1 <= len(runs) <= MOST_RUNS:
        return False
    return all(_is_run(run) for run in runs)


def _is_run(run: object) -> bool:
    numbers = run if isinstance(run, list) else [run]
    return len(numbers) in (1, len(_MOST_OF_RUN)) and all(
        type(number) is int and 1 <= number <= most for number, most in zip(numbers, _MOST_OF_RUN, strict=False)
    )


def _parse_templates(content: Mapping[str, Mapping[str, list[int | list[int]]]]) -> dict[str, dict[str, Runs]]:
    return {
        namespace: {digest: tuple(_parse_run(run) for run in runs) for digest, runs in templates.items()}
        for namespace, templates in content.items()
    }


def _parse_run(run: int | list[int]) -> Run:
    return Run(*run) if isinstance(run, list) else Run(run)
