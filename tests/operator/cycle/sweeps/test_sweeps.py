"""Sweeps on a fake API server: their runs are made, counted and deleted, and the status says how they end."""

import asyncio

import pytest

from builders.served import gang, node
from fake_cluster.api import GET, POST, Refusal
from fake_cluster.jumping import until
from fake_cluster.rig import DEFAULT, gang_place, operator_over, pods_of
from fake_cluster.store import Place
from fake_cluster.sweeps import SWEEP, counts, ending, made, parameters, run_names, status, sweep

pytestmark = pytest.mark.asyncio

RANGE = {"size": {"min": 1, "max": 4}, "work": {"serialTime": "1h", "overhead": {"perMember": "60s"}}}


async def test_each_run_is_made_once_and_the_sweep_is_complete():
    """Ten runs succeed one after the other; in the end no GangJob is left."""
    async with operator_over(sweeps=True) as (api, _), ending(api):
        api.store.create("gangsweeps", sweep(runs=10))
        await until(lambda: status(api).get("state") == "Complete")
        assert (counts(api), made(api)) == ((10, 0), [*range(10)])
        await until(lambda: run_names(api) == [])
    assert status(api)["summary"] == "All runs have ended: 10 of 10 runs succeeded, 0 failed."


async def test_runs_that_fail_are_counted_and_the_first_stay_for_their_logs():
    """Twelve of twenty runs fail; sentences and GangJobs of ten stay, and all of them are listed."""
    failing = [*range(3, 15)]
    async with (
        operator_over(sweeps=True) as (api, _),
        ending(api, fails=lambda name: int(name.removeprefix("s-")) in failing),
    ):
        api.store.create("gangsweeps", sweep(runs=20))
        await until(lambda: status(api).get("state") == "Complete")
        assert (counts(api), status(api)["failedRuns"]) == ((8, 12), "3-14")
        kept = sorted(one["run"] for one in status(api)["failures"])
        await until(lambda: run_names(api) == sorted(f"s-{run}" for run in kept))
    assert len(kept) == 10
    assert set(kept) <= set(failing)
    assert {one["reason"] for one in status(api)["failures"]} == {"MemberFailed"}


async def test_sweep_with_finish_first_stops_the_others_once_enough_have_succeeded():
    """Three of a hundred are enough: the rest is neither made nor goes on."""
    async with operator_over(sweeps=True) as (api, _), ending(api):
        api.store.create("gangsweeps", sweep(runs=100, finish={"first": 3}))
        await until(lambda: status(api).get("state") == "Complete")
        await until(lambda: run_names(api) == [])
        assert status(api)["succeeded"] >= 3
        assert len(made(api)) < 40
        assert "Enough runs have succeeded" in status(api)["summary"]


async def test_sweep_with_too_many_failures_fails_and_stops_the_others():
    """With the third failure it is over."""
    async with operator_over(sweeps=True) as (api, _), ending(api, fails=lambda _: True):
        api.store.create("gangsweeps", sweep(runs=100, maxFailed=2, maxParallel=2))
        await until(lambda: status(api).get("state") == "Failed")
        await until(lambda: len(run_names(api)) == len(status(api)["failures"]))
        assert [one["type"] for one in status(api)["conditions"]] == ["Accepted", "Failed"]


async def test_at_most_max_parallel_runs_are_there_at_a_time():
    """However many fit, no more have a GangJob that has not ended."""
    async with operator_over(sweeps=True) as (api, _), ending(api, seconds=30):
        api.store.create("gangsweeps", sweep(runs=50, maxParallel=3))
        await until(lambda: len(run_names(api)) == 3)
        await asyncio.sleep(20)
        assert len(run_names(api)) == 3


async def test_suspended_sweep_takes_waiting_runs_back_and_running_ones_go_on():
    """Of the runs that are there, those without nodes are deleted, and made once the sweep is resumed."""
    async with operator_over(node("n1", cpu="2"), sweeps=True) as (api, _):
        api.store.create("gangsweeps", sweep(runs=10))
        await until(lambda: len(run_names(api)) > 1 and pods_of(api, "s-0"))
        api.store.change(SWEEP, spec={"suspend": True}, metadata={"generation": 2})
        await until(lambda: run_names(api) == ["s-0"])
        await until(lambda: status(api)["state"] == "Suspended")
        api.store.change(SWEEP, spec={"suspend": False}, metadata={"generation": 3})
        await until(lambda: "s-1" in run_names(api))
        async with ending(api):
            await until(lambda: status(api).get("state") == "Complete")
    assert counts(api) == (10, 0)


