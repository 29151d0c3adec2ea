"""Sets of nodes as integers: bit ``n`` stands for the node of index ``n``.

Combining two sets takes one step for 64 nodes. So thousands of requirements on thousands of nodes are cheap.
"""

import numpy as np

from coschedule.model.numbers import BoolArray

NodeSet = int

NOWHERE: NodeSet = 0


def all_of(count: int) -> NodeSet:
    """Return the set of all of ``count`` nodes."""
    return (1 << count) - 1


def set_of(mask: BoolArray) -> NodeSet:
    """Return the set of the nodes for which ``mask``, bool[n], is True."""
    return int.from_bytes(np.packbits(mask, bitorder="little").tobytes(), "little")


def as_mask(nodes: NodeSet, count: int) -> BoolArray:
    """Return whether each of ``count`` nodes is in the set: bool[n]."""
    packed = np.frombuffer(nodes.to_bytes(-(-count // 8), "little"), dtype=np.uint8)
    return np.unpackbits(packed, count=count, bitorder="little").view(np.bool_)
