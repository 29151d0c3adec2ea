"""Gives a suspended owner its size, if it is still as it was planned, and resumes it.

Kueue resumes those in its queues.
"""

from lockstep.api.client.client import KubeClient
from lockstep.api.podgang.sizing.sized_kind import SizedKind
from lockstep.facts.gang.sized_owner import SizedOwner
from lockstep.report.text.sentences import n_pods


async def give_size(client: KubeClient, kind: SizedKind, owner: SizedOwner, size: int) -> str:
    """Give an owner so many pods; returns why that can't be done, as a clause, or ''.

    Raises ``ApiUnavailableError``.
    """
    named = f"{kind.owner.kind} {owner.name}"
    # Its range may have changed since the plan.
    if size not in owner.sizes:
        return f"{named} does not allow {n_pods(size)} any more"
    target = kind.owner.target(owner.gang.namespace, owner.name)
    found = await client.get(target)
    if not found.is_success:
        return f"{named} can't be read: {found.message}"
    metadata = found.body["metadata"]
    if (metadata["uid"], metadata["resourceVersion"]) != (owner.uid, owner.resource_version):
        return f"{named} has changed since it was planned"
    with_size = kind.queued.with_size if owner.is_queued and kind.queued is not None else kind.with_size
    answer = await client.patch(target, with_size(found.body, size))
    return "" if answer.is_success else f"{named} can't be changed to {n_pods(size)}: {answer.message}"
