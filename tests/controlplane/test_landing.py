"""What a gang that lands leaves to see: pods, status, events."""

from datetime import datetime

import pytest

from builders.manifests import bid, gang

pytestmark = pytest.mark.usefixtures("operator")


def test_every_member_runs_on_a_node_with_room(arena):
    first, second = arena.add_nodes(2, cpu="2")
    arena.submit(gang("heat", size=4))

    arena.until_placed("heat")

    assert arena.nodes_of("heat") == [first, first, second, second]


def test_status_says_where_the_members_are(arena):
    first, second = arena.add_nodes(2, cpu="2")
    arena.submit(gang("heat", size=(1, 8), work={"serialTime": "1h"}))

    arena.until_placed("heat")

    status = arena.status("heat")
    assert (status["size"], status["attempt"]) == (4, 1)
    assert status["members"] == [{"node": first, "count": 2}, {"node": second, "count": 2}]


def test_status_predicts_from_speed_load_and_overhead(arena):
    [node] = arena.add_nodes(1, cpu="2")
    arena.create(bid(node, dutyCycle="500m", capacity="2"))
    arena.submit(gang("heat", size=2, work={"serialTime": "1h", "overhead": {"fixed": "60s"}}))

    arena.until_placed("heat")

    status = arena.status("heat")
    # (3600 s / 2 members + 60 s) · (1 + 0.5) / 2, and T(1) = 3660 s on one idle reference node.
    assert seconds_between(status["start"], status["expectedFinish"]) == pytest.approx(1395, abs=1)
    assert status["effectiveSpeedup"] == "2.6"


def test_status_of_unknown_work_predicts_nothing(arena):
    arena.add_nodes(1)
    arena.submit(gang("heat"))

    arena.until_placed("heat")

    assert not {"expectedFinish", "effectiveSpeedup"} & set(arena.status("heat"))


def test_every_condition_stands_from_the_first_status_on(arena):
    arena.add_nodes(1)
    arena.submit(gang("heat"))

    arena.until_placed("heat")

    conditions = {one["type"]: (one["status"], one["reason"]) for one in arena.status("heat")["conditions"]}
    assert conditions == {
        "Accepted": ("True", "SpecUnderstood"),
        "Planned": ("True", "Reserved"),
        "Placed": ("True", "Bound"),
        "Complete": ("False", "NotFinished"),
    }
    assert {one["observedGeneration"] for one in arena.status("heat")["conditions"]} == {1}


def test_gang_that_succeeds_is_complete_and_keeps_its_history(arena):
    arena.add_nodes(1)
    arena.submit(gang("heat", run_for="1s", work={"serialTime": "10s"}))

    arena.until_complete("heat")

    status = arena.status("heat")
    assert "reservedAt" not in status
    assert seconds_between(status["startedAt"], status["finishedAt"]) >= 0
    assert [pod["status"]["phase"] for pod in arena.pods("heat")] == ["Succeeded", "Succeeded"]


def test_plan_is_reported_in_one_sentence(arena):
    first, second, third = arena.add_nodes(3, cpu="1")
    arena.submit(gang("heat", size=3, work={"serialTime": "300s"}))

    arena.until_placed("heat")

    message = arena.condition("heat", "Planned")["message"]
    assert message == (
        f"3 members on {first}…{third}. The gang's speed-up over one idle reference node is 3.0, including the wait."
    )
    assert second not in message


def test_events_report_placement_and_success(arena):
    arena.add_nodes(1)
    created = arena.submit(gang("heat", run_for="1s"))

    arena.until_complete("heat")

    events = arena.until_events("heat", "GangPlaced", "GangSucceeded")
    assert [(one["type"], one["reason"], one["action"]) for one in events] == [
        ("Normal", "GangPlaced", "Bind"),
        ("Normal", "GangSucceeded", "Watch"),
    ]
    assert {one["reportingController"] for one in events} == {"lockstep.dev/operator"}
    assert {one["regarding"]["uid"] for one in events} == {created["metadata"]["uid"]}


def test_member_belongs_to_its_gang(arena):
    arena.add_nodes(1)
    created = arena.submit(gang("heat"))

    arena.until_placed("heat")

    for rank, pod in enumerate(arena.pods("heat")):
        labels = pod["metadata"]["labels"]
        assert pod["metadata"]["name"] == f"heat-1-{rank}"
        assert (labels["lockstep.dev/gang"], labels["lockstep.dev/attempt"]) == ("heat", "1")
        assert labels["lockstep.dev/rank"] == str(rank)
        [owner] = pod["metadata"]["ownerReferences"]
        assert (owner["kind"], owner["uid"], owner["controller"]) == ("GangJob", created["metadata"]["uid"], True)


def test_member_reads_its_place_in_the_gang(arena):
    arena.add_nodes(1)
    mine = {"name": "MINE", "value": "$(LOCKSTEP_RANK) of $(LOCKSTEP_SIZE)"}
    arena.submit(gang("heat", container={"env": [mine]}))

    arena.until_placed("heat")

    for rank, pod in enumerate(arena.pods("heat")):
        variables = {one["name"]: one["value"] for one in pod["spec"]["containers"][0]["env"]}
        assert variables["LOCKSTEP_GANG"] == "heat"
        assert variables["LOCKSTEP_ATTEMPT"] == "1"
        assert (variables["LOCKSTEP_RANK"], variables["LOCKSTEP_SIZE"]) == (str(rank), "2")
        # What refers to ours has to stand after them.
        assert list(variables)[-1] == "MINE"


def test_template_reaches_the_member(arena):
    arena.add_nodes(1)
    arena.submit(gang("heat", run_for="1h", pod={"terminationGracePeriodSeconds": 7}))

    arena.until_placed("heat")

    for pod in arena.pods("heat"):
        assert pod["metadata"]["annotations"]["lockstep.dev/sandbox-run-for"] == "1h"
        assert pod["spec"]["terminationGracePeriodSeconds"] == 7
        assert (pod["spec"]["restartPolicy"], pod["spec"]["schedulerName"]) == ("Never", "lockstep")


def seconds_between(one, other):
    return (datetime.fromisoformat(other) - datetime.fromisoformat(one)).total_seconds()
