"""The classes of nodes that a gang may use, and how terms divide them into domains."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.queue.packing.equal_rows import equal_rows, in_blocks
from coschedule.queue.packing.fitting import Fitting
from coschedule.queue.packing.layout import Layout, Options, most_at_once, options_of_all
from coschedule.queue.packing.places import AlikeNodes, Domain, Part
from coschedule.queue.packing.rules import RolesOfTerm, rule_inside, rule_outside
from coschedule.queue.search.effort import Effort
from coschedule.queue.slots.timeline import Timeline

_STEPS_A_CELL = 8
"""The cost of a cell of the table of a node, in steps of ``Effort``."""

_STEPS_A_TABLE = 2_000
"""The cost of a table of any size, without its cells, in steps of ``Effort``."""


class Level(NamedTuple):
    """The terms about one label, and the domain of each class of nodes: int[c], -1 without the label.

    With ``single_nodes``, each node with the label is a domain of its own, and ``domain`` is 0 for all these nodes.
    """

    terms: Sequence[RolesOfTerm]
    domain: IntArray
    single_nodes: bool


class Offer(NamedTuple):
    """Nodes of class ``c`` have ``free[c, r]``, at least 0, for members of roles with ``admits[c, role]``.

    In the tables, each member of a role is worth ``worth[c, role]`` on such a node.
    """

    free: IntArray
    admits: BoolArray
    worth: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NodeClasses:
    """Classes of nodes; the nodes of a class have the same ``domain`` in each of the ``levels``.

    Class c has the nodes of ranks ``rank[i]``, rising, for i from ``first[c]`` to before ``first[c + 1]``. The node of
    rank k is of class ``class_of[k]``. Levels with domains of several nodes go from the coarsest to the finest: each
    domain is within one domain of the level before.
    """

    rank: IntArray
    first: IntArray
    class_of: IntArray
    levels: Sequence[Level]

    def parts(self, fitting: Fitting, offer: Offer, effort: Effort) -> Iterable[Part]:
        """Return the parts of the cluster, the lowest ranks first; computed lazily if no domain has several nodes."""
        shared = [level for level in self.levels if not level.single_nodes]
        useful = self._useful(fitting, offer, effort)
        return _nested(fitting.layout, useful, shared) if shared else (part for part, _ in useful)

    def _useful(self, fitting: Fitting, offer: Offer, effort: Effort) -> Iterator[tuple[AlikeNodes, int]]:
        """Generate groups of alike nodes that can hold a member, each group with one of its classes."""
        for groups in in_blocks(self._groups(fitting, offer, effort), most=most_at_once(fitting.layout)):
            ones = [int(classes[0]) for classes in groups]
            found = self._options(fitting, offer, ones)
            for classes, one, (key, options) in zip(groups, ones, found, strict=True):
                if effort.is_over:
                    return
                if key not in fitting.known:
                    effort.spend(_STEPS_A_TABLE + _STEPS_A_CELL * len(fitting.layout.counts))
                    fitting.known[key] = options
                if len(options.value) > 1:
                    yield AlikeNodes(ranks=self._ranks(classes), options=options), one

    def _groups(self, fitting: Fitting, offer: Offer, effort: Effort) -> Iterator[IntArray]:
        """Group classes that are equal for the gang; leave out classes that admit no role."""
        admitting = np.flatnonzero(offer.admits.any(axis=1))
        # The lowest ranks come first, within each group and among groups.
        admitting = admitting[np.argsort(self.rank[self.first[admitting]])]
        columns = (
            np.minimum(offer.free, fitting.all),
            offer.admits,
            offer.worth.view(np.int64),
            *(level.domain[:, np.newaxis] for level in self.levels),
        )
        rows = np.concatenate([column[admitting] for column in columns], axis=1, dtype=np.int64)
        effort.spend(rows.size)
        return (admitting[alike] for alike in equal_rows(rows))

    def _ranks(self, classes: IntArray) -> IntArray:
        if len(classes) == 1:
            return self.rank[self.first[classes[0]] : self.first[classes[0] + 1]]
        chosen = np.zeros(len(self.first) - 1, dtype=np.bool_)
        chosen[classes] = True
        return np.flatnonzero(chosen[self.class_of])

    def _options(self, fitting: Fitting, offer: Offer, classes: Sequence[int]) -> Sequence[tuple[bytes, Options]]:
        """Return the options of a node of each class, and the key by which ``Fitting`` knows them."""
        inside = np.array([level.domain[classes] >= 0 for level in self.levels], dtype=np.bool_)
        inside = inside.reshape(len(self.levels), len(classes)).T
        columns = np.minimum(offer.free[classes], fitting.all), offer.admits[classes], offer.worth[classes], inside
        keys = [b"".join(parts) for parts in zip(*(map(_bytes_of, column) for column in columns), strict=True)]
        unknown = [place for place, key in enumerate(keys) if key not in fitting.known]
        made = self._options_of(fitting, offer, np.array(classes)[unknown], inside[unknown])
        new = dict(zip((keys[place] for place in unknown), made, strict=True))
        return [(key, fitting.known[key] if key in fitting.known else new[key]) for key in keys]

    def _options_of(self, fitting: Fitting, offer: Offer, classes: IntArray, inside: BoolArray) -> Sequence[Options]:
        if not len(classes):
            return ()
        tables = fitting.tables(offer.free[classes], offer.admits[classes])
        for role in np.flatnonzero(offer.worth[classes].any(axis=0)).tolist():
            tables += fitting.layout.counts[:, role] * offer.worth[classes, role, np.newaxis]
        for level, is_inside in zip(self.levels, inside.T, strict=True):
            for term in level.terms:
                tables[~is_inside] = rule_outside(term, fitting.layout)(tables[~is_inside])
                if level.single_nodes:
                    tables[is_inside] = rule_inside(term, fitting.layout)(tables[is_inside])
        return options_of_all(fitting.layout, tables)


def _bytes_of(row: NDArray[Any]) -> bytes:
    return row.tobytes()


def node_classes_of(timeline: Timeline, levels: Sequence[Level]) -> NodeClasses:
    """Return the node classes of a timeline; ``levels`` have the domain of each rank.

    The nodes of a class must have the same ``domain`` in each level.
    """
    by_class = np.argsort(timeline.class_of, kind="stable")
    first = np.append(0, np.cumsum(timeline.width))
    one_of = by_class[first[:-1]]
    return NodeClasses(
        rank=by_class,
        first=first,
        class_of=timeline.class_of,
        levels=[level._replace(domain=level.domain[one_of]) for level in levels],
    )


def _nested(layout: Layout, nodes: Iterable[tuple[AlikeNodes, int]], levels: Sequence[Level]) -> Sequence[Part]:
    """Group nodes by the domains of the coarsest level, then within each domain by the next level, and so on."""
    if not levels:
        return [part for part, _ in nodes]
    coarsest, finer = levels[0], levels[1:]
    by_domain: dict[int, list[tuple[AlikeNodes, int]]] = {}
    for part, one in nodes:
        by_domain.setdefault(int(coarsest.domain[one]), []).append((part, one))
    rules = [rule_inside(term, layout) for term in coarsest.terms]
    parts: list[Part] = []
    for domain, inside in by_domain.items():
        nested = _nested(layout, inside, finer)
        parts += nested if domain < 0 else [Domain(parts=nested, rules=rules)]
    return parts
