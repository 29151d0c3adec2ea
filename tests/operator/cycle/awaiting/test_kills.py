"""The operator is killed at each status that it writes while one gang waits for another, and the next one goes on."""

import asyncio

import pytest

from builders.served import gang
from fake_cluster.api import ANSWER_LOST, NEVER_ARRIVED
from fake_cluster.jumping import until
from fake_cluster.rig import (
    api_with,
    condition,
    gang_place,
    is_placed,
    pods_of,
    running_operator,
    set_phases,
    status_of,
)

pytestmark = pytest.mark.asyncio

MOST_WRITES = 20
SUCCEEDED = ("True", "Succeeded")
AFTER = {"after": [{"name": "first", "kind": "GangJob"}]}


def drive(api):
    """Let the members of the first gang run, and then end."""
    if api.store.get(gang_place("first")) is None or condition(api, "first", "Complete") == SUCCEEDED:
        return
    if is_placed(api, "first"):
        set_phases(api, "first", "Succeeded" if "startedAt" in status_of(api, "first") else "Running")


def delete_once_recorded(api):
    """Delete the first gang as soon as the other one has its end."""
    known = {one["name"]: one.get("outcome") for one in status_of(api, "late").get("after", ())}
    if known == {"first": "Succeeded"} and api.store.get(gang_place("first")) is not None:
        api.store.remove(gang_place("first"))


def live(api):
    """Do what is due outside the operator; returns whether the second gang is placed."""
    drive(api)
    delete_once_recorded(api)
    return is_placed(api, "late")


class KilledAt:
    """Lets the operator's connection break at its status write of that number, and at all later requests."""

    def __init__(self, number, cut):
        self.left, self.cut = number, cut

    def __call__(self, request):
        if self.left <= 0:
            return NEVER_ARRIVED
        self.left -= request.is_write and request.resource == "gangjobs/status"
        return self.cut if self.left <= 0 else None

    @property
    def has_struck(self):
        return self.left <= 0


def positions(api):
    """Where in the history the first gang has succeeded, and where the first pod of the other one is."""
    ends, pods = [], []
    for position, one in enumerate(api.store.past):
        what = one.event["object"]
        name = what["metadata"]["name"]
        if one.resource == "gangjobs" and name == "first":
            conditions = what.get("status", {}).get("conditions", ())
            ends += [position for one in conditions if (one["type"], one["status"]) == ("Complete", "True")]
        if one.resource == "pods" and name.startswith("late-"):
            pods.append(position)
    return min(ends), min(pods)


@pytest.mark.search("kills while a gang waits for another one", one_in=4)
@pytest.mark.parametrize("cut", [NEVER_ARRIVED, ANSWER_LOST])
@pytest.mark.parametrize("number", range(1, MOST_WRITES))
async def test_gang_starts_once_and_only_after_the_other_one(number, cut):
    async with api_with(gangs=[gang("first"), gang("late", spec=AFTER)]) as api:
        api.fault = kill = KilledAt(number, cut)
        async with running_operator(api):
            await until(lambda: live(api) or kill.has_struck)
        api.fault = lambda _: None
        async with running_operator(api):
            await until(lambda: live(api))
            await asyncio.sleep(60)

        end, pod = positions(api)
        assert end < pod
        assert len(pods_of(api, "late")) == 2
        assert status_of(api, "late")["attempt"] == 1
