"""The part of a gang's status about kubelets that reject its members."""

from typing import NamedTuple

MOST_NODES = 16
"""The most nodes kept in a status. After a restart of the operator, each further node may reject the gang once more."""


class Rejected(NamedTuple):
    """Kubelets of these ``nodes`` reject the gang's members for this ``reason``.

    ``suiting`` is a digest of all nodes that suited the gang when it was refused, and of their facts.
    """

    reason: str
    nodes: tuple[str, ...]
    suiting: str
