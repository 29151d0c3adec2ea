"""The keys of gangs: GangJobs, and Gangs of pods that others create; and which of them a namespace's users read."""

from coschedule import GangKey

# No GangJob has a slash in its name, so a Gang and a GangJob of one name never share a key.
_PREFIX = "gang/"
# No Gang has a slash in its name either.
_ROOM = "/later-pods"

ANOTHERS = GangKey("", "")
"""The key of any gang of another namespace, for users that may not read its name."""


def pod_gang_key(namespace: str, name: str) -> GangKey:
    """The key of the Gang of that name."""
    return GangKey(namespace, f"{_PREFIX}{name}")


def is_pod_gang(key: GangKey) -> bool:
    """Whether that is the key of a Gang, not of a GangJob."""
    return key.name.startswith(_PREFIX)


def room_key(gang: GangKey) -> GangKey:
    """The key under which room is planned for pods of a Gang that come later."""
    return GangKey(gang.namespace, f"{gang.name}{_ROOM}")


def is_room(key: GangKey) -> bool:
    """Whether that is the key of such room, for which there is no object."""
    return key.name.endswith(_ROOM)


def gang_of_room(key: GangKey) -> GangKey | None:
    """The Gang for whose later pods that room is kept; None for the key of a gang."""
    return GangKey(key.namespace, key.name.removesuffix(_ROOM)) if is_room(key) else None


def object_name(key: GangKey) -> str:
    """The name of the Gang or GangJob in the API."""
    return key.name.removeprefix(_PREFIX)


def seen_from(namespace: str, gang: GangKey) -> GangKey:
    """The key as users of that namespace may read it: ``ANOTHERS``, or its room, for a gang of another namespace.

    Whatever names a gang in a status or an event of another gang has its key from here.
    """
    if gang.namespace == namespace:
        return gang
    return room_key(ANOTHERS) if is_room(gang) else ANOTHERS
