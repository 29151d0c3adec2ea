"""Creates objects that belong to a gang, or brings them up to date.

Objects of these names that are not the gang's are left alone.
"""

import asyncio
from typing import NamedTuple

from lockstep.act.requests.api_refusals import is_conflict
from lockstep.api.client.answer import Answer, Target, served
from lockstep.api.client.client import KubeClient
from lockstep.api.common_objects import owner_uid
from lockstep.api.manifest import Manifest
from lockstep.facts.gang.gang import GangFact

# In seconds. Kubernetes' garbage collector needs time to remove objects of an earlier gang with the same name.
_PAUSES_SECONDS = (0.25, 0.5, 1.0, 2.0)


class OwnedObject(NamedTuple):
    """An object of a gang: its name for sentences, its URLs, and its wanted manifest."""

    called: str
    folder: Target
    place: Target
    wanted: Manifest


class OwnedObjects:
    """Creates objects of one gang. Each step can be repeated.

    If ``is_new``, the objects probably do not exist yet, so the first request creates them. Otherwise it reads them.
    """

    def __init__(self, client: KubeClient, gang: GangFact, *, is_new: bool) -> None:
        self._client = client
        self._gang = gang
        self._is_new = is_new

    async def ensure(self, thing: OwnedObject) -> str:
        """Create the object, or make sure that it exists, is the gang's and has the wanted content.

        Returns why that failed, or ''. Raises ``ApiUnavailableError``.
        """
        problem = ""
        for seconds in (*_PAUSES_SECONDS, 0.0):
            answer = await self._present(thing)
            problem = await self._make_equal(thing, answer)
            if not problem or not self._may_pass(answer):
                return problem
            await asyncio.sleep(seconds)
        return problem

    async def _make_equal(self, thing: OwnedObject, answer: Answer) -> str:
        """Write the wanted content to the existing object, if it is the gang's. Returns why that failed, or ''."""
        if not answer.is_success:
            return f"{thing.called} can't be created: {answer.message}"
        owner = owner_uid(answer.body, self._gang)
        if owner is None:
            return f"{thing.called} exists already, and does not belong to this gang"
        if owner == self._gang.uid:
            return await self._write(thing, answer.body)
        return f"{thing.called} of an earlier gang of this name is still there"

    def _may_pass(self, answer: Answer) -> bool:
        """Whether another try may help: the object is of this gang or an earlier one, or its creation conflicts."""
        return is_conflict(answer) or (answer.is_success and owner_uid(answer.body, self._gang) is not None)

    async def _present(self, thing: OwnedObject) -> Answer:
        """The answer with the existing object, which is created if it is missing.

        The answer is a conflict if the creation conflicts, but no such object exists. Many simultaneous creations may
        conflict over a quota, or the garbage collector has just removed the object of an earlier gang.
        """
        if not self._is_new:
            answer = await self._read(thing)
            if not answer.is_absence:
                return answer
        answer = await self._client.create(thing.folder, thing.wanted)
        if not is_conflict(answer):
            return answer
        there = await self._read(thing)
        return answer if there.is_absence else there

    async def _read(self, thing: OwnedObject) -> Answer:
        return served(await self._client.get(thing.place), f"{thing.called} can't be read")

    async def _write(self, thing: OwnedObject, there: Manifest) -> str:
        """Write the wanted content if the object differs. Returns why that failed, or ''.

        A Service has no content to compare, so it counts as equal.
        """
        if there.get("data") == thing.wanted.get("data"):
            return ""
        version = {"resourceVersion": there["metadata"]["resourceVersion"]}
        body = {**thing.wanted, "metadata": {**thing.wanted["metadata"], **version}}
        answer = await self._client.replace(thing.place, body)
        return "" if answer.is_success else f"{thing.called} can't be written: {answer.message}"
