"""The ground: the classes of nodes that a gang may use, and how terms divide them into domains."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.queue.packing.fitting import Fitting
from coschedule.queue.packing.layout import Layout, Options, options_of
from coschedule.queue.packing.places import AlikeNodes, Domain, Part
from coschedule.queue.packing.rules import RolesOfTerm, Rule, rule_inside, rule_outside
from coschedule.queue.search.effort import Effort
from coschedule.queue.slots.segments import rows_as_bytes
from coschedule.queue.slots.timeline import Timeline

_STEPS_A_CELL = 8
"""The cost of a cell of the table of a node, in steps of ``Effort``."""

_STEPS_A_TABLE = 2_000
"""The cost of a table of any size, without its cells, in steps of ``Effort``."""


class Level(NamedTuple):
    """The terms about one label, and the domain of each class of nodes: int[c], -1 without the label.

    With ``single_nodes``, each node with the label is a domain of its own.
    """

    terms: Sequence[RolesOfTerm]
    domain: IntArray
    single_nodes: bool


class Offer(NamedTuple):
    """What nodes of class ``c`` offer: ``free[c, r]``, at least 0, for roles with ``admits[c, role]``.

    In the tables, each member of a role is worth ``worth[c, role]``.
    """

    free: IntArray
    admits: BoolArray
    worth: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NodeClasses:
    """Classes of nodes; the nodes of a class are in one domain of each of the ``levels``.

    Class c has the nodes of ranks ``rank[i]``, rising, from ``first[c]`` to before ``first[c + 1]``. Levels with
    domains of several nodes go from the coarsest to the finest: each domain is within one of the level before.
    """

    rank: IntArray
    first: IntArray
    levels: Sequence[Level]

    def parts(self, fitting: Fitting, offer: Offer, effort: Effort) -> Iterable[Part]:
        """Generate the parts of the cluster lazily, those with the lowest ranks first."""
        shared = [level for level in self.levels if not level.single_nodes]
        useful = self._useful(fitting, offer, effort)
        return _nested(fitting.layout, useful, shared) if shared else (part for part, _ in useful)

    def _useful(self, fitting: Fitting, offer: Offer, effort: Effort) -> Iterator[tuple[AlikeNodes, int]]:
        """List groups of alike nodes that can hold a member, each with one of its classes."""
        for classes in self._groups(fitting, offer, effort):
            if effort.is_over:
                break
            one = int(classes[0])
            options = self._options(fitting, offer, one, effort)
            if len(options.value) > 1:
                yield AlikeNodes(ranks=self._ranks(classes), options=options), one

    def _groups(self, fitting: Fitting, offer: Offer, effort: Effort) -> Iterable[list[int]]:
        """Group classes that are equal in all that matters; leave out those that admit no role."""
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
        groups: dict[bytes, list[int]] = {}
        for one, row in zip(admitting.tolist(), rows_as_bytes(rows, np.arange(len(rows) + 1)), strict=True):
            groups.setdefault(row, []).append(one)
        return groups.values()

    def _ranks(self, classes: Sequence[int]) -> IntArray:
        return np.sort(np.concatenate([self.rank[self.first[one] : self.first[one + 1]] for one in classes]))

    def _options(self, fitting: Fitting, offer: Offer, one: int, effort: Effort) -> Options:
        inside = bytes(int(level.domain[one]) >= 0 for level in self.levels)
        free = np.minimum(offer.free[one], fitting.all)
        key = b"".join((free.tobytes(), offer.admits[one].tobytes(), offer.worth[one].tobytes(), inside))
        if key not in fitting.known:
            effort.spend(_STEPS_A_TABLE + _STEPS_A_CELL * len(fitting.layout.counts))
            fitting.known[key] = options_of(fitting.layout, self._table(fitting, offer, one))
        return fitting.known[key]

    def _table(self, fitting: Fitting, offer: Offer, one: int) -> FloatArray:
        table = fitting.table(offer.free[one], offer.admits[one])
        for role in np.flatnonzero(offer.worth[one]).tolist():
            table += fitting.layout.counts[:, role] * offer.worth[one, role]
        for rule in self._rules_of_a_node(fitting.layout, one):
            table = rule(table)
        return table

    def _rules_of_a_node(self, layout: Layout, one: int) -> Iterable[Rule]:
        for level in self.levels:
            for term in level.terms:
                if level.domain[one] < 0:
                    yield rule_outside(term, layout)
                elif level.single_nodes:
                    yield rule_inside(term, layout)


def ground_of(timeline: Timeline, levels: Sequence[Level]) -> NodeClasses:
    """Return the classes of a timeline, which must agree in all levels; ``levels`` have the domain of each rank."""
    by_class = np.argsort(timeline.class_of, kind="stable")
    first = np.append(0, np.cumsum(timeline.width))
    one_of = by_class[first[:-1]]
    return NodeClasses(
        rank=by_class, first=first, levels=[level._replace(domain=level.domain[one_of]) for level in levels]
    )


def _nested(layout: Layout, nodes: Iterable[tuple[AlikeNodes, int]], levels: Sequence[Level]) -> Sequence[Part]:
    """Group nodes, each with its class, by the domains of the coarsest level, then within each by the next level."""
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
