"""Claims by gang and by volume, so that a search by either reads no other claims."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from coschedule import GangKey
from lockstep.api.members.claims import kept_stem, stem_and_rank
from lockstep.facts.cluster.volume import ClaimFact, ClaimKey

_NO_CLAIMS: Mapping[int, ClaimFact] = {}


class _Stem(NamedTuple):
    """The common part of the names of all claims of one gang and one template: the name without the rank."""

    namespace: str
    stem: str


@dataclass(slots=True)
class _ClaimsOfNamespace:
    """The number of claims in a namespace, and the number of its last change among all changes of the index."""

    claims: int = 0
    changed_at: int = 0


@dataclass(slots=True)
class ClaimIndex:
    """The index. A claim that was entered has to leave later."""

    _changes: int = 0
    _namespaces: dict[str, _ClaimsOfNamespace] = field(default_factory=dict)
    _by_stem: dict[_Stem, dict[int, ClaimFact]] = field(default_factory=dict)
    _by_volume: dict[str, set[ClaimKey]] = field(default_factory=dict)

    def enter(self, claim: ClaimFact) -> None:
        """Add a claim."""
        self._record_change(claim.key.namespace, more=1)
        if claim.volume:
            self._by_volume.setdefault(claim.volume, set()).add(claim.key)
        named = stem_and_rank(claim.key.name)
        if named is not None:
            stem, rank = named
            self._by_stem.setdefault(_Stem(claim.key.namespace, stem), {})[rank] = claim

    def leave(self, claim: ClaimFact) -> None:
        """Remove a claim that is gone, or whose new fact is entered next."""
        self._record_change(claim.key.namespace, more=-1)
        if claim.volume:
            claims = self._by_volume[claim.volume]
            claims.discard(claim.key)
            if not claims:
                del self._by_volume[claim.volume]
        named = stem_and_rank(claim.key.name)
        if named is not None:
            self._leave_stem(_Stem(claim.key.namespace, named[0]), named[1])

    def changed_at(self, namespace: str) -> int:
        """A number that grows with each change of a namespace's claims; 0 if the namespace has no claims."""
        known = self._namespaces.get(namespace)
        return 0 if known is None else known.changed_at

    def naming(self, volume: str) -> tuple[ClaimKey, ...]:
        """The claims that name that volume."""
        return tuple(self._by_volume.get(volume, ()))

    def kept(self, gang: GangKey, template: str) -> Mapping[int, ClaimFact]:
        """The claims of a gang by that template, by rank. Names of claims consist of template, gang and rank."""
        return self._by_stem.get(_Stem(gang.namespace, kept_stem(template, gang.name)), _NO_CLAIMS)

    def _leave_stem(self, stem: _Stem, rank: int) -> None:
        claims = self._by_stem[stem]
        del claims[rank]
        if not claims:
            del self._by_stem[stem]

    def _record_change(self, name: str, *, more: int) -> None:
        self._changes += 1
        namespace = self._namespaces.setdefault(name, _ClaimsOfNamespace())
        namespace.claims += more
        namespace.changed_at = self._changes
        if not namespace.claims:
            del self._namespaces[name]
