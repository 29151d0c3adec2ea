"""The keys of gangs: of GangJobs, and of Gangs, whose pods other controllers or users create."""

from coschedule import GangKey

# No GangJob has a slash in its name, so a Gang and a GangJob of one name never share a key.
_PREFIX = "gang/"
# No Gang has a slash in its name either.
_ROOM = "/later-pods"

ANOTHERS = GangKey("", "")
"""The key that users see instead of the key of a gang in another namespace, whose name they may not read."""


def pod_gang_key(namespace: str, name: str) -> GangKey:
    """The key of the Gang of that name."""
    return GangKey(namespace, f"{_PREFIX}{name}")


def is_pod_gang(key: GangKey) -> bool:
    """Whether that is the key of a Gang, not of a GangJob."""
    return key.name.startswith(_PREFIX)


def room_key(gang: GangKey) -> GangKey:
    """The key under which room is planned for later pods of a Gang."""
    return GangKey(gang.namespace, f"{gang.name}{_ROOM}")


def is_room(key: GangKey) -> bool:
    """Whether that is the key of room for later pods, which is no object of the API."""
    return key.name.endswith(_ROOM)


def gang_of_room(key: GangKey) -> GangKey | None:
    """The Gang for whose later pods that room is kept; None if the key is that of a gang."""
    return GangKey(key.namespace, key.name.removesuffix(_ROOM)) if is_room(key) else None


def object_name(key: GangKey) -> str:
    """The name of the Gang or GangJob in the API."""
    return key.name.removeprefix(_PREFIX)


def seen_from(namespace: str, gang: GangKey) -> GangKey:
    """The key as users of that namespace may read it. Keys of other namespaces are replaced.

    A gang of another namespace has the key ``ANOTHERS``, and room for its later pods has the key of the room of
    ``ANOTHERS``.

    All names of gangs in statuses and events of other gangs come from this function.
    """
    if gang.namespace == namespace:
        return gang
    return room_key(ANOTHERS) if is_room(gang) else ANOTHERS
