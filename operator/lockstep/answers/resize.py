"""Requests another size for an elastic gang, by a request that its user could also send with kubectl."""

import math

from coschedule import GangKey, Sizes
from lockstep.answers.reading.cluster import answered, parse_shown, read_gang
from lockstep.answers.reading.errors import AnswerError
from lockstep.api.client import paths
from lockstep.api.client.client import KubeClient
from lockstep.api.preemption import gang_name
from lockstep.facts.gang.gang import AcceptedGang, GangFact, GangSpec
from lockstep.facts.gang.role_sizes import sizes_of, varying_role
from lockstep.report.text.sentences import n_members


async def resize_gang(client: KubeClient, key: GangKey, size: int | None) -> str:
    """Request ``size`` members for the gang; returns a sentence that says what happens.

    With None, Lockstep chooses the size. Raises ``AnswerError`` if there is no such gang, or if it can't have that
    size.
    """
    gang = await _elastic(client, key)
    if size is not None:
        _check_size(gang, size)
    with answered(client):
        answer = await client.patch(paths.gang(key), {"spec": {"elastic": {"size": size}}})
    if not answer.is_success:
        raise AnswerError(f"GangJob {gang_name(key)} can't be changed: {answer.message}.")
    return _done(gang, size)


async def _elastic(client: KubeClient, key: GangKey) -> AcceptedGang:
    manifest = await read_gang(client, key)
    if manifest is None:
        raise AnswerError(f"There is no GangJob {gang_name(key)}.")
    gang = parse_shown(manifest)
    if gang.status.end is not None:
        raise AnswerError(f"GangJob {gang_name(key)} has ended.")
    if not isinstance(gang, AcceptedGang):
        raise AnswerError(f"GangJob {gang_name(key)} is refused: {gang.refusal.message}")
    if gang.spec.elastic is None:
        raise AnswerError(f"GangJob {gang_name(key)} has no spec.elastic, so it keeps its size while it runs.")
    return gang


def _check_size(gang: AcceptedGang, size: int) -> None:
    sizes, work = sizes_of(gang.spec.roles, size), gang.spec.work
    if sizes is None:
        raise AnswerError(
            f"GangJob {gang_name(gang.key)} can't have {n_members(size)}: it may have {_range(gang.spec)}."
        )
    working = sum(sizes[role.name].least for role in gang.spec.roles if role.load.is_work)
    if work is not None and work.float_time(working) == math.inf:
        raise AnswerError(
            f"GangJob {gang_name(gang.key)} can't have {n_members(size)}: its work.profile has no run time for it."
        )


def _range(spec: GangSpec) -> str:
    """The sizes that the gang can have, as a clause. If the gang has roles, the size of only one of them varies."""
    role = varying_role(spec.roles)
    if role is None:
        return n_members(spec.minimum)
    sizes, others = role.sizes, spec.minimum - role.sizes.least
    if sizes.allowed:
        return f"one of {', '.join(str(size + others) for size in sizes.allowed if role.can_have(size))}"
    most = sizes.maximum if role.pieces is None else min(sizes.maximum, role.pieces)
    return f"{sizes.minimum + others} to {most + others}{_steps(sizes, role.name)}"


def _steps(sizes: Sizes, role: str) -> str:
    if sizes.multiple_of == 1:
        return ""
    return f", {f'those of role {role} ' if role else ''}in multiples of {sizes.multiple_of}"


def _done(gang: GangFact, size: int | None) -> str:
    name, status = gang_name(gang.key), gang.status
    if size is None:
        return f"Lockstep chooses the size of {name} from now on."
    if gang.policies.is_suspended:
        return f"{name} is suspended. When it is resumed, {_later(gang, size)}."
    # If another size is requested, the attempt drops a change of size that it has announced or begun.
    dropped = status.noticed_size or status.joining_size
    if status.next_size is not None and (dropped is None or dropped.size == size):
        return f"{name} is changing to {n_members(status.next_size.size)} already. {_after_change(gang, size)}"
    if status.reserved_at is None or status.is_being_undone:
        return f"{name} waits, and {_later(gang, size)}."
    if status.size == size:
        return f"{name} has {n_members(size)}, and keeps them."
    when = "when there is room for them" if size > (status.size or 0) else "soon"
    return f"{name} has {n_members(status.size or 0)}, and changes to {size} {when}."


def _later(gang: GangFact, size: int) -> str:
    if not gang.status.attempt:
        return f"it starts with {n_members(size)}"
    return f"it starts as soon as it can, and changes to {n_members(size)} when there is room for them"


def _after_change(gang: GangFact, size: int) -> str:
    following = gang.status.next_size
    is_same = following is not None and following.size == size
    return "It keeps them." if is_same else f"After that it changes to {size}."
