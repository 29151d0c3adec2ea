"""Volumes that a gang's template claims: usable only if they are bound, and then only where they can be reached.

Binding a claim is a scheduler's work that we don't do yet; obeying where a bound volume can be reached is not much.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from coschedule import Constraints, GangKey
from lockstep.facts.gang import GangFact, GangSpec, Refusal
from lockstep.facts.reasons import Reason
from lockstep.facts.role import RoleSpec
from lockstep.facts.volume import ClaimFact, ClaimKey, ClaimUse, CsiVolume, VolumeFact

# Modes in which members on several nodes, or several members, can use one volume.
_SHARED_MODES = frozenset({"ReadWriteMany", "ReadOnlyMany"})


class Claims:
    """What is known of claims and volumes, and what that means for gangs. ``changes`` counts what has become known."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self.claims: dict[ClaimKey, ClaimFact] = {}
        self.volumes: dict[str, VolumeFact] = {}
        self.changes = 0

    def apply_claim(self, fact: ClaimFact) -> None:
        """A claim for a volume is there, or has changed."""
        if self.claims.get(fact.key) != fact:
            self.claims[fact.key] = fact
            self._note_change()

    def remove_claim(self, key: ClaimKey) -> None:
        """A claim is gone."""
        if self.claims.pop(key, None) is not None:
            self._note_change()

    def apply_volume(self, fact: VolumeFact) -> None:
        """A volume is there, or has changed."""
        if self.volumes.get(fact.name) != fact:
            self.volumes[fact.name] = fact
            self._note_change()

    def remove_volume(self, name: str) -> None:
        """A volume is gone."""
        if self.volumes.pop(name, None) is not None:
            self._note_change()

    def refusal(self, gang: GangFact) -> Refusal | None:
        """Why the gang can't use one of its claims, if so."""
        assert gang.spec is not None, "a refused gang is not asked"
        for role in gang.spec.roles:
            for use in role.claims:
                problem = self._problem(gang.key.namespace, gang.spec, use)
                if problem is not None:
                    message = f"{role.path}.spec.{use.field}: claim {use.claim} {problem}."
                    return Refusal(Reason.UNSUPPORTED_FIELD, message)
        return None

    def constraints(self, gang: GangKey, role: RoleSpec) -> Constraints:
        """The template's own constraints, and those of the volumes that it claims."""
        affinities = {affinity for volume in self._volumes_of(gang, role) for affinity in volume.affinities}
        return replace(role.constraints, volumes=tuple(sorted(affinities))) if affinities else role.constraints

    def csi_volumes(self, claims: Iterable[tuple[str, str]]) -> Iterator[CsiVolume]:
        """The volumes of CSI drivers to which these claims, namespace and name, are bound."""
        for namespace, name in claims:
            claim = self.claims.get(ClaimKey(namespace, name))
            volume = None if claim is None else self.volumes.get(claim.volume)
            if volume is not None and volume.csi is not None:
                yield volume.csi

    def _note_change(self) -> None:
        self.changes += 1
        self._changed()

    def _problem(self, namespace: str, spec: GangSpec, use: ClaimUse) -> str | None:
        claim = self.claims.get(ClaimKey(namespace, use.claim))
        if claim is None:
            return "does not exist"
        if claim.is_deleting:
            return "is being deleted"
        if not claim.is_bound or claim.volume not in self.volumes:
            return "is not bound to a volume yet, and Lockstep does not bind claims"
        if _most_users(spec, use.claim) > 1 and not claim.modes & _SHARED_MODES:
            return f"is {', '.join(sorted(claim.modes))}, which the members of a gang can't share"
        return None

    def _volumes_of(self, gang: GangKey, role: RoleSpec) -> Iterator[VolumeFact]:
        for use in role.claims:
            claim = self.claims.get(ClaimKey(gang.namespace, use.claim))
            if claim is not None and claim.volume in self.volumes:
                yield self.volumes[claim.volume]


def _most_users(spec: GangSpec, claim: str) -> int:
    """How many members may use the claim."""
    return sum(role.sizes.maximum for role in spec.roles if any(use.claim == claim for use in role.claims))
