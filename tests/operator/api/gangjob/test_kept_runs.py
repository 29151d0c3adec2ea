"""The ConfigMap of what runs have shown: what is written is read again, and nothing else is accepted."""

import orjson
import pytest

from lockstep.api.gangjob.kept_runs import LARGEST_BYTES, kept_runs_manifest, parse_kept_runs
from lockstep.facts.past_runs import (
    MOST_KINDS,
    MOST_MEMBERS,
    MOST_RUNS,
    MOST_RUNS_OF_ALL,
    MOST_TEMPLATES,
    PastRun,
    run_of,
)

HEAT, RENDER = "0" * 32, "f" * 32
ROUND = run_of(1.2, members=8, slowdown=1.5, seconds=90)
RUNS = {"default": {RENDER: (run_of(1),), HEAT: (ROUND, run_of(0.9))}, "a-b": {HEAT: (run_of(0), run_of(1e9))}}
LARGEST = run_of(1e300, members=MOST_MEMBERS, slowdown=1e300, seconds=1e300)


def written(runs):
    return kept_runs_manifest("lockstep-system", "lockstep-run-times", runs, version="7")


def holding(text):
    return {"metadata": {"resourceVersion": "1"}, "data": {"runs.json": text}}


def one(runs="[1]", *, namespace="default", digest=HEAT):
    return holding(f'{{"{namespace}":{{"{digest}":{runs}}}}}')


def test_what_is_written_is_read_in_its_order():
    found = parse_kept_runs(written(RUNS))

    assert found == RUNS
    assert [list(found), list(found["default"])] == [["default", "a-b"], [RENDER, HEAT]]


def test_kinds_of_nodes_are_kept_once_each():
    of = tuple(ROUND._replace(kind=kind) for kind in ("m5.large", "gpu", "m5.large", ""))
    manifest = written({"default": {HEAT: of}})

    assert manifest["data"]["kinds.json"] == '["m5.large","gpu"]'
    assert parse_kept_runs(manifest) == {"default": {HEAT: of}}


def test_of_thousands_of_kinds_the_most_usual_are_kept():
    kinds = [f"kind-{number}" for number in range(5000)] + ["usual"] * 2
    runs = {
        "default": {
            f"{number:032x}": (ROUND._replace(kind=kind),) for number, kind in enumerate(kinds[-MOST_TEMPLATES:])
        }
    }

    found = parse_kept_runs(written(runs))

    kept = [run.kind for (run,) in found["default"].values()]
    assert len(set(kept) - {""}) == MOST_KINDS
    assert kept[-2:] == ["usual"] * 2


def with_kinds(kinds, runs="[[1,8,1000,5000,1]]"):
    manifest = one(runs)
    return {**manifest, "data": {**manifest["data"], "kinds.json": kinds}}


def test_nothing_is_read_as_nothing():
    assert parse_kept_runs(written({})) == {}


def test_one_run_of_one_template_is_accepted():
    assert parse_kept_runs(one()) == {"default": {HEAT: (PastRun(1),)}}


def test_version_is_named_where_something_is_replaced():
    assert written(RUNS)["metadata"]["resourceVersion"] == "7"
    assert "resourceVersion" not in kept_runs_manifest("a", "b", RUNS, version="")["metadata"]


