"""How many pods of each role of a Gang are placed together. The number may vary for one role.

A planned gang has at most one role whose size varies. Each other role gets the fewest pods that it needs, and its
further pods are placed later. If the pods of a role differ, or none of them is needed, all of them are placed together.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from coschedule import Sizes
from lockstep.belief.podgangs.own_pods import OwnPods
from lockstep.belief.podgangs.pod_shapes import PodShape, capped
from lockstep.belief.podgangs.pods_by_role import NO_ROLE
from lockstep.facts.gang.pod_gang import PodRole
from lockstep.facts.ranks import MOST_RANKS


class _Part(NamedTuple):
    """The pods of one role: their shapes, and the smallest and largest number of pods that may be placed."""

    shapes: Sequence[PodShape]
    least: int
    most: int

    @property
    def varies(self) -> bool:
        return len(self.shapes) == 1 and self.least < self.most

    def of(self, size: int) -> list[PodShape]:
        return capped(self.shapes, size)


class RolesOfPods:
    """What the roles of a Gang demand of its pods. No cost depends on the number of pods.

    If the Gang ``is_made`` for an owner, pods that have succeeded are not created again. Pods that name no role may
    then have any role, since not every controller labels its pods.
    """

    def __init__(self, roles: Sequence[PodRole], pods: OwnPods, *, is_made: bool) -> None:
        self._roles = roles
        self.pods = pods
        self._is_made = is_made
        self._left = [self._left_of(role) for role in roles]
        self._waiting = sum((Counter(one.roles) for one in pods.alike), Counter[str]())

    def keeping(self, least: int) -> str:
        """Why ``least`` of the waiting pods can't be planned together, as a sentence; '' if they can."""
        placeable = self.pods.waiting - sum(self._over().values())
        if self.pods.going:
            return "" if placeable else self._at_most()
        few = f"{placeable} of the {least} needed pods wait for a node." if placeable < least else ""
        return self._lacking() or few

    def _lacking(self) -> str:
        """The first role that has too few waiting pods, as a sentence; '' for none."""
        lacking = [role for role in self._left if self._waiting[role.name] < role.minimum]
        missing = sum(role.minimum - self._waiting[role.name] for role in lacking)
        if not lacking or (self._is_made and missing <= self.pods.waiting - self._waiting.total()):
            return ""
        name, least, _ = lacking[0]
        return f"{self._waiting[name]} of the {least} needed pods of role {name} wait for a node."

    def _at_most(self) -> str:
        """Why no more pods of some role are placed now, as a sentence; '' if no role has too many pods."""
        over = self._over()
        if not over:
            return ""
        role = max(self._roles, key=lambda role: over.get(role.name, 0))
        going, kept = self.pods.going_roles.get(role.name, 0), over[role.name]
        return (
            f"{going} of at most {role.maximum} pods of role {role.name} are on nodes; {kept} wait until others have "
            "ended."
        )

    def within(self, shapes: Sequence[PodShape]) -> list[PodShape]:
        """The pods of each role, without those above the maximum of their role."""
        return [shape for part in self._parts(shapes) for shape in part.of(part.most)]

    def sizes(
        self, shapes: Sequence[PodShape], least: int, most: int, *, is_fixed: bool
    ) -> Iterator[tuple[PodShape, Sizes]]:
        """The pods that are placed together, ``least`` to ``most`` of all shapes, with the sizes of each shape."""
        parts = _within(self._parts(shapes), most)
        varying = None if is_fixed else max((part for part in parts if part.varies), key=_slack, default=None)
        others = [part for part in parts if part is not varying]
        chosen = [shape for part in others for shape in part.of(_fewest(part) if varying else part.most)]
        if varying and _members(chosen) + varying.most < least:
            chosen = [shape for part in others for shape in part.of(part.most)]
        for shape in chosen:
            yield shape, Sizes(minimum=shape.members, maximum=shape.members)
        if varying:
            [shape] = varying.of(varying.most)
            yield shape, Sizes(minimum=max(1, varying.least, least - _members(chosen)), maximum=shape.members)

    def _over(self) -> dict[str, int]:
        """The number of waiting pods above the maximum of their role, by role; roles without such pods are left out."""
        over = {role.name: self._waiting[role.name] - role.maximum for role in self._left}
        return {name: number for name, number in over.items() if number > 0}

    def _left_of(self, role: PodRole) -> PodRole:
        """The role with the numbers of pods that are still to be placed."""
        going = self.pods.going_roles.get(role.name, 0)
        there = going + (self.pods.succeeded_roles.get(role.name, 0) if self._is_made else 0)
        return PodRole(role.name, max(0, role.minimum - there), max(0, role.maximum - going))

    def _parts(self, shapes: Sequence[PodShape]) -> list[_Part]:
        """The pods by role; pods without a role come last."""
        parts = []
        for role in (*self._left, PodRole(NO_ROLE, 0, MOST_RANKS)):
            its = [shape for shape in shapes if shape.role == role.name]
            there = min(role.maximum, _members(its))
            if there:
                parts.append(_Part(its, min(role.minimum, there), there))
        return parts


def _within(parts: Sequence[_Part], most: int) -> list[_Part]:
    """The same parts with at most ``most`` pods in all; the needed pods of each role come first."""
    left, taken = most - sum(part.least for part in parts), []
    for part in parts:
        more = min(max(left, 0), part.most - part.least)
        left -= more
        taken.append(part._replace(most=part.least + more))
    return taken


def _fewest(part: _Part) -> int:
    """How many pods of a role are placed beside the role that varies.

    These are only the needed pods. If the pods of the role differ, or none of them is needed, these are all pods.
    """
    return part.least if part.varies and part.least else part.most


def _slack(part: _Part) -> int:
    return part.most - part.least


def _members(shapes: Sequence[PodShape]) -> int:
    return sum(shape.members for shape in shapes)
