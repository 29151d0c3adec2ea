"""Random terms of affinity among pods, and random labels for which they ask."""

from differential.one_by_one import REQUIRED

SELECTORS = (
    {"matchLabels": {"app": "heat"}},
    {"matchLabels": {"app": "cold"}},
    {"matchLabels": {"tier": "x"}},
    {},
    None,
)
KEYS = ("host", "zone", "zone", "rack")


def random_labels(rnd):
    """Labels of a pod."""
    tier = {"tier": rnd.choice("xy")} if rnd.random() < 0.5 else {}
    return {"app": rnd.choice(("heat", "cold")), **tier}


def random_affinity(rnd, most):
    """Up to so many terms of either kind."""
    kinds = ("podAffinity", "podAntiAffinity")
    terms = {kind: [_random_term(rnd) for _ in range(rnd.randint(0, most))] for kind in kinds}
    return {kind: {REQUIRED: those} for kind, those in terms.items() if those}


def completed(affinity, labels):
    """The affinity of a pod with these labels as the API server makes it of what is written."""
    return {kind: {REQUIRED: [_completed(term, labels) for term in one[REQUIRED]]} for kind, one in affinity.items()}


def _random_term(rnd):
    term = {"topologyKey": rnd.choice(KEYS), "labelSelector": rnd.choice(SELECTORS)}
    # The API server refuses a key that the selector has already.
    keys = {"tier", "lockstep.dev/gang"} - {*(term["labelSelector"] or {}).get("matchLabels", {})}
    if term["labelSelector"] is not None and rnd.random() < 0.3:
        term[rnd.choice(("matchLabelKeys", "mismatchLabelKeys"))] = [rnd.choice(sorted(keys))]
    if rnd.random() < 0.2:
        term["namespaces"] = [rnd.choice(("default", "else"))]
    return term


def _completed(term, labels):
    keys = {"In": term.get("matchLabelKeys", ()), "NotIn": term.get("mismatchLabelKeys", ())}
    more = [
        {"key": key, "operator": operator, "values": [labels[key]]}
        for operator, those in keys.items()
        for key in those
        if key in labels
    ]
    return {**term, "labelSelector": {**term["labelSelector"], "matchExpressions": more}} if more else term
