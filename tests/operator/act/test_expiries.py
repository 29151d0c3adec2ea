"""Deleting GangJobs that have expired."""

import pytest

from builders.served import gang
from fake_cluster.jumping import now, until
from fake_cluster.rig import api_with, gang_place, watching_operator
from lockstep.act.expiries import Expiries

pytestmark = pytest.mark.asyncio


async def test_gang_that_takes_the_name_of_one_that_expired_does_not_wait_for_it():
    async with api_with() as api, watching_operator(api) as parts:
        expiries, began = Expiries(parts.services), now()
        for uid in ("first", "second"):
            api.store.create("gangjobs", gang("g", uid=uid))
            known = await until(lambda uid=uid: next((it for it in parts.state.gangs.values() if it.uid == uid), None))
            expiries.delete(known)
            await until(lambda: api.store.get(gang_place("g")) is None)
        await expiries.stop()

        assert now() - began < 1
