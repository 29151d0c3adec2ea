"""Sets of nodes as whole numbers: bit ``n`` stands for the node of index ``n``.

To combine two sets takes one step for 64 nodes, so a gang may ask thousands of questions about thousands of nodes.
"""

import numpy as np

from coschedule.model.numbers import BoolArray

NodeSet = int

NOWHERE: NodeSet = 0


def all_of(count: int) -> NodeSet:
    """Return the set of all of so many nodes."""
    return (1 << count) - 1


def set_of(mask: BoolArray) -> NodeSet:
    """Return the nodes for which ``mask``, bool[n], is True."""
    return int.from_bytes(np.packbits(mask, bitorder="little").tobytes(), "little")


def as_mask(nodes: NodeSet, count: int) -> BoolArray:
    """Tell of each of so many nodes whether it is in the set: bool[n]."""
    spelled = np.frombuffer(nodes.to_bytes(-(-count // 8), "little"), dtype=np.uint8)
    return np.unpackbits(spelled, count=count, bitorder="little").view(np.bool_)
