"""Manifests with a few values replaced by odd ones: seeded, so that a failure can be repeated."""

import copy

ODD_TEXTS = (
    "",
    "x",
    " ",
    "0",
    "-1",
    "٣",
    "a" * 300,
    "1e1000000",
    "-1e1000000",
    "1e30",
    "9300000000000000",
    "1e-400",
    "0.1n",
    "8Ei",
    "NaN",
    "2026-11-20t18:00:00z",
    "2026-11-20T18:00:00+99:00",
    "0000-01-01T00:00:00Z",
    "9999-12-31T23:59:60-99:59",
    "876000h",
    "1ms",
    "-5s",
    "Dreaming",
    "True",
    "Succeeded",
    "Failed",
    "NoSchedule",
    "Exists",
    "Gt",
    "9" * 40,
    "n1",
    "Pieces",
    "Proportional",
)
LEFT_OUT_SHARE = 0.15

ODD_NUMBERS = (0, 1, -1, 2, 110, 10_000, 2**31 - 1, 2**31, 2**53, 2**63 - 1, -(2**63))


def odd_value(rnd, before):
    """Another value of the same JSON type, as schemas have it: a text, a number, a list with one more or one less."""
    if isinstance(before, bool):
        return not before
    if isinstance(before, (int, float)):
        return rnd.choice(ODD_NUMBERS)
    if isinstance(before, list):
        return rnd.choice(([], [*before, *copy.deepcopy(before)], before[1:]))
    if isinstance(before, dict):
        return rnd.choice(({}, {**before, rnd.choice(ODD_TEXTS): next(iter(before.values()), "")}))
    return rnd.choice(ODD_TEXTS)


def mutated(rnd, manifest, *, spared=frozenset({"metadata", "apiVersion", "kind"})):
    """A copy in which one to three places outside the ``spared`` parts are replaced, or left out."""
    result = copy.deepcopy(manifest)
    for _ in range(rnd.randint(1, 3)):
        places_left = list(places(result, spared))
        if not places_left:
            break
        holder, key = rnd.choice(places_left)
        if rnd.random() < LEFT_OUT_SHARE and isinstance(holder, dict):
            del holder[key]
        else:
            holder[key] = odd_value(rnd, holder[key])
    return result


def places(node, spared=frozenset()):
    """Every (holder, key) in a tree of dictionaries and lists."""
    keys = [key for key in node if key not in spared] if isinstance(node, dict) else range(len(node))
    for key in keys:
        yield node, key
        if isinstance(node[key], (dict, list)):
            yield from places(node[key])
