"""What ``explain sweep/NAME`` says: the size, how many runs go side by side, and what holds the sweep up."""

import pytest

from builders.served import at, gang, node
from fake_cluster.api import POST, Refusal
from fake_cluster.jumping import until
from fake_cluster.rig import api_with, gang_place, operator_over, pods_of
from fake_cluster.sweeps import SWEEP, ending, run_names, status, sweep
from lockstep.answers.reading.cluster import one_client, read_cluster
from lockstep.answers.sweeps.explained_text import explained_document, explained_lines
from lockstep.answers.sweeps.explaining import answer_sweep
from lockstep.answers.sweeps.reading import read_sweep
from lockstep.api.sweeps.run_gang import run_gang
from lockstep.api.sweeps.sweep import parse_sweep
from lockstep.belief.state import State
from lockstep.facts.runs.sweep_keys import sweep_key

pytestmark = pytest.mark.asyncio

KEY = sweep_key("default", "s")
RANGE = {"size": {"min": 1, "max": 4}, "work": {"serialTime": "1h", "overhead": {"perMember": "60s"}}}


async def explained(api):
    """The answer as the command finds it."""
    state = State(lambda: None, gate_image="gate")
    async with one_client(api.configuration) as client:
        await read_cluster(client, state, kind_read=lambda: None)
        return answer_sweep(state, await read_sweep(client, KEY))


def held_up(answer):
    return {one["run"]: one["why"] for one in explained_document(answer)["heldUp"]}


async def test_size_and_what_bounds_the_runs_side_by_side():
    """Sixteen places: the places bound many runs, their number few, and maxParallel all."""
    for runs, more, why in [
        (40, {}, "At most 8 runs run at once: the nodes of the pool have no room for another run of that size."),
        (16, {}, "At most 16 runs run at once: no other runs are left."),
        (40, {"maxParallel": 1}, "At most one run runs at a time: maxParallel allows no more."),
    ]:
        async with operator_over(sweeps=True) as (api, _):
            api.store.create("gangsweeps", sweep(runs=runs, template={**gang("x")["spec"], **RANGE}, **more))
            await until(lambda api=api: run_names(api) and status(api).get("sizeReason"))
            answer = await explained(api)
        text = " ".join(" ".join(explained_lines(answer)).split())
        assert why in text
        assert explained_document(answer)["next"]["why"] == status(api)["sizeReason"]
        assert f"The next runs: {status(api)['sizeReason']}" in text


async def test_run_that_fits_nowhere_and_run_that_waits_are_named():
    """With the sentences of their GangJobs."""
    async with operator_over(node("n1", cpu="2"), sweeps=True) as (api, _):
        api.store.create("gangsweeps", sweep(runs=9))
        await until(lambda: pods_of(api, "s-0") and "s-1" in run_names(api))
        api.store.change(gang_place("s-1"), spec={"suspend": True}, metadata={"generation": 2})
        await until(lambda: "s-2" in run_names(api))
        await until(lambda: "Planned" in str(api.store.get(gang_place("s-2")).get("status")))
        answer = await explained(api)
    assert held_up(answer).keys() == {1, 2}
    assert "uspended" in held_up(answer)[1]
    assert "It needs 2 members" in held_up(answer)[2]


async def test_run_that_was_resumed_says_why_it_waits_now():
    """As a run that waited for quota in a queue of Kueue: it keeps the condition Suspended, with the status False."""
    async with api_with() as api:
        api.store.create("gangsweeps", {**sweep(), "status": {"state": "Running", "runs": 3}})
        conditions = [
            {"type": kind, "status": "False", "reason": reason, "message": why, "lastTransitionTime": at(0)}
            for kind, reason, why in (
                ("Planned", "NotEnoughRoom", "It needs 2 members, and 0 fit."),
                ("Suspended", "GangResumed", "The gang is no longer suspended."),
            )
        ]
        made = run_gang(parse_sweep(api.store.get(SWEEP)), 0, (), None)
        api.store.create("gangjobs", {**made, "status": {"conditions": conditions}})
        answer = await explained(api)
    assert held_up(answer) == {0: "It needs 2 members, and 0 fit."}


async def test_quota_suspension_and_predecessors_are_said():
    """Each by the sentence that names it."""
    quota = Refusal(code=403, message="gangjobs is forbidden: exceeded quota: q, requested: 1, used: 1, limited: 1")
    async with operator_over(sweeps=True) as (api, _):
        api.fault = lambda request: quota if request[:2] == (POST, "gangjobs") else None
        api.store.create("gangsweeps", sweep(runs=2))
        await until(lambda: "exceeded quota" in status(api).get("summary", ""))
        assert "exceeded quota" in " ".join(explained_lines(await explained(api)))
        api.store.change(SWEEP, spec={"suspend": True}, metadata={"generation": 2})
        await until(lambda: status(api)["state"] == "Suspended")
        assert "It is suspended" in " ".join(explained_lines(await explained(api)))
    async with operator_over(sweeps=True) as (api, _):
        template = gang("x", spec={"after": [{"kind": "GangJob", "name": "first"}]})["spec"]
        api.store.create("gangsweeps", sweep(runs=2, template=template))
        await until(lambda: run_names(api))
        assert "It waits until first has succeeded" in next(iter(held_up(await explained(api)).values()))


async def test_ended_sweep_names_its_failures_and_no_next_size():
    async with operator_over(sweeps=True) as (api, _), ending(api, fails=lambda name: name == "s-1"):
        api.store.create("gangsweeps", sweep(runs=3))
        await until(lambda: status(api).get("state") == "Complete")
        answer = await explained(api)
    assert explained_document(answer)["next"] is None
    lines = " ".join(" ".join(explained_lines(answer)).split())
    assert "GangSweep default/s is complete. All runs have ended: 2 of 3 runs succeeded, 1 failed." in lines
    assert "2 of 3 runs have succeeded, and 1 have failed (1)." in lines
    assert "Run 1 has failed (MemberFailed):" in lines


async def test_sweep_that_no_operator_has_seen_says_so():
    async with api_with() as api:
        api.store.create("gangsweeps", sweep(runs=3))
        answer = await explained(api)
    assert "does it run with --sweeps?" in held_up(answer)[None]
