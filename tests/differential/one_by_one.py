"""kube-scheduler's rule of affinity among pods, written down pod by pod from its own manifests: slow, and apart."""

from itertools import permutations

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


class Pod:
    """A pod of a namespace, with what its spec's affinity says."""

    def __init__(self, labels, affinity=None, namespace="default"):
        self.labels, self.namespace = labels, namespace
        affinity = affinity or {}
        self.near = affinity.get("podAffinity", {}).get(REQUIRED, [])
        self.apart = affinity.get("podAntiAffinity", {}).get(REQUIRED, [])


def accepts(nodes, there, pod, node):
    """Whether the pod may go to the node; ``nodes`` are labels by name, ``there`` pods with the node of each."""
    return (
        _near_enough(nodes, there, pod, node)
        and not any(_meets(nodes, pod, term, other, where, node) for other, where in there for term in pod.apart)
        and not any(_meets(nodes, other, term, pod, where, node) for other, where in there for term in other.apart)
    )


def can_follow(nodes, there, members):
    """Whether there is an order in which each member is accepted on its node after the others before it."""
    return any(_all_accepted(nodes, list(there), order) for order in permutations(members))


def _all_accepted(nodes, there, order):
    for pod, node in order:
        if not accepts(nodes, there, pod, node):
            return False
        there.append((pod, node))
    return True


def _near_enough(nodes, there, pod, node):
    if any(term["topologyKey"] not in nodes[node] for term in pod.near):
        return False
    meant = [where for other, where in there if pod.near and all(_means(pod, term, other) for term in pod.near)]
    counted = {(term["topologyKey"], nodes[where].get(term["topologyKey"])) for term in pod.near for where in meant}
    counted = {(key, value) for key, value in counted if value is not None}
    if all((term["topologyKey"], nodes[node][term["topologyKey"]]) in counted for term in pod.near):
        return True
    return not counted and all(_means(pod, term, pod) for term in pod.near)


def _meets(nodes, whose, term, other, one_node, other_node):
    key = term["topologyKey"]
    value = nodes[one_node].get(key)
    return _means(whose, term, other) and value is not None and value == nodes[other_node].get(key)


def _means(whose, term, other):
    if term["labelSelector"] is None or other.namespace not in (term.get("namespaces") or [whose.namespace]):
        return False
    wanted = [*term["labelSelector"].get("matchLabels", {}).items(), *_own(whose, term, "matchLabelKeys")]
    unwanted = _own(whose, term, "mismatchLabelKeys")
    return all(other.labels.get(key) == value for key, value in wanted) and not any(
        other.labels.get(key) == value for key, value in unwanted
    )


def _own(pod, term, field):
    return [(key, pod.labels[key]) for key in term.get(field, ()) if key in pod.labels]
