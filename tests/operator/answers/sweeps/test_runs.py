"""Failed runs are made again on request, and the logs of runs are shown one after the other."""

from contextlib import nullcontext

import pytest

from fake_cluster.jumping import until
from fake_cluster.rig import api_with, running_operator
from fake_cluster.sweeps import counts, ending, made, run_names, status, sweep
from lockstep.answers.member_logs import LogsRequest
from lockstep.answers.reading.cluster import one_client
from lockstep.answers.reading.errors import AnswerError
from lockstep.answers.sweeps.requeue_runs import requeue_runs
from lockstep.answers.sweeps.run_logs import show_run_logs
from lockstep.facts.runs.sweep_keys import sweep_key

pytestmark = pytest.mark.asyncio

KEY = sweep_key("default", "s")


async def requeue(api, runs, *, within_seconds=60):
    """Ask as the command does."""
    async with one_client(api.configuration) as client:
        waiting = lambda: nullcontext(lambda: None)  # noqa: E731 - as in the command
        return await requeue_runs(client, KEY, runs, within_seconds=within_seconds, waiting=waiting)


async def end_with_failures(api, *failing):
    """Let the sweep of four runs end, of which these fail."""
    async with ending(api, fails=lambda name: name in failing):
        await until(lambda: status(api).get("state") == "Complete")
        await until(lambda: run_names(api) == sorted(failing))


async def test_failed_run_is_made_again():
    """Only that one, once for each request; the sweep is complete again when it has succeeded."""
    async with api_with() as api, running_operator(api, sweeps=True):
        api.store.create("gangsweeps", sweep(runs=4))
        await end_with_failures(api, "s-1", "s-2")
        assert await requeue(api, "1") == "s repeats these failed runs: 1."
        await end_with_failures(api, "s-1", "s-2")
        assert counts(api) == (2, 2)
        assert await requeue(api, "1-2")
        async with ending(api):
            await until(lambda: counts(api) == (4, 0) and status(api)["state"] == "Complete")
        assert made(api) == [0, 1, 1, 1, 2, 2, 3]


async def test_runs_that_have_not_failed_are_not_made_again():
    """The sentence says why; nothing changes."""
    async with api_with() as api, running_operator(api, sweeps=True):
        api.store.create("gangsweeps", sweep(runs=4))
        await until(lambda: run_names(api))
        with pytest.raises(
            AnswerError, match=r"Run 3 of GangSweep s has not ended\. Requeue its GangJob instead: lockstep"
        ):
            await requeue(api, "3")
        await end_with_failures(api)
        with pytest.raises(AnswerError, match="has succeeded"):
            await requeue(api, "0")
        with pytest.raises(AnswerError, match="has no run 4: it has 4"):
            await requeue(api, "4")


async def test_sweep_that_the_operator_has_not_started_has_no_runs_yet():
    """Its number of runs is not known, so no sentence counts them."""
    async with api_with() as api:
        api.store.create("gangsweeps", sweep(runs=4))
        with pytest.raises(AnswerError, match=r"^GangSweep s has no runs yet: the operator has not started"):
            await requeue(api, "1")


async def test_wish_that_is_not_obeyed_is_said():
    """Without an operator that obeys sweeps."""
    async with api_with() as api:
        async with running_operator(api, sweeps=True):
            api.store.create("gangsweeps", sweep(runs=4))
            await end_with_failures(api, "s-1")
        with pytest.raises(AnswerError, match="does it run with --sweeps"):
            await requeue(api, "1")


async def test_logs_of_a_sweep_are_those_of_its_runs():
    """Each begins with the number of its run."""
    async with api_with() as api, running_operator(api, sweeps=True):
        api.store.create("gangsweeps", sweep(runs=4))
        await end_with_failures(api, "s-1", "s-3")
        shown = []
        async with one_client(api.configuration) as client:
            await show_run_logs(client, KEY, LogsRequest(KEY), shown.append)
    assert [one.notice for one in shown if not one.pod] == ["Run 1:", "Run 3:"]
    assert [one.pod for one in shown if one.pod] == ["s-1-1-0", "s-1-1-1", "s-3-1-0", "s-3-1-1"]
