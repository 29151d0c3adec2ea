"""Which resources a snapshot has columns for: what gangs ask for, in a number that nobody can drive up.

Anybody may ask for a resource of any name. Of those that no node has, some keep a column of their own, so that their
gangs are told what is short; all further ones share one.
"""

from collections.abc import Iterable, Sequence

from lockstep.facts.gang import GangFact
from lockstep.facts.node import NodeFact
from lockstep.facts.pod import Request

NOWHERE = "other resources that no node has"
_MOST_NOWHERE = 100


def columns_for(gangs: Iterable[GangFact], nodes: Iterable[NodeFact]) -> tuple[str, ...]:
    """The names of the columns, sorted; the shared one is the last."""
    asked = {name for gang in gangs if gang.spec for role in gang.spec.roles for name, _ in role.request}
    if len(asked) <= _MOST_NOWHERE:
        return tuple(sorted(asked))
    offered = {name for node in nodes for name, _ in node.allocatable}
    # The columns of our own are no node's either; their names have a blank, which no resource's has.
    nowhere = sorted(name for name in asked - offered if " " not in name)
    shared = set(nowhere[_MOST_NOWHERE:])
    return (*sorted(asked - shared), *([NOWHERE] if shared else []))


def amounts_in(columns: Sequence[str], request: Request) -> tuple[int, ...]:
    """What one member takes of each column; of the shared one a piece, if it asks for anything that has no other."""
    amounts = dict(request)
    if columns and columns[-1] == NOWHERE and not amounts.keys() <= set(columns):
        amounts[NOWHERE] = 1
    return tuple(amounts.get(name, 0) for name in columns)
