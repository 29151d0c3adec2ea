"""What the status of a gang keeps about kubelets that reject its members."""

from typing import NamedTuple

MOST_NODES = 16
"""The most nodes kept in a status; after a restart, each further node may reject the gang once more."""


class Rejected(NamedTuple):
    """Kubelets of these ``nodes`` reject the gang's members for this ``reason``.

    ``suiting`` is a digest of all nodes that suit the gang, and of their facts when it was refused.
    """

    reason: str
    nodes: tuple[str, ...]
    suiting: str
