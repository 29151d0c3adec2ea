"""The sizes of the roles of a gang: at most one role has a size that varies."""

import math
from collections.abc import Mapping, Sequence

from coschedule import ProfileWork, SerialWork, Sizes
from lockstep.facts.gang.role import RoleSpec


def varying_role(roles: Sequence[RoleSpec]) -> RoleSpec | None:
    """The role whose size may vary; None if there is no such role, or more than one.

    The only role of a gang is returned even if it allows only one size.
    """
    varying = [role for role in roles if role.sizes.vary] if len(roles) > 1 else roles
    return varying[0] if len(varying) == 1 else None


def claims_stay(roles: Sequence[RoleSpec]) -> bool:
    """Whether members with their own claims have the same ranks, and so the same claims, at each size of the gang.

    Ranks are numbered through the roles in their order. So only the roles before the varying role may have such claims.
    """
    varying = varying_role(roles)
    return varying is not None and not any(role.claim_templates for role in roles[roles.index(varying) :])


def sizes_of(roles: Sequence[RoleSpec], size: int) -> Mapping[str, Sizes] | None:
    """The sizes of the roles of a gang with ``size`` members; None if the gang can't have that size."""
    others = sum(role.sizes.least for role in roles if not role.sizes.vary)
    sizes = {role.name: size - others if role.sizes.vary else role.sizes.least for role in roles}
    if sum(sizes.values()) != size or not all(role.can_have(sizes[role.name]) for role in roles):
        return None
    return {name: Sizes(minimum=count, maximum=count) for name, count in sizes.items()}


def fewest_with_time(
    sizes: Sequence[Sizes], roles: Sequence[RoleSpec], work: ProfileWork | SerialWork | None
) -> tuple[int, ...]:
    """The fewest members of each role, of its ``sizes``, with which the work has a run time.

    A profile has no run time below its smallest size. If no size has a run time, these are the smallest sizes.
    """
    fewest = [one.least for one in sizes]
    varying = next((number for number, one in enumerate(sizes) if one.vary), None)
    if work is None or varying is None or not roles[varying].load.is_work:
        return tuple(fewest)
    others = sum(count for count, role in zip(fewest, roles, strict=True) if role.load.is_work) - fewest[varying]
    able = sizes[varying].between(fewest[varying], sizes[varying].maximum)
    timed = (size for size in able.tolist() if work.float_time(others + size) < math.inf)
    fewest[varying] = next(timed, fewest[varying])
    return tuple(fewest)
