"""Records the gang that an owner in a queue of Kueue would be, and gives the owner a size before it gets quota.

Such an owner has no Gang and no pods. It is planned as the gang that it would be, behind all other gangs.
"""

from dataclasses import replace

from coschedule import GangKey
from lockstep.act.podgang.giving_size import give_size
from lockstep.act.podgang.needs_to_be import pods_to_be
from lockstep.act.requests.services import Services
from lockstep.api.cluster.event import Event, EventSubject
from lockstep.api.manifest import Manifest
from lockstep.api.podgang.made_gang import made_gang, made_parts
from lockstep.api.podgang.pod_gang import parse_pod_gang
from lockstep.api.podgang.sizing.sized_kind import SizedKind
from lockstep.api.unreadable.unreadable_objects import describe
from lockstep.belief.podgangs.own_pods import SizedPods
from lockstep.facts.gang.gang import AcceptedGang
from lockstep.facts.gang.keys import object_name
from lockstep.facts.gang.sized_owner import SizedOwner
from lockstep.report.status.events import size_chosen, size_not_chosen


async def learn_queued_gang(services: Services, kind: SizedKind, owner: SizedOwner) -> str:
    """Record the gang that an owner would be. Returns why this gang can't be planned, as a clause, or ''.

    Raises ``ApiUnavailableError``.
    """
    found = await services.client.get(kind.owner.target(owner.gang.namespace, owner.name))
    if not found.is_success:
        return f"{kind.owner.kind} {owner.name} can't be read: {found.message}"
    if kind.parse(found.body) != owner:
        return f"{kind.owner.kind} {owner.name} has changed since it was planned"
    try:
        learned = await _gang(services, kind, found.body)
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        learned = f"it can't be understood: {describe(error)}"
    if isinstance(learned, AcceptedGang):
        services.state.pod_gang_facts.learn_queued_gang(owner, learned)
        return ""
    why = f"{kind.owner.kind} {owner.name} gets no size: {learned}"
    _post(services, kind, owner, size_not_chosen(learned))
    return why


async def give_queued_size(services: Services, kind: SizedKind, owner: SizedOwner, *, size: int) -> str:
    """Give an owner ``size`` pods. Returns why that failed, as a clause, or ''.

    Raises ``ApiUnavailableError``.
    """
    not_given = await give_size(services.client, kind, owner, size)
    if not_given is None:
        _post(services, kind, owner, size_chosen(size, owner.sizes))
        return ""
    if not not_given.has_changed:
        _post(services, kind, owner, size_not_chosen(not_given.why))
    return not_given.why


async def _gang(services: Services, kind: SizedKind, owner: Manifest) -> AcceptedGang | str:
    problem = _hidden_by(services, kind.parse(owner).gang) or kind.problem(owner)
    pods = problem or await pods_to_be(services.client, services.state, kind, owner)
    return pods if isinstance(pods, str) else _to_be(services, kind, owner, pods)


def _hidden_by(services: Services, gang: GangKey) -> str:
    """A clause about a user's Gang that already has the name of the owner's Gang; '' if there is no such Gang."""
    there = services.state.pod_gangs.objects.get(gang)
    if there is None or there.made_for is not None:
        return ""
    return f"Gang {object_name(gang)} exists already, and the Gang of this owner would have the same name"


def _to_be(services: Services, kind: SizedKind, owner: Manifest, pods: SizedPods) -> AcceptedGang | str:
    parts = made_parts(kind.owner, owner, awaits_size=True)
    manifest = made_gang(object_name(kind.parse(owner).gang), owner, parts)
    given = {part: owner["metadata"][part] for part in ("uid", "resourceVersion", "creationTimestamp")}
    manifest = {**manifest, "metadata": {**manifest["metadata"], **given, "generation": 1}}
    fact = services.state.pod_gangs.to_be(parse_pod_gang(manifest), pods)
    if not isinstance(fact, AcceptedGang):
        return fact.refusal.message.rstrip(".")
    return fact.spec.awaits_pods.rstrip(".") or fact


def _post(services: Services, kind: SizedKind, owner: SizedOwner, event: Event) -> None:
    subject = EventSubject(kind.owner.api_version, kind.owner.kind, owner.gang.namespace, owner.name, owner.uid)
    services.writer.post_about(subject, replace(event, posted_once=True), of=owner.gang)
