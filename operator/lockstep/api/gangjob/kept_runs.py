"""The ConfigMap that keeps the times of finished runs for the next process of the operator."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from lockstep.api.manifest import Manifest
from lockstep.facts.past_runs import (
    KIND_PATTERN,
    MOST_KINDS,
    MOST_MEMBERS,
    MOST_MILLISECONDS,
    MOST_RUNS,
    MOST_RUNS_OF_ALL,
    MOST_TEMPLATES,
    MOST_THOUSANDTHS,
    PastRun,
    Runs,
    RunsByTemplate,
)

LARGEST_BYTES = 960 * 1024
"""The most bytes that are written. A ConfigMap may have 1 MiB.

Names of namespaces have at most 63 characters, and our own bounds limit everything else.
"""

_KEY = "runs.json"
_KINDS_KEY = "kinds.json"
_NAMESPACE = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
_DIGEST = re.compile(r"[0-9a-f]{32}")
_KIND = re.compile(KIND_PATTERN)
_MOST_OF_RUN = (MOST_THOUSANDTHS, MOST_MEMBERS, MOST_THOUSANDTHS, MOST_MILLISECONDS)
# The possible lengths of an entry: only the time factor; all numbers without a kind; all numbers with the number of a
# kind. Kinds are numbered from 1.
_LENGTHS = (1, 4, 5)


def kept_runs_manifest(namespace: str, name: str, runs: RunsByTemplate, *, version: str) -> dict[str, Any]:
    """The ConfigMap to write.

    It replaces the ConfigMap of that ``version``, which is '' if there is no ConfigMap yet.
    """
    metadata = {"namespace": namespace, "name": name, **({"resourceVersion": version} if version else {})}
    kinds = _most_usual_kinds(runs)
    numbers = {name: number for number, name in enumerate(kinds, 1)}
    content = {
        space: {digest: [_entry(run, numbers) for run in of] for digest, of in templates.items()}
        for space, templates in runs.items()
    }
    data = {_KEY: orjson.dumps(content).decode(), **({_KINDS_KEY: orjson.dumps(kinds).decode()} if kinds else {})}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def _most_usual_kinds(runs: RunsByTemplate) -> list[str]:
    """The kinds of nodes that are kept, the most frequent first. Runs on other kinds are kept without their kind."""
    counts = Counter(run.kind for templates in runs.values() for of in templates.values() for run in of if run.kind)
    return sorted(sorted(counts), key=lambda name: -counts[name])[:MOST_KINDS]


def _entry(run: PastRun, numbers: Mapping[str, int]) -> int | list[int]:
    """Format a run for JSON: only its time factor if no more is known, and otherwise a list of all numbers.

    The list ends with the number of the kind of node, if this kind is kept.
    """
    if not run.members:
        return run.thousandths
    *amounts, kind = run
    return [*amounts, numbers[kind]] if kind in numbers else amounts


def parse_kept_runs(manifest: Manifest) -> RunsByTemplate | None:
    """The kept runs; None if we did not write the content, or if it has another format."""
    data = manifest.get("data")
    if not isinstance(data, dict):
        return None
    content, kinds = _loaded(data, _KEY), _loaded(data, _KINDS_KEY) or []
    return _parse_templates(content, kinds) if _are_kinds(kinds) and _is_as_written(content, len(kinds)) else None


def _loaded(data: Mapping[str, object], key: str) -> Any:
    """The decoded content under that key; None if it can't be decoded."""
    text = data.get(key)
    if not isinstance(text, str) or len(text) > LARGEST_BYTES:
        return None
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return None


def _are_kinds(kinds: Any) -> bool:
    if not isinstance(kinds, list) or len(kinds) > MOST_KINDS:
        return False
    return all(isinstance(name, str) and _KIND.fullmatch(name) for name in kinds)


def _is_as_written(content: object, kinds: int) -> bool:
    if not isinstance(content, dict) or not all(isinstance(one, dict) and one for one in content.values()):
        return False
    digests = [digest for templates in content.values() for digest in templates]
    runs = [runs for templates in content.values() for runs in templates.values()]
    return (
        len(digests) <= MOST_TEMPLATES
        and all(_are_runs(one, kinds) for one in runs)
        and sum(map(len, runs)) <= MOST_RUNS_OF_ALL
        and all(_NAMESPACE.fullmatch(namespace) for namespace in content)
        and all(_DIGEST.fullmatch(digest) for digest in digests)
    )


def _are_runs(runs: object, kinds: int) -> bool:
    if not isinstance(runs, list) or not 1 <= len(runs) <= MOST_RUNS:
        return False
    return all(_is_run(run, kinds) for run in runs)


def _is_run(run: object, kinds: int) -> bool:
    numbers = run if isinstance(run, list) else [run]
    most = (*_MOST_OF_RUN, kinds)
    return len(numbers) in _LENGTHS and all(
        type(number) is int and 1 <= number <= limit for number, limit in zip(numbers, most, strict=False)
    )


def _parse_templates(
    content: Mapping[str, Mapping[str, list[int | list[int]]]], kinds: Sequence[str]
) -> dict[str, dict[str, Runs]]:
    return {
        namespace: {digest: tuple(_parse_run(run, kinds) for run in runs) for digest, runs in templates.items()}
        for namespace, templates in content.items()
    }


def _parse_run(run: int | list[int], kinds: Sequence[str]) -> PastRun:
    if not isinstance(run, list):
        return PastRun(run)
    thousandths, members, slowdown, milliseconds, *kind = run
    return PastRun(thousandths, members, slowdown, milliseconds, kinds[kind[0] - 1] if kind else "")
