"""Closed sets are matched completely: type checking names every place that a new load, reason or ending concerns.

Type checking proves that a ``match`` which ends in ``assert_never`` has all cases. Here it is checked that closed sets
are asked for in no other way: not by a chain of comparisons, by a table that lacks some, or by a list of some.
"""

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = [path for room in ("engine", "operator") for path in sorted((ROOT / room).rglob("*.py"))]
ENUMS = ("Enum", "StrEnum", "IntEnum")

ALONE_IN_ITS_MODULE = {"Load": "engine/coschedule/queue/problem/gangs.py"}
"""A comparison elsewhere would forget members to come: properties answer, or a match."""

SOME_ARE_MEANT = {
    (
        "operator/lockstep/report/status/conditions.py",
        "Condition",
    ): "those of every gang from its first status on",
    (
        "operator/lockstep/cycle/explaining/start_estimates.py",
        "PlanChange",
    ): "those that can be found out, as asked",
    ("operator/lockstep/cycle/explaining/attempt_events.py", "Reason"): "those that have an event of their own",
    ("operator/lockstep/facts/cluster/node_request.py", "Reason"): "a type of its own, which is matched completely",
    (
        "operator/lockstep/report/text/size_sentences.py",
        "SizeReason",
    ): "a type of its own, which is matched completely",
    (
        "operator/lockstep/report/status/pod_gang_marks.py",
        "Condition",
    ): "the two that a plan decides about",
    ("operator/lockstep/act/podgang/binding.py", "Reason"): "those after which no repetition helps",
    ("operator/lockstep/api/podgang/owners.py", "Source"): "those for which the operator makes Gangs",
    (
        "operator/lockstep/api/podgang/group_member.py",
        "Source",
    ): "the one that reads such PodGroups, and that of labels, which go before",
    ("operator/lockstep/facts/gang/status.py", "Condition"): "the two by which a gang is over",
    ("operator/lockstep/belief/records/stretches.py", "Reason"): "those by which gangs give way",
    ("operator/lockstep/belief/run_times/work_lost.py", "Reason"): "those that lose no work",
    ("operator/lockstep/answers/member_logs.py", "Condition"): "those that say why there are no members, best first",
    ("operator/lockstep/report/timeline/occupied.py", "Stage"): "those in which a gang holds nodes",
    ("operator/lockstep/tenants/requests.py", "AnswerKind"): "those that are got by name",
    (
        "operator/lockstep/api/client/turns.py",
        "Urgency",
    ): "those that go before reports, and those that have turns of their own",
}
"""Where some of a closed set are listed, and why those to come do not belong there."""


def place(path):
    return path.relative_to(ROOT).as_posix()


@pytest.fixture(scope="module", autouse=True)
def trees_end_with_the_file():
    """Tests that come later search for garbage, and would go through a million nodes each time."""
    yield
    trees.cache_clear()
    some_asked_for.cache_clear()


@cache
def trees():
    """The syntax tree of each source file."""
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in SOURCES}


@cache
def members_by_enum():
    """The names of the members of each enumeration, by its name; there may be several enumerations of one name."""
    found = defaultdict(list)
    for tree in trees().values():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and any(_name(base) in ENUMS for base in node.bases):
                found[node.name].append({one.targets[0].id for one in node.body if isinstance(one, ast.Assign)})
    return found


def _name(node):
    return getattr(node, "id", getattr(node, "attr", ""))


def member(node):
    """The enumeration and the member that an expression names, if it names one."""
    if isinstance(node, ast.Attribute):
        name = _name(node.value)
        if any(node.attr in members for members in members_by_enum().get(name, ())):
            return name, node.attr
    return None


def some_of(nodes):
    """The enumeration of which these are several members, but not all."""
    found = [member(node) for node in nodes]
    if len(found) < 2 or not all(found) or len({name for name, _ in found}) > 1:
        return None
    [name] = {name for name, _ in found}
    return None if {one for _, one in found} in members_by_enum()[name] else name


def matches(tree):
    """Each match of members or types, and whether it ends in ``assert_never``."""
    for node in (one for one in ast.walk(tree) if isinstance(one, ast.Match)):
        patterns = [part for case in node.cases for part in ast.walk(case.pattern)]
        asks = any(isinstance(part, ast.MatchClass) for part in patterns)
        asks |= any(member(part.value) for part in patterns if isinstance(part, ast.MatchValue))
        if asks:
            last = node.cases[-1]
            is_rest = isinstance(last.pattern, ast.MatchAs) and last.pattern.pattern is None and last.guard is None
            yield node, is_rest and any(_name(getattr(one, "func", None)) == "assert_never" for one in ast.walk(last))


def lists(tree):
    """Each table by members, and each list of members, that lacks some."""
    for node in ast.walk(tree):
        nodes = node.keys if isinstance(node, ast.Dict) else getattr(node, "elts", ())
        name = some_of(nodes)
        if name is not None:
            yield node, name


def chains(tree):
    """Each function that compares one thing with several members of one enumeration."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            asked = defaultdict(set)
            for compared, (name, one) in comparisons(function):
                asked[ast.unparse(compared), name].add(one)
            yield from ((function, name) for (_, name), found in asked.items() if len(found) > 1)


@cache
def some_asked_for():
    """Where some members of a closed set are asked for: the file, the syntax node and the set."""
    return [(place(path), *one) for path, tree in trees().items() for one in (*lists(tree), *chains(tree))]


def comparisons(tree):
    """What is compared with a member of an enumeration, and which."""
    for node in (one for one in ast.walk(tree) if isinstance(one, ast.Compare)):
        for operation, right in zip(node.ops, node.comparators, strict=True):
            found = member(right)
            if found and isinstance(operation, ast.Is | ast.IsNot | ast.Eq | ast.NotEq):
                yield node.left, found


def test_match_of_a_closed_set_ends_in_assert_never():
    found = [(place(path), *one) for path, tree in trees().items() for one in matches(tree)]

    assert len(found) > 30
    assert [f"{where}:{node.lineno}" for where, node, is_complete in found if not is_complete] == []


def test_closed_sets_are_asked_for_as_a_whole():
    found = some_asked_for()

    assert [f"{where}:{node.lineno}" for where, node, name in found if (where, name) not in SOME_ARE_MEANT] == []


@pytest.mark.parametrize(("name", "module"), ALONE_IN_ITS_MODULE.items())
def test_only_its_own_module_compares_it(name, module):
    found = {
        place(path)
        for path, tree in trees().items()
        for _, (enumeration, _) in comparisons(tree)
        if enumeration == name
    }

    assert found <= {module}


def test_what_may_be_some_is_there():
    assert {(where, name) for where, _, name in some_asked_for()} >= SOME_ARE_MEANT.keys()