async def test_gang_whose_owner_reference_a_user_removed_is_no_run_and_stays():
    """A change of the metadata makes no new generation of the GangJob."""
    async with operator_over(node("n1", cpu="2"), sweeps=True) as (api, _):
        api.store.create("gangsweeps", sweep(runs=10))
        await until(lambda: len(run_names(api)) > 1 and pods_of(api, "s-0"))
        await asyncio.sleep(10)
        api.store.change(SWEEP, spec={"suspend": True}, metadata={"generation": 2})
        api.store.change(gang_place("s-1"), metadata={"ownerReferences": []})
        await until(lambda: status(api)["state"] == "Suspended")
        await asyncio.sleep(60)

        assert run_names(api) == ["s-0", "s-1"]


async def test_runs_get_their_parameters_as_variables_and_as_a_file():
    """Each line of the ConfigMap is a run; a dollar sign is no reference."""
    text = 'RATE,NAME\n0.1,"a, $(b)"\n0.2,c\n'
    async with operator_over(sweeps=True) as (api, _):
        api.store.create("configmaps", parameters(text))
        api.store.create("gangsweeps", sweep(runs=None, parametersFrom={"configMap": "p"}))
        [first, _] = await until(lambda: pods_of(api, "s-0"))
        second = await until(lambda: pods_of(api, "s-1"))
    env = {one["name"]: one["value"] for one in first["spec"]["containers"][0]["env"]}
    wanted = {"LOCKSTEP_SWEEP": "s", "LOCKSTEP_RUN": "0", "RATE": "0.1", "NAME": "a, $$(b)"}
    assert wanted.items() <= env.items()
    assert env["LOCKSTEP_PARAMETERS_FILE"] == "/etc/lockstep-run/parameters"
    assert first["metadata"]["annotations"]["lockstep.dev/parameters"] == "RATE=0.1\nNAME=a, $(b)\n"
    assert {"name": "RATE", "value": "0.2"} in second[0]["spec"]["containers"][0]["env"]
    [volume] = [one for one in first["spec"]["volumes"] if one["name"] == "lockstep-run"]
    assert volume["downwardAPI"]["items"][0]["path"] == "parameters"
    assert status(api)["runs"] == 2


async def test_parameters_that_are_not_immutable_are_refused_until_they_are():
    """The sentence says how to mark them; then the runs are made."""
    async with operator_over(sweeps=True) as (api, _):
        api.store.create("configmaps", parameters("A\n1\n", immutable=False))
        api.store.create("gangsweeps", sweep(runs=None, parametersFrom={"configMap": "p"}))
        await until(lambda: status(api).get("state") == "Refused")
        assert "kubectl patch configmap p" in status(api)["summary"]
        api.store.replace(
            Place("configmaps", DEFAULT, "p"), {**api.store.get(Place("configmaps", DEFAULT, "p")), "immutable": True}
        )
        await until(lambda: run_names(api) == ["s-0"])
        await until(lambda: status(api).get("state") == "Running")


async def test_template_that_the_operator_refuses_refuses_the_sweep():
    """No run is made of it."""
    template = gang("x", pod_spec={"schedulerName": "other"})["spec"]
    async with operator_over(sweeps=True) as (api, _):
        api.store.create("gangsweeps", sweep(template=template))
        await until(lambda: status(api).get("state") == "Refused")
        assert "schedulerName" in status(api)["conditions"][0]["message"]
        assert run_names(api) == []


async def test_full_quota_waits_and_says_so():
    """Creations that are refused are tried again after pauses, and count once they succeed."""
    quota = Refusal(code=403, message="gangjobs is forbidden: exceeded quota: q, requested: 1, used: 1, limited: 1")
    async with operator_over(sweeps=True) as (api, _), ending(api):
        api.fault = lambda request: quota if request[:2] == (POST, "gangjobs") else None
        api.store.create("gangsweeps", sweep(runs=2))
        await until(lambda: "exceeded quota" in status(api).get("summary", ""))
        await asyncio.sleep(600)
        assert len([one for one in api.requests if one[:2] == (POST, "gangjobs")]) < 30
        api.fault = lambda _: None
        await until(lambda: status(api).get("state") == "Complete")
    assert counts(api) == (2, 0)


async def test_gang_job_of_others_fails_the_run_of_its_name_only():
    """It is left alone, and the sweep says so."""
    async with operator_over(sweeps=True, gangs=[gang("s-1", size=20)]) as (api, _), ending(api):
        api.store.create("gangsweeps", sweep(runs=3))
        await until(lambda: status(api).get("state") == "Complete")
        assert counts(api) == (2, 1)
        assert status(api)["failures"] == [
            {"run": 1, "reason": "NameTaken", "message": "There is a GangJob s-1 that does not belong to this sweep."}
        ]
        await asyncio.sleep(10)
        assert run_names(api) == ["s-1"]


