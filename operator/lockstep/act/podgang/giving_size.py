"""Gives a suspended owner its size and resumes it, if it is unchanged since the plan.

Kueue resumes owners in its queues.
"""

from typing import NamedTuple

from lockstep.api.client.client import KubeClient
from lockstep.api.podgang.sizing.sized_kind import SizedKind
from lockstep.facts.gang.sized_owner import SizedOwner
from lockstep.report.text.sentences import n_pods


class NotGiven(NamedTuple):
    """Why an owner did not get its size, as a clause.

    If the owner ``has_changed``, a watch shows the change, and the owner is planned again.
    """

    why: str
    has_changed: bool = False


async def give_size(client: KubeClient, kind: SizedKind, owner: SizedOwner, size: int) -> NotGiven | None:
    """Give an owner ``size`` pods. Returns why that failed, or None.

    Raises ``ApiUnavailableError``.
    """
    named = f"{kind.owner.kind} {owner.name}"
    # The range of the owner may have changed since the plan.
    if size not in owner.sizes:
        return NotGiven(f"{named} does not allow {n_pods(size)} any more", has_changed=True)
    target = kind.owner.target(owner.gang.namespace, owner.name)
    found = await client.get(target)
    if not found.is_success:
        return NotGiven(f"{named} can't be read: {found.message}", has_changed=found.is_absence)
    metadata = found.body["metadata"]
    if (metadata["uid"], metadata["resourceVersion"]) != (owner.uid, owner.resource_version):
        return NotGiven(f"{named} has changed since it was planned", has_changed=True)
    with_size = kind.queued.with_size if owner.is_queued and kind.queued is not None else kind.with_size
    answer = await client.patch(target, with_size(found.body, size))
    if answer.is_success:
        return None
    why = f"{named} can't be changed to {n_pods(size)}: {answer.message}"
    return NotGiven(why, has_changed=answer.is_gone_or_changed)
