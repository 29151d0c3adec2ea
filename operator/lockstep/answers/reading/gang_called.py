"""What a GangJob or a Gang is called in sentences that end a command."""

from coschedule import GangKey
from lockstep.api.names import GANG_KIND, POD_GANG_KIND
from lockstep.facts.gang.keys import is_pod_gang, object_name


def gang_called(gang: GangKey) -> str:
    """The kind and the name of a GangJob or a Gang, for messages."""
    kind = POD_GANG_KIND if is_pod_gang(gang) else GANG_KIND
    return f"{kind} {gang.namespace}/{object_name(gang)}"
