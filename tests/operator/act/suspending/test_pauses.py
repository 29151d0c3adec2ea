"""Refusals that no dry run shows: each one costs the owner its pods, so the pauses between them double."""

import asyncio

import pytest

from fake_cluster.api import REFUSED
from fake_cluster.bound_in_part import HEAT, job_bound_in_part, mark_of, operator, placed
from fake_cluster.jumping import until
from fake_cluster.pod_gangs import BINDING
from fake_cluster.rig import DEFAULT, api_with
from fake_cluster.store import Place

pytestmark = pytest.mark.asyncio


def refuse_real_bindings(api):
    """A webhook refuses one pod of each three, and takes dry runs."""
    api.fault = lambda it: (
        REFUSED if (it.verb, it.resource) == ("POST", BINDING) and int(it.name.rpartition("-")[2]) % 3 == 1 else None
    )


def said(api, kind):
    """What a condition of the Gang says; empty while there is none."""
    conditions = [it for gang in api.store.objects("gangs") for it in gang.get("status", {}).get("conditions", [])]
    return next((it["message"] for it in conditions if it["type"] == kind), "")


async def test_owner_begins_anew_after_pauses_that_double():
    async with api_with() as api, operator(api), job_bound_in_part(api) as made:
        refuse_real_bindings(api)
        await asyncio.sleep(20 * 60)

        # One minute each, and pauses of 1 s, 15 s, 30 s, 60 s …: the eighth time is after 15 minutes.
        assert len(made) // 3 == 8


async def test_gang_says_how_often_it_has_begun_anew_and_when_it_is_tried_again():
    async with api_with() as api, operator(api), job_bound_in_part(api):
        refuse_real_bindings(api)
        await until(lambda: "started over 3 times in a row: the API server refused to bind pod" in said(api, "Placed"))

        assert said(api, "Planned").startswith("The gang is planned again at 2027-")


async def test_gang_that_can_be_bound_by_now_is_placed_after_the_pause():
    async with api_with() as api, operator(api), job_bound_in_part(api) as made:
        refuse_real_bindings(api)
        await until(lambda: len(made) == 9)
        api.fault = lambda _: None
        await until(lambda: placed(api))

        assert mark_of(api, HEAT) is None
        assert "started over" not in said(api, "Placed")


async def test_next_process_tries_at_once():
    async with api_with() as api, job_bound_in_part(api) as made:
        async with operator(api):
            refuse_real_bindings(api)
            await until(lambda: len(made) == 12)
        api.fault = lambda _: None
        async with operator(api):
            await until(lambda: placed(api), seconds=60)

        assert mark_of(api, HEAT) is None


async def test_gang_that_is_deleted_while_it_rests_is_made_anew_and_tried_at_once():
    async with api_with() as api, operator(api), job_bound_in_part(api) as made:
        refuse_real_bindings(api)
        await until(lambda: "started over 4 times in a row" in said(api, "Placed"))
        before = len(made)
        api.fault = lambda _: None
        api.store.remove(Place("gangs", DEFAULT, "job.heat"))
        await until(lambda: placed(api), seconds=60)

        assert len(made) == before
