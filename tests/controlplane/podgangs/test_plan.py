"""``lockstep plan -f`` takes what people have, and the operator then does what it has said."""

from functools import partial

import pytest

from builders.manifests import API_VERSION
from builders.owners import ray_cluster
from live.asked_plan import answers_of, ask_plan, nodes_of
from lockstep.facts.gang.source import Source

pytestmark = pytest.mark.usefixtures("operator")

SIZED = {"lockstep.dev/size": "2-9"}


@pytest.fixture
def plan(arena):
    """Ask what would happen if objects were applied in the arena's namespace."""
    return partial(ask_plan, arena)


def job_manifest(gangs, name, parallelism, *, gang="", cpu="1", suspend=False, **annotations):
    metadata = {"name": name, "annotations": {f"lockstep.dev/{key}": value for key, value in annotations.items()}}
    spec = {
        "parallelism": parallelism,
        "completions": parallelism,
        "suspend": suspend,
        "template": gangs.template(gang, cpu),
    }
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec}


def gang_manifest(name, least, **spec):
    return {
        "apiVersion": API_VERSION,
        "kind": "Gang",
        "metadata": {"name": name},
        "spec": {"size": {"min": least}, **spec},
    }


def test_job_is_placed_where_the_plan_has_said(arena, gangs, plan):
    arena.add_nodes(1, cpu="1")
    arena.add_nodes(2, cpu="3")
    # A Job that runs may be placed with the first pods of its range, before all of them are there.
    job = job_manifest(gangs, "heat", 4, suspend=True, **{"size": "2-4", "serial-time": "40s"})

    answer = answers_of(plan(job))
    assert not gangs.exists("job.heat")
    gangs.api.request("POST", gangs.jobs, job)
    gangs.until("job.heat", "Placed")

    [heat] = answer["gangs"]
    assert (heat["gang"]["name"], heat["reason"], heat["size"]) == ("gang/job.heat", "StartsNow", 4)
    assert answer["notes"] == []
    assert nodes_of(heat) == gangs.nodes_of("job.heat")


def test_ray_cluster_that_waits_for_a_size_is_planned_with_the_size_that_it_would_get(arena, gangs, plan):
    arena.add_nodes(2, cpu="4")
    head = {"template": gangs.template("")}
    workers = [{"groupName": "all", "replicas": 1, "template": gangs.template("")}]

    [heat] = answers_of(
        plan(ray_cluster(suspend=True, annotations=SIZED, headGroupSpec=head, workerGroupSpecs=workers))
    )["gangs"]

    assert (heat["gang"]["name"], heat["reason"], heat["size"]) == ("gang/raycluster.heat", "StartsNow", 8)


def test_gang_and_its_pods_are_placed_where_the_plan_has_said(arena, gangs, plan):
    arena.add_nodes(2, cpu="2")
    pods = [
        {"apiVersion": "v1", "kind": "Pod", **made, "metadata": {**made["metadata"], "name": name}}
        for name, made in (("server", gangs.template("pair", "2")), ("client", gangs.template("pair", "1")))
    ]

    [pair] = answers_of(plan(gang_manifest("pair", 2), *pods))["gangs"]
    assert not gangs.exists("pair")
    gangs.submit("pair", 2)
    gangs.create_pods("pair", "server", cpu="2")
    gangs.create_pods("pair", "client")
    gangs.until("pair", "Placed")

    assert nodes_of(pair) == gangs.nodes_of("pair")


def test_job_without_room_says_why_and_which_gang_starts_later(arena, gangs, plan):
    arena.add_nodes(1, cpu="2")
    job = job_manifest(gangs, "large", 3)

    [large] = answers_of(plan(job))["gangs"]

    assert (large["phase"], large["reason"]) == ("Waiting", "NotEnoughRoom")
    [room] = large["notNow"]
    assert (room["needed"], room["slots"]) == (3, 2)


def test_pods_of_a_file_are_planned_with_those_that_wait_in_the_cluster(arena, gangs, plan):
    arena.add_nodes(1, cpu="4")
    gangs.submit("heat", 3)
    gangs.create_pods("heat", "a")
    gangs.until("heat", "Planned", "False", "AwaitsPods")

    few, enough = (answers_of(plan(job_manifest(gangs, "more", more, gang="heat")))["gangs"][0] for more in (1, 2))

    assert few["phase"] == "AwaitsPods"
    assert few["message"] == "2 of the 3 needed pods wait for a node."
    assert (enough["phase"], enough["size"]) == ("Waiting", 3)


@pytest.mark.parametrize(
    ("change", "want"),
    [
        pytest.param({"sise": 1}, "unknown field", id="a field that there is not"),
        pytest.param({"size": {"min": 3, "max": 2}}, "would refuse Gang", id="a rule of the CRD"),
    ],
)
def test_gang_that_the_api_server_refuses_is_refused_in_its_words(plan, change, want):
    done = plan(gang_manifest("odd", 2, **change))

    assert done.exit_code == 1
    assert want in done.stderr


def test_gang_that_is_there_already_is_not_planned_once_more(arena, gangs, plan):
    arena.add_nodes(1, cpu="2")
    gangs.submit("heat", 50)
    gangs.create_job("", 2, name="there")
    gangs.until("job.there", "Placed")

    written, made = plan(gang_manifest("heat", 2)), plan(job_manifest(gangs, "there", 2))

    assert f"Gang {arena.namespace}/heat exists already" in written.stderr
    assert f"lockstep explain gang/job.there -n {arena.namespace}" in made.stderr


def test_pod_that_is_there_already_is_not_counted_twice(arena, gangs, plan):
    gangs.submit("heat", 2)
    gangs.create_pods("heat", "a")
    made = gangs.template("heat")

    done = plan({"apiVersion": "v1", "kind": "Pod", **made, "metadata": {**made["metadata"], "name": "a"}})

    assert f"Error: Pod {arena.namespace}/a exists already." in done.stderr


def test_gang_that_is_nowhere_is_named(gangs, plan):
    done = plan(job_manifest(gangs, "heat", 2, gang="none"))

    assert "Job heat names the Gang none, which is neither in the file nor in the cluster." in done.stderr


def test_source_that_is_not_on_is_said(arena, gangs, plan):
    arena.add_nodes(1, cpu="2")

    answer = answers_of(plan(job_manifest(gangs, "heat", 2), sources=[Source.PODS]))

    assert [one["reason"] for one in answer["gangs"]] == ["StartsNow"]
    assert [note.partition(",")[0] for note in answer["notes"]] == [
        f"{arena.namespace}/gang/job.heat needs the source job"
    ]
