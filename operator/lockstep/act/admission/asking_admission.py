"""Finds out how admission changes a gang's members now: a dry run of one pod of each role creates nothing."""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any, NamedTuple

from coschedule import Members
from lockstep.act.admission.admission import admitted_needs, unrecognized
from lockstep.act.requests.api_refusals import is_no_dry_run, refused_template
from lockstep.act.requests.network import is_in_the_way
from lockstep.api.client import paths
from lockstep.api.client.answer import Answer
from lockstep.api.client.client import KubeClient
from lockstep.api.client.turns import Urgency
from lockstep.api.members.member_pod import MemberPods
from lockstep.facts.gang.gang import GangFact, GangSpec, Refusal, Verdict
from lockstep.facts.gang.role import Needs, RoleSpec


class Admitted(NamedTuple):
    """How admission changes the members, and whether all members and the network could be created now.

    ``verdict`` leaves out roles whose members are refused for a reason that may pass.
    """

    verdict: Verdict
    is_whole: bool


async def ask_admission(
    client: KubeClient,
    gang: GangFact,
    spec: GangSpec,
    *,
    urgency: Urgency,
    pace: Callable[[], Awaitable[None]],
) -> Admitted:
    """Send a dry run of one member of each role of ``spec``, the gang's spec as written.

    ``pace`` is awaited before each dry run. Raises ``ApiUnavailableError``.
    """
    verdict: dict[str, Needs] = {}
    is_whole = True
    for role, pod in first_members(gang, spec):
        await pace()
        answer = await client.dry_run(paths.pods_to_be(gang.key.namespace), pod, urgency=urgency)
        needs = verdict_of(answer, role, pod)
        if isinstance(needs, Refusal):
            return Admitted(needs, is_whole=False)
        is_whole &= answer.is_success or is_no_dry_run(answer)
        if needs is not None:
            verdict[role.name] = needs
    return Admitted(verdict, is_whole=is_whole and not await is_in_the_way(client, gang))


async def at_once() -> None:
    """Return at once: a pace without pauses."""


def first_members(gang: GangFact, spec: GangSpec) -> Iterator[tuple[RoleSpec, dict[str, Any]]]:
    """The first pod of each role. Its name is that of the last attempt, so a repeated refusal has the same text."""
    members = [Members("", role.sizes.minimum, role=role.name) for role in spec.roles]
    pods = MemberPods(gang.with_spec(spec), max(gang.status.attempt, 1), members)
    rank = 0
    for role in spec.roles:
        yield role, pods.pod(rank)
        rank += role.sizes.minimum


def verdict_of(answer: Answer, role: RoleSpec, sent: Mapping[str, Any]) -> Needs | Refusal | None:
    """The needs that admission gives a member, or a lasting refusal; None if the reason of the refusal may pass."""
    if answer.is_success:
        refusal = unrecognized(sent["metadata"], answer.body["metadata"])
        return refusal or admitted_needs(role.needs, answer.body["spec"], role.path)
    return refused_template(answer)
