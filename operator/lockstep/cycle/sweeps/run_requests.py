"""The requests for the runs of a sweep: one creation and one deletion for each run."""

from enum import Enum, auto
from http import HTTPStatus
from typing import NamedTuple

from coschedule import GangKey
from lockstep.api.client import paths
from lockstep.api.client.answer import Answer
from lockstep.api.client.client import KubeClient
from lockstep.api.client.turns import Urgency
from lockstep.api.manifest import Manifest
from lockstep.api.sweeps.run_marks import sweep_owner
from lockstep.cycle.sweeps.run_phases import RunGang
from lockstep.facts.sweeps.sweep import Sweep


class RunMade(Enum):
    """The result of a creation.

    ``LEFTOVER``: the GangJob of an earlier sweep with the same name is not gone yet. ``TAKEN``: a GangJob with the name
    does not belong to a sweep.
    """

    DONE = auto()
    LEFTOVER = auto()
    TAKEN = auto()
    REFUSED = auto()


class Making(NamedTuple):
    """The result of a creation, with the reason as a clause."""

    made: RunMade
    why: str = ""


async def make_run(client: KubeClient, sweep: Sweep, wanted: Manifest) -> Making:
    """Create the GangJob of a run, unless it already exists. Raises ``ApiUnavailableError``."""
    name = wanted["metadata"]["name"]
    answer = await client.create(paths.gangs_of(sweep.key.namespace), wanted, Urgency.PREPARE)
    if answer.is_success:
        return Making(RunMade.DONE)
    if answer.code != HTTPStatus.CONFLICT or answer.body.get("reason") != "AlreadyExists":
        return Making(RunMade.REFUSED, f"the API server refuses GangJob {name}: {answer.message.rstrip('.')}")
    return _of_the_name(sweep, name, await client.get(paths.gang(GangKey(sweep.key.namespace, name))))


def _of_the_name(sweep: Sweep, name: str, found: Answer) -> Making:
    if not found.is_success:
        return Making(RunMade.LEFTOVER, f"GangJob {name} was there a moment ago: {found.message}")
    owner = sweep_owner(found.body["metadata"])
    if owner is None:
        return Making(RunMade.TAKEN, f"there is a GangJob {name} that does not belong to this sweep")
    if owner["uid"] == sweep.uid:
        return Making(RunMade.DONE)
    return Making(RunMade.LEFTOVER, f"GangJob {name} of an earlier sweep is not gone yet")


async def delete_run(client: KubeClient, key: GangKey, gang: RunGang, *, only_as_seen: bool) -> str:
    """Delete the GangJob of a run. Returns why that was refused, or ''. Raises ``ApiUnavailableError``.

    A GangJob that is gone or was created anew is left alone. With ``only_as_seen``, a GangJob of another version is
    left alone, too.
    """
    version = gang.version if only_as_seen else ""
    answer = await client.delete(paths.gang(key), uid=gang.uid, version=version, urgency=Urgency.PREPARE)
    is_done = answer.is_success or answer.is_gone_or_changed
    return "" if is_done else answer.message
