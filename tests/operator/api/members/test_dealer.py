"""The dealer beside rank 0: who has it, what is planned for it, and what its pod's status says of it."""

import pytest

from builders.served import container, gang, owned_by, pod
from coschedule import Members
from lockstep.api.gangjob.gangjob import parse_gang, parse_status, status_manifest
from lockstep.api.members.member_pod import MemberPods
from lockstep.api.pods.pod import parse_pod
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.piece_states import PieceCounts
from lockstep.facts.pods.dealer import DealerFact

IMAGE = "registry.example.com/lockstep:1"
DEALT = {"load": "Pieces", "pieces": 30, "dealing": "WhileRunning"}
DEALER = {"initContainers": [container("lockstep-dealer")]}
COUNTS = PieceCounts(done=28, failed=2, first_failed=(3, 17))


def parse(image=IMAGE, **parts):
    return parse_gang(gang("g", **parts), None, gate_image=image)


def pods_of(fact, attempt=1):
    return [MemberPods(fact, attempt, [Members("n1", 2)]).pod(rank)["spec"] for rank in range(2)]


def names(spec):
    return [one["name"] for one in spec.get("initContainers") or ()]


def test_only_rank_0_has_the_dealer_behind_its_other_init_containers():
    fact = parse(
        spec={**DEALT, "network": {"startBarrier": {"timeout": "5m"}}},
        pod_spec={"initContainers": [container("fetch")]},
    )

    first, second = pods_of(fact)

    assert names(first) == ["fetch", "lockstep-gate", "lockstep-dealer"]
    assert names(second) == ["fetch", "lockstep-gate"]
    assert {one["name"] for one in first["volumes"]} - {one["name"] for one in second["volumes"]} == {
        "lockstep-dealer-kept",
        "lockstep-dealer-own",
    }


def test_what_the_dealer_asks_for_is_planned_beside_the_members_own():
    [role] = parse(spec=DEALT).spec.roles
    [other] = parse(spec={**DEALT, "dealing": "Beforehand"}).spec.roles
    with_it, without = dict(role.request), dict(other.request)

    assert with_it["cpu"] - without["cpu"] == 100
    assert with_it["memory"] - without.get("memory", 0) == 64 * 2**20


def as_bound(fact, rank):
    """The pod of a member as a watch shows it once it is bound."""
    made = MemberPods(fact, 1, [Members("n1", 2)]).pod(rank)
    there = pod(f"g-1-{rank}", node="n1", **owned_by("g", rank=rank))
    metadata = {**there["metadata"], "annotations": made["metadata"]["annotations"]}
    return parse_pod({**there, "metadata": metadata, "spec": {**made["spec"], "nodeName": "n1"}})


def test_all_members_of_an_elastic_gang_keep_the_room_that_is_planned():
    terms = {"elastic": {"mode": "Members"}, "size": {"min": 1, "max": 8}}
    fact = parse(spec={**DEALT, **terms})

    assert [as_bound(fact, rank).request for rank in range(2)] == [fact.spec.roles[0].request] * 2


def test_only_rank_0_keeps_that_room_where_the_size_stays():
    with_it, without = (dict(as_bound(parse(spec=DEALT), rank).request) for rank in range(2))

    assert with_it["cpu"] - without["cpu"] == 100


def test_template_does_not_say_what_room_its_members_keep():
    annotations = {"lockstep.dev/keeps-room": "lockstep-dealer"}
    spec = gang("g")["spec"]["template"]
    fact = parse(spec={**DEALT, "template": {**spec, "metadata": {"annotations": annotations}}})

    assert "lockstep.dev/keeps-room" not in MemberPods(fact, 1, [Members("n1", 2)]).pod(1)["metadata"]["annotations"]


def test_dealer_takes_the_key_of_its_own_attempt():
    for attempt in (1, 7):
        for spec in pods_of(parse(spec=DEALT), attempt):
            [key] = [one for one in spec["containers"][0]["env"] if one["name"] == "LOCKSTEP_DEALER_KEY"]
            assert key["valueFrom"]["configMapKeyRef"] == {"name": "g-pieces", "key": f"key-{attempt}"}


def test_without_an_image_no_pieces_are_dealt():
    refusal = parse(image="", spec=DEALT).refusal

    assert refusal.reason == "UnsupportedField"
    assert refusal.message.startswith("dealing: the operator's administrator has to set --gate-image")


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ({"dealing": "WhileRunning"}, "dealing: is allowed only with load Pieces, beside template."),
        ({**DEALT, "pieces": 100_001}, "pieces: must be at most 100000 with dealing WhileRunning, not 100001."),
    ],
)
def test_manifest_of_a_file_is_refused_as_the_api_server_would(spec, says):
    assert parse(spec=spec).refusal.message == says


def test_how_many_may_fail_is_none_unless_it_is_said():
    assert parse(spec=DEALT).spec.dealing == (30, 0)
    assert parse(spec={**DEALT, "maxFailedPieces": 4}).spec.dealing == (30, 4)
    assert parse(spec={**DEALT, "dealing": "Beforehand"}).spec.dealing is None


def test_runs_with_a_dealer_are_learned_apart_and_others_as_before():
    work = {"work": {"serialTime": "1h"}}
    plain, dealt = ({**DEALT, **work, "dealing": dealing} for dealing in ("Beforehand", "WhileRunning"))
    absent = {field: value for field, value in plain.items() if field != "dealing"}
    digests = [parse(spec=spec).spec.run_template for spec in (absent, plain, dealt)]

    assert digests[0] == digests[1] != digests[2]


@pytest.mark.parametrize("counts", [None, COUNTS, PieceCounts(done=1, failed=0)])
def test_counts_survive_the_way_into_a_status_and_back(counts):
    written = status_manifest(GangStatus(pieces=counts))
    # A merge patch: the API server stores no nulls.
    stored = {field: value for field, value in written.items() if value is not None}

    assert parse_status(stored).pieces == counts


@pytest.mark.parametrize(
    ("status", "want"),
    [
        ({}, DealerFact("")),
        ({"podIP": "10.1.2.3"}, DealerFact("http://10.1.2.3:7711/states")),
        ({"podIP": "fd00::7"}, DealerFact("http://[fd00::7]:7711/states")),
        ({"podIP": "evil.example.com/?"}, DealerFact("")),
        ({"initContainerStatuses": [{"name": "lockstep-dealer", "state": {"running": {}}}]}, DealerFact("")),
        (
            {
                "initContainerStatuses": [
                    {
                        "name": "lockstep-dealer",
                        "state": {"terminated": {"message": "done 28, failed 2: 3 17", "exitCode": 0}},
                    }
                ]
            },
            DealerFact("", COUNTS),
        ),
    ],
)
def test_pod_of_rank_0_shows_where_its_dealer_is_and_what_it_left(status, want):
    assert parse_pod(pod("g-1-0", spec=DEALER, status=status, **owned_by("g"))).dealer == want


def test_no_other_pod_has_a_dealer():
    assert parse_pod(pod("g-1-1", spec=DEALER, **owned_by("g", rank=1))).dealer is None
    assert parse_pod(pod("g-1-0", **owned_by("g"))).dealer is None
    assert parse_pod(pod("other", spec=DEALER)).dealer is None
