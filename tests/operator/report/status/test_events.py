"""Events as the API wants them, one constructor each."""

import inspect
import re
from dataclasses import replace

import pytest

from builders.facts import gang_fact
from coschedule import GangKey
from lockstep.api.cluster.event import Event, event_manifest, gang_subject
from lockstep.facts.gang.gang import Refusal
from lockstep.facts.pods.failure import Failure
from lockstep.facts.reasons import EventReason, Reason
from lockstep.facts.sweeps.sweep import RunFailure
from lockstep.report.status import events

NOW = 1_795_176_000.25
FAILURE = Failure(reason=Reason.CLAIM_REFUSED, message="the API server refused pod g-1-0")
INTERRUPTIONS = [
    events.bind_interrupted(Failure(reason=reason, message="pod g-1-0 is not wanted"))
    for reason in (Reason.QUOTA_EXCEEDED, Reason.POD_LOST, Reason.POD_REJECTED)
]
NOT_READY = [
    events.not_accepted(Refusal(reason, "Claim data is not bound to a volume yet (template.spec.volumes[0])."))
    for reason in (Reason.CLAIM_NOT_READY, Reason.CLAIM_NOT_BOUND, Reason.REJECTED_BY_KUBELETS)
]
LEAVING = [
    events.pods_leave(FAILURE, "Job heat was suspended until its pods were gone, and resumed"),
    events.pods_stay(FAILURE, "it can't be suspended"),
    events.owner_not_resumed("denied by a policy"),
]
OF_OWNERS = [events.pods_wait(events.gang_unplaceable("Needs 8."))]
ALL = [
    events.gang_placed("8 members on n1."),
    events.gang_starts_later("8 members on n1."),
    events.gang_unplaceable("Needs 8."),
    events.changed_by_admission("cpu 2 instead of none"),
    events.gang_holds_nodes("Needs 8; it holds n1."),
    events.not_accepted(Refusal(Reason.INVALID_SPEC, "size: no.")),
    events.bind_interrupted(FAILURE),
    events.gang_restarting("Pod g-1-0 failed; this is restart 1 of 3."),
    events.gang_suspended("It is."),
    events.gang_resumed("It is not."),
    events.gang_paced("3 of 4 members are paced, which gives back 1.4 cores."),
    events.gang_overruns("It was expected to end."),
    events.gang_will_change_size("will grow from 4 to 9 members at 2026-11-27T12:04:30Z"),
    events.gang_changes_size(
        "grows from 4 to 9 members: there is room for 5 more; it ends 31 min sooner; the change takes about 2 min"
    ),
    events.members_joined(9),
    events.size_chosen(4, range(2, 7)),
    events.size_not_chosen("pods are forbidden"),
    events.quota_given_back("No start is known after 600 s, so Lockstep gives the quota back: no node has room."),
    events.size_change_dropped("there is no node n4"),
    events.gang_missing("there is no Gang heat"),
    events.pods_missing("Gang job.heat is not complete: 1 of the 2 needed pods"),
    events.owner_suspended("Gang job.heat was bound in part"),
    events.pods_evicted("pod heat-0 was evicted: the owner of node n1 is back"),
    events.gang_succeeded("All."),
    events.gang_failed("Pod g-1-0 failed."),
    events.gang_undoing(FAILURE, "pod g-1-0 was deleted; it waits for g-1-1 on n1."),
    events.status_refused("denied by a policy"),
    events.names_do_not_resolve(FAILURE),
    events.gang_preempted("gang default/hot, of priority 5, takes the place of this gang"),
    events.preempted_for_gang(GangKey("default", "cold")),
    events.sweep_started(9, "Each run has 4 members; at most 2 run at once."),
    events.sweep_size_changed(4, 8, "Each run has 8 members; at most 1 run at once."),
    events.sweep_run_failed(RunFailure(3, "MemberFailed", "Pod s-3-1-0 failed.")),
    events.sweep_refused("template: no."),
    events.sweep_complete("All runs have ended."),
    events.sweep_failed("More runs failed than maxFailed allows."),
    events.owner_returned("the owner of node n1 has been back since 2026-11-20T12:00:00Z"),
]


# A subject's name, cut there, would end in this character.
NAME_PART = 236


def manifest(event=ALL[0], *, name="g", now=NOW):
    return event_manifest(gang_subject(gang_fact(name, version="7")), event, instance="host-1", now=now)