@pytest.mark.parametrize(
    "templates",
    [
        pytest.param([(f"{number:0>63}", HEAT) for number in range(MOST_TEMPLATES)], id="a namespace each"),
        pytest.param([("n" * 63, f"{number:032x}") for number in range(MOST_TEMPLATES)], id="one namespace"),
    ],
)
def test_most_that_is_ever_written_has_its_place(templates):
    full = {}
    for space, digest in templates:
        full.setdefault(space, {})[digest] = tuple(
            LARGEST._replace(kind=f"{number % MOST_KINDS:0>63}") for number in range(MOST_RUNS_OF_ALL // MOST_TEMPLATES)
        )

    manifest = written(full)

    assert len(orjson.dumps(manifest)) < LARGEST_BYTES
    assert parse_kept_runs(manifest) == full


@pytest.mark.parametrize(
    "manifest",
    [
        pytest.param({}, id="nothing at all"),
        pytest.param({"data": None}, id="no content"),
        pytest.param({"data": {"other": "file"}}, id="foreign"),
        pytest.param({"binaryData": {"runs.json": "AAECAwQ="}}, id="binary"),
        pytest.param({"data": {"runs.json": 5}}, id="no text"),
        pytest.param(holding(""), id="empty"),
        pytest.param(holding("\x00\x01\xff"), id="bytes"),
        pytest.param(holding("\ud800"), id="half of a character"),
        pytest.param(holding("x" * 10 * 2**20), id="10 MiB"),
        pytest.param(holding("[" * 400_000), id="deep"),
        pytest.param(holding('{"default":' * 50_000), id="deep in maps"),
        pytest.param(holding("[]"), id="a list"),
        pytest.param(holding("null"), id="null"),
        pytest.param(holding('{"default":[]}'), id="a list in a namespace"),
        pytest.param(holding('{"default":{}}'), id="an empty namespace"),
        pytest.param(one(namespace="DEFAULT"), id="no name of a namespace"),
        pytest.param(one(namespace="n" * 64), id="a long name"),
        pytest.param(one(namespace="default\\n"), id="a name with a line break"),
        pytest.param(one(digest=HEAT[1:]), id="a short digest"),
        pytest.param(one(digest="G" * 32), id="no digest"),
        pytest.param(one("[]"), id="no runs"),
        pytest.param(one(str([1] * 51)), id="too many runs"),
        pytest.param(one("{}"), id="a map of runs"),
        pytest.param(one('"1"'), id="text as runs"),
        pytest.param(one('["1"]'), id="text as a run"),
        pytest.param(one("[null]"), id="null as a run"),
        pytest.param(one("[true]"), id="true as a run"),
        pytest.param(one("[1.5]"), id="a fraction"),
        pytest.param(one("[NaN]"), id="no number"),
        pytest.param(one("[Infinity]"), id="infinity"),
        pytest.param(one("[1e400]"), id="beyond floats"),
        pytest.param(one("[0]"), id="nothing"),
        pytest.param(one("[-1]"), id="negative"),
        pytest.param(one("[1000001]"), id="more than is kept"),
        pytest.param(one("[[]]"), id="a run of nothing"),
        pytest.param(one("[[1,2]]"), id="half a run"),
        pytest.param(one("[[1,8,1000,5000,1]]"), id="a kind without a name"),
        pytest.param(with_kinds('["gpu"]', "[[1,8,1000,5000,2]]"), id="a kind beyond those that are named"),
        pytest.param(with_kinds('["gpu"]', "[[1,8,1000,5000,0]]"), id="kind 0"),
        pytest.param(with_kinds('["gpu"]', '[[1,8,1000,5000,"gpu"]]'), id="a kind as text"),
        pytest.param(with_kinds('["gpu"]', "[[1,8,1000,5000,1,1]]"), id="more than a run"),
        pytest.param(with_kinds('["two words"]'), id="a kind that is no value of a label"),
        pytest.param(with_kinds("[5]"), id="a number as a kind"),
        pytest.param(with_kinds('{"gpu":1}'), id="a map of kinds"),
        pytest.param(with_kinds(f"[{','.join(['1'] * 300)}]".replace("1", '"k"')), id="too many kinds"),
        pytest.param(one('[[1,8,1000,"5000"]]'), id="text in a run"),
        pytest.param(one("[[1,0,1000,5000]]"), id="a run of no member"),
        pytest.param(one("[[1,10001,1000,5000]]"), id="a run of too many members"),
        pytest.param(one("[[1,8,1000001,5000]]"), id="a run on nodes that stand still"),
        pytest.param(one("[[1,8,1000,1000000000001]]"), id="a run longer than is kept"),
        pytest.param(one("[[[1]]]"), id="deep runs"),
        pytest.param(one("[18446744073709551616]"), id="beyond 64 bits"),
        pytest.param(one(f"[{'9' * 5000}]"), id="far beyond"),
        pytest.param(
            written({f"n-{number}": {HEAT: (PastRun(1),)} for number in range(MOST_TEMPLATES + 1)}),
            id="too many templates",
        ),
        pytest.param(
            written(
                {
                    f"n-{number}": {HEAT: (PastRun(1),) * MOST_RUNS}
                    for number in range(MOST_RUNS_OF_ALL // MOST_RUNS + 1)
                }
            ),
            id="too many runs of all",
        ),
    ],
)
def test_what_was_not_written_here_is_not_accepted(manifest):
    assert parse_kept_runs(manifest) is None
