"""The ConfigMap in which the operator keeps how long finished runs took, so that its next process knows it too."""

import re
from collections.abc import Mapping
from typing import Any

import orjson

from lockstep.facts.past_runs import MOST_RUNS, MOST_TEMPLATES, MOST_THOUSANDTHS, Runs, RunsByTemplate

Manifest = Mapping[str, Any]

LARGEST_BYTES = 512 * 1024
"""More is never written: a namespace's name has 63 characters at most, and everything else has bounds of ours."""

_KEY = "runs.json"
_NAMESPACE = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
_DIGEST = re.compile(r"[0-9a-f]{32}")


def kept_runs_manifest(namespace: str, name: str, runs: RunsByTemplate, *, version: str) -> dict[str, Any]:
    """What stands there next; ``version`` is what it replaces, and empty where there is none."""
    metadata = {"namespace": namespace, "name": name, **({"resourceVersion": version} if version else {})}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {_KEY: orjson.dumps(runs).decode()}}


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
        and all(_NAMESPACE.fullmatch(namespace) for namespace in content)
        and all(_DIGEST.fullmatch(digest) for digest in digests)
        and all(_are_runs(one) for one in runs)
    )


def _are_runs(runs: object) -> bool:
    if not isinstance(runs, list) or not 1 <= len(runs) <= MOST_RUNS:
        return False
    return all(type(run) is int and 1 <= run <= MOST_THOUSANDTHS for run in runs)


def _parse_templates(content: Mapping[str, Mapping[str, list[int]]]) -> dict[str, dict[str, Runs]]:
    return {
        namespace: {digest: tuple(runs) for digest, runs in templates.items()}
        for namespace, templates in content.items()
    }
