"""What is known of a gang whose members kubelets reject, as its status keeps it."""

from typing import NamedTuple

MOST_NODES = 16
"""So many of the nodes are kept in a status; others reject the gang once more after a restart."""


class Rejected(NamedTuple):
    """Kubelets of these ``nodes`` reject the gang's members for one reason, by name.

    ``suiting`` is a digest of all nodes that suit the gang, and of what they said of themselves when it was refused.
    """

    reason: str
    nodes: tuple[str, ...]
    suiting: str
