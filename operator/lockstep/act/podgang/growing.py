"""Makes the owner of a Gang create the pods by which the Gang grows, after the status has reserved their room."""

from lockstep.act.podgang.resizing_owner import OwnerChange, resize_owner
from lockstep.act.requests.services import Services
from lockstep.api.podgang.owners import owner_subject
from lockstep.facts.elastic import NextSize
from lockstep.facts.gang.pod_gang import PodGang
from lockstep.report.status.events import gang_changes_size

FRESH_SECONDS = 60.0
"""In seconds. After this time, a decision about an owner's size is too old to be carried out.

The operator may restart between the decision and the change.
"""


async def grow_owner(services: Services, gang: PodGang, following: NextSize, *, by: int) -> str:
    """Give the owner ``by`` more pods, unless it already has them. Returns why that failed, or ''.

    Raises ``ApiUnavailableError``.
    """
    change = OwnerChange(was=following.size - by, size=following.size, is_old=is_old(services, following))
    answer = await resize_owner(services.client, gang, change)
    if answer.is_made:
        report_change(services, gang, following)
    return answer.why_not


def is_old(services: Services, following: NextSize) -> bool:
    """Whether a decision is too old to be carried out, or in the future because the clock was set back."""
    # Statuses keep whole seconds.
    return not -1.0 <= services.now() - following.decided_at < FRESH_SECONDS


def report_change(services: Services, gang: PodGang, following: NextSize) -> None:
    """Post an event about the Gang and about the owner of its pods: the number of pods changes."""
    event, known, subject = gang_changes_size(following.why, others_run=True), services.state.gangs.get(gang.key), None
    if known is not None:
        services.writer.post(known, event)
        subject = owner_subject(gang)
    if subject is not None:
        services.writer.post_about(subject, event, of=gang.key)
