"""The nodes on which a gang's members may be, and how terms divide them into domains."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.queue.effort import Effort
from coschedule.queue.packing.fitting import Fitting
from coschedule.queue.packing.layout import Layout, options_of
from coschedule.queue.packing.places import AlikeNodes, Domain, Part
from coschedule.queue.packing.rules import RolesOfTerm, Rule, rule_inside, rule_outside

_STEPS_A_TABLE = 8
"""To make the table of a node takes as long as so many options of it."""


class Level(NamedTuple):
    """The terms about one label, and the domain of each class of nodes, -1 where it has no such label: int[c].

    Where domains are ``single_nodes``, each node of a class with a label is a domain of its own.
    """

    terms: Sequence[RolesOfTerm]
    domain: IntArray
    single_nodes: bool


class Offer(NamedTuple):
    """What nodes of class ``c`` have for members: ``free[c, r]``, none of it negative, for roles ``admits[c, role]``.

    In the tables, each member of role ``weighed`` is worth ``weight[c]``.
    """

    free: IntArray
    admits: BoolArray
    weighed: int | None
    weight: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ground:
    """Classes of nodes: ``ranks[c]`` are the nodes of each, rising, all in one domain of each of the ``levels``.

    Levels with shared domains go from the coarsest to the finest: each domain is within one of the level before.
    """

    ranks: Sequence[IntArray]
    levels: Sequence[Level]

    def parts(self, fitting: Fitting, offer: Offer, effort: Effort) -> Sequence[Part]:
        """Make the parts of which the whole is made up, those with the lowest ranks first."""
        nodes = [
            (self._alike_nodes(fitting, offer, classes, effort), int(classes[0]))
            for classes in self._groups(fitting, offer)
            if not effort.is_over
        ]
        useful = [(part, one) for part, one in nodes if len(part.options.value) > 1]
        useful.sort(key=lambda entry: int(entry[0].ranks[0]))
        return _nested(fitting.layout, useful, [level for level in self.levels if not level.single_nodes])

    def _groups(self, fitting: Fitting, offer: Offer) -> Iterable[IntArray]:
        """Put classes together between which nothing that matters differs; leave out those that admit nobody."""
        columns = (
            np.minimum(offer.free, fitting.all),
            offer.admits,
            offer.weight[:, np.newaxis].view(np.int64),
            *(level.domain[:, np.newaxis] for level in self.levels),
        )
        admitting = np.flatnonzero(offer.admits.any(axis=1))
        rows = np.concatenate(columns, axis=1, dtype=np.int64)[admitting]
        _, group_of, sizes = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
        order = np.argsort(group_of.reshape(-1), kind="stable")
        return np.split(admitting[order], np.cumsum(sizes)[:-1]) if admitting.size else ()

    def _alike_nodes(self, fitting: Fitting, offer: Offer, classes: IntArray, effort: Effort) -> AlikeNodes:
        ranks = np.sort(np.concatenate([self.ranks[index] for index in classes.tolist()]))
        one = int(classes[0])
        inside = bytes(int(level.domain[one]) >= 0 for level in self.levels)
        free = np.minimum(offer.free[one], fitting.all)
        key = b"".join((free.tobytes(), offer.admits[one].tobytes(), offer.weight[one].tobytes(), inside))
        if key not in fitting.known:
            effort.spend(_STEPS_A_TABLE * len(fitting.layout.counts))
            fitting.known[key] = options_of(fitting.layout, self._table(fitting, offer, one))
        return AlikeNodes(ranks=ranks, options=fitting.known[key])

    def _table(self, fitting: Fitting, offer: Offer, one: int) -> FloatArray:
        table = fitting.table(offer.free[one], offer.admits[one])
        if offer.weighed is not None:
            table += fitting.layout.counts[:, offer.weighed] * offer.weight[one]
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


def _nested(layout: Layout, nodes: Sequence[tuple[AlikeNodes, int]], levels: Sequence[Level]) -> Sequence[Part]:
    """Put nodes, each with the number of its class, into the domains of the coarsest level, and so on down."""
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
