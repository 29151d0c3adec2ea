"""A template that no Job may have is refused with the API server's own sentence, now or while its gang has to wait."""

import copy

import pytest

from builders.manifests import gang
from builders.templates import ADMISSION_REFUSES
from live.denial import Denial, denied

pytestmark = pytest.mark.usefixtures("operator")


@pytest.fixture
def denial(arena):
    """Lets a ValidatingAdmissionPolicy deny every pod of the arena's namespace, until it is lifted."""
    pods = Denial("CREATE", "pods", "pods need a cost centre")
    pod = {"metadata": {"name": "dry-run"}, "spec": {"containers": [{"name": "main", "image": "x"}]}}
    with denied(arena, pods, lambda: arena.api.request("POST", f"{arena.core}/pods?dryRun=All", pod)) as lift:
        yield lift


def test_refused_templates_are_reported_at_once(arena):
    arena.add_nodes(1)

    names = submit_all(arena)

    assert_each_is_refused(arena, names)
    assert [name for name in names if arena.pods(name)] == []
    assert [name for name in names if "reservedAt" in arena.status(name)] == []


def test_refused_templates_are_reported_while_they_wait(arena):
    names = submit_all(arena)

    assert_each_is_refused(arena, names)
    assert [name for name in names if arena.status(name).get("attempt")] == []


def test_gang_that_a_policy_denies_keeps_no_room_and_lands_once_it_is_lifted(arena, denial):
    arena.add_nodes(1)

    arena.submit(gang("heat"))

    refused = arena.until("heat", "Accepted", "False", "TemplateRefused")
    assert "denied request: pods need a cost centre" in refused["message"]
    [event] = arena.until_events("heat", "InvalidSpec")
    assert event["note"] == refused["message"]
    denial()
    arena.until_placed("heat")


def test_gang_that_waits_for_its_service_account_is_no_refusal(arena):
    arena.add_nodes(1)
    arena.submit(gang("heat", pod={"serviceAccountName": "late"}))
    arena.until("heat", "Placed", "False", "PodRefused")

    arena.api.request("POST", f"{arena.core}/serviceaccounts", {"metadata": {"name": "late"}})

    arena.until_placed("heat")


def submit_all(arena):
    """Submit a gang of each template; returns their names, and what is said of each."""
    names = {}
    for number, (template, because) in enumerate(ADMISSION_REFUSES.values()):
        one = gang(f"g{number}", size=1)
        one["spec"]["template"] = copy.deepcopy(template)
        arena.submit(one)
        names[f"g{number}"] = because
    return names


def assert_each_is_refused(arena, names):
    for name, because in names.items():
        refused = arena.until(name, "Accepted", "False", "TemplateRefused")
        assert refused["message"].startswith("The API server refuses the members: ")
        assert because in refused["message"]
        assert arena.condition(name, "Planned")["reason"] == "NotPlanned"
