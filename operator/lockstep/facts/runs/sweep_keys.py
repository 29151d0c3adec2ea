"""The keys of sweeps."""

from coschedule import GangKey

# No GangJob has a slash in its name, so a sweep and a GangJob of one name never share a key.
_PREFIX = "sweep/"


def sweep_key(namespace: str, name: str) -> GangKey:
    """The key of the GangSweep of that name. Logs and queues use it like the keys of gangs."""
    return GangKey(namespace, f"{_PREFIX}{name}")


def sweep_name(key: GangKey) -> str:
    """The name of the GangSweep in the API."""
    return key.name.removeprefix(_PREFIX)


def is_sweep(key: GangKey) -> bool:
    """Whether that is the key of a GangSweep, not of a GangJob."""
    return key.name.startswith(_PREFIX)