def test_every_constructor_is_tested_here():
    made = inspect.getmembers(events, lambda it: inspect.isfunction(it) and it.__annotations__.get("return") is Event)

    assert len([name for name, _ in made if not name.startswith("_")]) == len([*ALL, *LEAVING, *OF_OWNERS])
    assert {event.reason for event in (*ALL, *INTERRUPTIONS, *NOT_READY)} == set(EventReason)


def test_event():
    assert manifest() == {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": {"name": manifest()["metadata"]["name"], "namespace": "default"},
        "eventTime": "2026-11-20T12:00:00.250000Z",
        "type": "Normal",
        "reason": "GangPlaced",
        "action": "Bind",
        "note": "8 members on n1.",
        "reportingController": "lockstep.dev/operator",
        "reportingInstance": "host-1",
        "regarding": {
            "apiVersion": "lockstep.dev/v1alpha1",
            "kind": "GangJob",
            "namespace": "default",
            "name": "g",
            "uid": "uid-of-g",
            "resourceVersion": "7",
        },
    }


@pytest.mark.parametrize("last", [".", "-", ".-", "x"])
def test_event_about_a_long_name_has_a_name_that_the_api_server_takes(last):
    name = manifest(name=f"{'a' * (NAME_PART - len(last))}{last}{'b' * 17}")["metadata"]["name"]

    assert len(name) <= 253
    assert all(part[-1].isalnum() for part in name.split("."))


def test_event_that_is_said_once_has_one_name_at_all_times():
    event = replace(ALL[0], posted_once=True)
    names = [manifest(one, now=now)["metadata"]["name"] for one in (event, ALL[0]) for now in (NOW, NOW + 60)]
    other = manifest(replace(event, note="9 members on n1."))["metadata"]["name"]

    assert names[0] == names[1]
    assert len({other, *names}) == 4


def test_interruption_says_its_reason():
    failure = Failure(reason=Reason.CLAIM_LOST, message="claim data of pod g-1-0 was deleted")
    event = events.bind_interrupted(failure)

    assert (event.reason, event.note) == ("BindInterrupted", "ClaimLost: claim data of pod g-1-0 was deleted.")


def test_what_tenants_meet_most_has_a_reason_of_its_own():
    notes = [(event.reason, event.note) for event in INTERRUPTIONS]

    assert notes == [(reason, "Pod g-1-0 is not wanted.") for reason in ("QuotaExceeded", "PodLost", "PodRejected")]


@pytest.mark.parametrize("reason", [one for one in Reason if one.name.startswith("GANG_")])
def test_what_a_user_asked_for_is_no_warning(reason):
    failure = Failure(reason=reason, message="the gang is no longer wanted")
    event = events.gang_undoing(failure, "it waits for g-1-1 on n1")

    assert event.kind == ("Normal" if failure.is_wanted else "Warning")


def test_reasons_are_unique_names_in_pascal_case():
    reasons = [event.reason for event in ALL]

    assert len(set(reasons)) == len(reasons)
    assert all(re.fullmatch(r"([A-Z][a-z]+)+", reason) for reason in reasons)


@pytest.mark.parametrize("event", ALL, ids=lambda it: it.reason)
def test_type_and_action_are_what_the_api_takes(event):
    assert event.kind in {"Normal", "Warning"}
    assert re.fullmatch(r"[A-Z][a-z]+", event.action)


@pytest.mark.parametrize(
    "note",
    [
        pytest.param("x" * 5000, id="ASCII"),
        pytest.param("é" * 5000, id="two bytes"),
        pytest.param("…" * 5000, id="three bytes"),
        pytest.param("x" + "…" * 5000, id="the limit falls within a character"),
    ],
)
def test_note_is_cut_to_its_limit_in_bytes(note):
    cut = manifest(events.gang_placed(note))["note"]

    assert 1020 < len(cut.encode()) <= 1024
    assert note.startswith(cut)


@pytest.mark.parametrize("length", [1, 63, 200, 236, 237, 252, 253])
def test_name_is_a_name(length):
    name = manifest(name="g" * length)["metadata"]["name"]

    assert len(name) <= 253
    assert re.fullmatch(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?", name)


def test_same_event_has_the_same_name():
    assert manifest()["metadata"]["name"] == manifest()["metadata"]["name"]


def test_other_events_have_other_names():
    names = {
        manifest(event, name=name, now=now)["metadata"]["name"]
        for event in ALL
        for name in ("g", "h")
        for now in (NOW, NOW + 0.000001, NOW + 1)
    }

    assert len(names) == 3 * 2 * len(ALL)