async def test_run_whose_gang_job_vanishes_is_made_again():
    """A user deletes it before it has ended."""
    async with operator_over(sweeps=True) as (api, _):
        api.store.create("gangsweeps", sweep(runs=1))
        await until(lambda: pods_of(api, "s-0"))
        api.store.remove(gang_place("s-0"))
        await until(lambda: made(api) == [0, 0])
        async with ending(api):
            await until(lambda: status(api).get("state") == "Complete")


async def test_run_that_never_fits_does_not_hold_the_others_up():
    """One run asks for a node that is not there; the other nineteen end."""
    async with operator_over(sweeps=True) as (api, _), ending(api):
        api.store.create("gangsweeps", sweep(runs=20))
        await until(lambda: "s-0" in run_names(api))
        api.store.change(gang_place("s-0"), spec={"suspend": True}, metadata={"generation": 2})
        await until(lambda: counts(api) == (19, 0))
        assert run_names(api) == ["s-0"]


async def test_runs_get_the_common_size_and_the_status_says_why():
    """On sixteen places, sixteen runs of equal times get one member each; what is left at the end gets more."""
    async with operator_over(sweeps=True) as (api, _):
        api.store.create("gangsweeps", sweep(runs=16, template={**gang("x")["spec"], **RANGE}))
        await until(lambda: run_names(api))
        assert api.store.get(gang_place("s-0"))["spec"]["size"] == {"min": 1, "max": 1}
        await until(lambda: "Each run has 1 member; at most 16 run at once." in status(api).get("sizeReason", ""))


async def test_few_runs_get_more_members():
    """Two runs share the sixteen places, as far as more members make them faster."""
    async with operator_over(sweeps=True) as (api, _):
        api.store.create("gangsweeps", sweep(runs=2, template={**gang("x")["spec"], **RANGE}))
        await until(lambda: run_names(api))
        assert api.store.get(gang_place("s-0"))["spec"]["size"] == {"min": 4, "max": 4}


async def test_runs_for_which_no_node_has_room_yet_get_a_size_that_has_a_run_time():
    """The profile begins at two members, so a run of one member would be refused and request no nodes."""
    profile = [{"members": 2, "time": "2h"}, {"members": 4, "time": "1h"}]
    template = {**gang("x", cpu="16")["spec"], "size": {"min": 1, "max": 4}, "work": {"profile": profile}}
    async with operator_over(sweeps=True) as (api, _):
        api.store.create("gangsweeps", sweep(runs=2, template=template))
        await until(lambda: run_names(api))
        assert api.store.get(gang_place("s-0"))["spec"]["size"] == {"min": 2, "max": 2}


async def test_sweep_that_may_not_be_read_at_first_goes_on_later():
    async with operator_over(sweeps=True) as (api, _), ending(api):
        refused = Refusal(code=403, message="gangsweeps is forbidden")
        api.fault = lambda request: refused if request[:2] == (GET, "gangsweeps") else None
        api.store.create("gangsweeps", sweep(runs=2))
        await asyncio.sleep(600)
        api.fault = lambda _: None
        await until(lambda: status(api).get("state") == "Complete")


async def test_status_is_written_once_in_five_seconds_at_most():
    """Short runs of a large sweep: writes are two a run beside those of its GangJobs, and few statuses."""
    async with operator_over(sweeps=True) as (api, _), ending(api, seconds=0.5):
        began = asyncio.get_running_loop().time()
        api.store.create("gangsweeps", sweep(runs=60))
        await until(lambda: status(api).get("state") == "Complete")
        await until(lambda: run_names(api) == [])
        seconds = asyncio.get_running_loop().time() - began
        statuses = [one for one in api.writes if one.resource == "gangsweeps/status"]
        runs = [one for one in api.writes if one.resource == "gangjobs"]
    assert len(statuses) <= seconds / 5 + 2
    assert len(runs) == 2 * 60


@pytest.mark.parametrize(
    "asked",
    [
        pytest.param({"kind": "GangSweep", "name": "s"}, id="the sweep"),
        pytest.param({"kind": "GangJob", "name": "s-2"}, id="a run"),
    ],
)
async def test_runs_that_would_wait_for_their_own_sweep_are_refused(asked):
    template = gang("x", spec={"after": [asked]})["spec"]
    async with operator_over(sweeps=True) as (api, _):
        api.store.create("gangsweeps", sweep(runs=3, template=template))
        await until(lambda: "would wait for each other" in str(status(api)))
        assert made(api) == []


async def test_number_of_runs_that_others_have_written_is_corrected():
    """The status says 1,000 runs, and the spec three."""
    async with operator_over(sweeps=True) as (api, _), ending(api):
        api.store.create("gangsweeps", {**sweep(runs=3), "status": {"runs": 1_000, "state": "Running"}})
        await until(lambda: status(api).get("state") == "Complete")
        assert made(api) == [0, 1, 2]
