"""Pods of others are evicted by one module, and only with a right and a decision."""

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

import lockstep
from lockstep.act.evicting.permit import EvictionRight
from lockstep.api.client.answer import Answer

ROOT = Path(lockstep.__file__).parent
ROOM = Path("act/evicting")
MAKERS = {
    "pod_eviction": {ROOM / "pod_evictions.py"},
    "eviction_manifest": {ROOM / "pod_evictions.py"},
    "EvictionRight": {ROOM / "permit.py"},
    "EvictionDecision": {ROOM / "remade_group.py", ROOM / "asked_evictions.py"},
    "EvictionPermit": {ROOM / "gang_evictions.py"},
}


@cache
def callers_by_name():
    """The modules that call something, by its name."""
    found = defaultdict(set)
    for path in sorted(ROOT.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                for name in (getattr(node.func, "id", ""), getattr(node.func, "attr", "")):
                    found[name].add(path.relative_to(ROOT))
    return found


@pytest.mark.parametrize("name", MAKERS)
def test_only_the_room_of_evictions_makes(name):
    assert callers_by_name()[name] == MAKERS[name]


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(Answer(201, {"status": {"allowed": False}}), id="denied"),
        pytest.param(Answer(403, {"message": "no"}), id="not answered"),
    ],
)
def test_right_is_made_of_a_grant_only(answer):
    with pytest.raises(ValueError, match="does not grant"):
        EvictionRight(answer)
