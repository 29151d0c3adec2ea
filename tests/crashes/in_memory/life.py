"""The life of a Gang on a fake API server: bound in part, undone by its way, placed whole, ended, with its owner gone.

The operator is killed at requests of it. Whatever it does, no pod of others is created, changed or deleted by it.
"""

import asyncio
from contextlib import asynccontextmanager

from crashes.in_memory.mortal import MortalOperator
from fake_cluster.api import FakeApi
from fake_cluster.jumping import now, until
from fake_cluster.pod_gangs import bound, changes_of_pods
from fake_cluster.rig import DEFAULT, api_with, end, pod_place
from fake_cluster.store import Place

# Refused bindings are tried again for a minute, and then evictions. The next process begins that anew.
_TRIED_SECONDS = 60.0
_PATIENCE_SECONDS = 3600.0


class PartialTimes:
    """For how long some pods were on nodes while others were waiting, by what a watch of pods shows."""

    def __init__(self, api: FakeApi):
        self._queue = api.store.watch("pods", api.store.version)
        self._waits = {}
        self._since = None
        self.longest = 0.0

    async def run(self):
        """Follow the watch, until cancelled."""
        while True:
            event = await self._queue.get()
            if event is None:
                return
            self._note(event["type"], event["object"])

    def _note(self, what, pod):
        is_gone = what == "DELETED" or "deletionTimestamp" in pod["metadata"]
        if is_gone:
            self._waits.pop(pod["metadata"]["uid"], None)
        else:
            self._waits[pod["metadata"]["uid"]] = "nodeName" not in pod["spec"]
        if self._since is not None:
            self.longest = max(self.longest, now() - self._since)
        is_partial = len({*self._waits.values()}) > 1
        self._since = (self._since or now()) if is_partial else None


async def live(cast, deaths):
    """Live a life. Returns the operator after it, and what was broken, as a sentence or ''."""
    async with api_with() as api:
        api.lingers = True
        maker = cast.create(api)
        times, operator = PartialTimes(api), MortalOperator(api, cast.sources, deaths, maker.trouble)
        async with _beside(maker.run(), times.run()), operator.running():
            try:
                await until(lambda: maker.is_undone and _is_whole(api, maker), seconds=_PATIENCE_SECONDS)
                _check(api, maker)
                longest = _TRIED_SECONDS * (len(operator.died_at) + 2)
                assert cast.is_kept or times.longest <= longest, f"bound in part for {times.longest:g} s"
                await _end(api, maker)
                await until(lambda: _holds_nothing(operator), seconds=_PATIENCE_SECONDS)
                assert changes_of_pods(api) == []
            except AssertionError as error:
                return operator, f"{error}: {_standing(api)}"
        return operator, ""


@asynccontextmanager
async def _beside(*works):
    tasks = [asyncio.create_task(work) for work in works]
    try:
        yield
    finally:
        await end(tasks)


def _is_whole(api, maker):
    """Whether all pods are on nodes, and the Gangs say so and hold nothing."""
    names = {it["metadata"]["name"] for it in bound(api)}
    statuses = [one.get("status", {}) for one in api.store.objects("gangs")]
    return (
        len(names) == maker.size and names == {*maker.live()} and all(map(_is_placed, statuses)) and maker.is_as_before
    )


def _is_placed(status):
    placed = [one["status"] for one in status.get("conditions", []) if one["type"] == "Placed"]
    return placed == ["True"] and "reservedAt" not in status


def _check(api, maker):
    lost = set(maker.lost)
    assert lost <= maker.may_lose, f"{lost - maker.may_lose} are lost"
    assert len(maker.lost) == len(lost), f"{maker.lost} are lost, one of them twice"
    evicted = {it.name for it in api.requests if it.resource == "pods/eviction"}
    assert evicted <= maker.may_lose, f"evictions of {evicted} were asked for"
    assert changes_of_pods(api) == []


async def _end(api, maker):
    """All pods succeed, and a while later the owner, its pods and its Gangs are gone."""
    maker.is_over = True
    for name in maker.live():
        api.store.change(pod_place(name), status={"phase": "Succeeded"})
    await asyncio.sleep(5)
    for resource in ("pods", "gangs"):
        for one in api.store.objects(resource, DEFAULT):
            api.store.remove(Place(resource, DEFAULT, one["metadata"]["name"]))
    await asyncio.sleep(5)


def _holds_nothing(operator):
    state = operator.parts and operator.parts.state
    return bool(state) and not state.reservations and not state.ledger.assumed and not state.pod_gangs.objects


def _standing(api):
    pods = [(it["metadata"]["name"], it["spec"].get("nodeName")) for it in api.store.objects("pods")]
    return f"pods {pods}, Gangs {[one.get('status') for one in api.store.objects('gangs')]}"
