"""``lockstep plan -f`` on a sandbox: what would happen if objects were applied in an arena's namespace."""

import json
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

import yaml
from click.testing import CliRunner, Result

from live.arena import Arena
from lockstep.cli import main
from lockstep.facts.gang.source import Source

EVERY = frozenset(Source)


def ask_plan(
    arena: Arena,
    *objects: Mapping[str, Any],
    sources: Collection[Source] = EVERY,
    yielding: Collection[Source] = frozenset(),
) -> Result:
    """Ask about these objects, with those sources of the operator; the answer is for programs.

    Gangs of the sources ``yielding`` give way.
    """
    options = [f"--kubeconfig={arena.api.kubeconfig}", f"--namespace={arena.namespace}", "--output=json"]
    options += [f"--sources={','.join(sources)}", f"--yielding={','.join(yielding)}"]
    return CliRunner().invoke(main, ["plan", "-f", "-", *options], input=yaml.safe_dump_all(objects))


def answers_of(done: Result) -> dict[str, Any]:
    """What the command has answered."""
    assert done.exit_code == 0, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def nodes_of(answer: Mapping[str, Any]) -> list[str]:
    """The nodes of the answer about one gang, sorted; one as often as it has pods."""
    return sorted(Counter({one["node"]: one["count"] for one in answer["members"]}).elements())
