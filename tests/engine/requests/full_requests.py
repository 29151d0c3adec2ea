"""One request or more for each problem that together show every field, and the places inside of a request."""

NODES = [
    {"start": 0, "dutyCycle": "1/2", "capacity": 2, "until": 900, "slots": 2},
    {"start": 5, "until": None, "slowdowns": [1, "3/2"]},
    {"slowdowns": None},
]
EQUAL = {
    "id": 1,
    "problem": "equal",
    "nodes": NODES,
    "work": {"serial": 60, "fixed": 1, "perMember": "1/5", "perLogMember": 0},
    "size": {"min": 1, "max": 4},
    "deadline": 800,
    "objective": "fewest",
    "price": "1/100",
}
ARRIVE = {"op": "arrive", "name": "A", "levels": [1, 3, 9], "unitTimes": [9, "7/2", 1]}
AUCTION = [
    {"op": "loaders", "workstations": 2},
    ARRIVE,
    ARRIVE | {"name": "B", "levels": [2, 4]} | {"unitTimes": [5, 1.5]},
    {"op": "setUnitTimes", "name": "A", "unitTimes": [9, 3, 1], "alsoKnown": [0, 1]},
    {"op": "auction", "order": ["B", "A"], "exempt": ["A"]},
    {"op": "auction", "order": None},
    {"op": "depart", "name": "A"},
]
FULL = [
    EQUAL,
    EQUAL | {"work": {"times": [60, "41/2", 20]}, "objective": "finish", "deadline": None},
    EQUAL | {"problem": "proportional", "overhead": "perGang"},
    {"id": 2, "problem": "pieces", "pieces": 20, "speeds": [10, "1/2", 4]},
    {
        "id": "three",
        "problem": "gangPieces",
        "nodes": NODES,
        "pieces": 3,
        "secondsPerPiece": 10,
        "perMember": "1/3",
        "fixed": 2,
    },
    {"id": None, "problem": "compress", "pieces": 9, "speeds": [4, 2, 1], "turnaround": "3/2"},
    {"id": True, "problem": "compressPools", "pools": [{"pieces": 4, "speeds": [1, "3/2"]}] * 2},
    {
        "id": 4.5,
        "problem": "expand",
        "freeBySlice": [["p", "q"], ["q", "r"], []],
        "speeds": {"p": 1, "q": "3/2", "r": 2},
        "pieces": 4,
        "objective": "size",
    },
    {"id": 5, "problem": "pace", "weights": [1, "1/2"], "free": ["1/2", 1]},
    {"id": 6, "problem": "heterogeneity", "weights": [1, "1/2", 0.25]},
    {
        "id": 7,
        "problem": "forecast",
        "smoothing": {"A": 0.5, "B": 0.25, "C": 1},
        "pastDays": [[0, 1.5] * 12],
        "today": [8, 2],
        "now": 3,
        "hours": 2,
    },
    {"id": 8, "problem": "auction", "total": 12, "psi": 1.2, "requireGain": False, "events": AUCTION},
    {"id": 9, "problem": "shares", "total": 4, "apps": [{"levels": [0, 3], "speedups": [1, "5/2"]}] * 2},
]


def places(value, path=()):
    """List the path to everything inside a value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (*path, key)
        yield from places(item, (*path, key))


def at(value, path):
    """Return what stands at a path."""
    for key in path:
        value = value[key]
    return value


def replaced(value, path, item):
    """Copy a value with another item at a path, or one more."""
    if not path:
        return item
    copy = value.copy()
    copy[path[0]] = item if len(path) == 1 else replaced(value[path[0]], path[1:], item)
    return copy


def without(value, path):
    """Copy a value without the field at a path."""
    *above, name = path
    return replaced(value, above, {key: item for key, item in at(value, above).items() if key != name})


def written(path):
    """Write a path as refusals do."""
    steps = (f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)
    return "".join(steps).removeprefix(".")
