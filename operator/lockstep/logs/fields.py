"""What a line of the log says beside its sentence."""

from collections.abc import Mapping

from coschedule import GangKey
from lockstep.logs.formats import GANG


def about(gang: GangKey) -> Mapping[str, str]:
    """For ``extra``: the line is about that gang. Each format shows it in its own way, so the sentence need not."""
    return {GANG: f"{gang.namespace}/{gang.name}"}
