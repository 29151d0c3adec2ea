"""What a template may demand of a node, or prefer."""

from random import Random

from differential.draft import REQUIRED, ZONE, Draft, Feature

OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")
OF_KUBERNETES = tuple(f"node.kubernetes.io/{key}" for key in ("not-ready", "unreachable", "unschedulable"))
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def tolerates(rnd: Random) -> Feature:
    """A toleration."""
    key = rnd.choice(("", "a", "b", rnd.choice(OF_KUBERNETES)))
    operator = "Exists" if not key else rnd.choice(("Exists", "Equal"))
    one = {"key": key, "operator": operator, "effect": rnd.choice(("", "NoSchedule", "NoExecute"))}
    if operator == "Equal":
        one["value"] = rnd.choice(("", "x", "5"))

    def apply(draft: Draft) -> None:
        draft.spec.setdefault("tolerations", []).append(one)

    return Feature(f"the template tolerates {one}", apply)


def selects(rnd: Random) -> Feature:
    """A node selector."""
    key, value = rnd.choice((("disk", "ssd"), ("disk", "hdd"), ("rack", ""), ("generation", "3")))

    def apply(draft: Draft) -> None:
        draft.spec.setdefault("nodeSelector", {})[key] = value

    return Feature(f"the template selects {key}={value!r}", apply)


def has_affinity(rnd: Random) -> Feature:
    """One more term of the required node affinity."""
    term: dict[str, list[object]] = {"matchExpressions": [_expression(rnd) for _ in range(rnd.randint(0, 2))]}
    if rnd.random() < 0.2:
        term["matchFields"] = [{"key": "metadata.name", "operator": "NotIn", "values": ["nobody"]}]

    def apply(draft: Draft) -> None:
        required = draft.spec.setdefault("affinity", {}).setdefault("nodeAffinity", {}).setdefault(REQUIRED, {})
        required.setdefault("nodeSelectorTerms", []).append({kind: list(those) for kind, those in term.items()})

    return Feature(f"the template has the affinity {term}", apply)


def _expression(rnd: Random) -> object:
    operator, key = rnd.choice(OPERATORS), rnd.choice(("disk", "generation", "rack"))
    if operator in ("Exists", "DoesNotExist"):
        return {"key": key, "operator": operator}
    choices = ("2", "5", "10") if operator in ("Gt", "Lt") else ("ssd", "3", "07", "")
    return {"key": key, "operator": operator, "values": [rnd.choice(choices)]}


def prefers(rnd: Random) -> Feature:
    """Something that kube-scheduler only weighs."""
    kind = rnd.choice(("nodeAffinity", "podAffinity", "podAntiAffinity", "spread"))
    selector = {"matchLabels": {"app": "other"}}
    among_pods = {"topologyKey": ZONE, "labelSelector": selector}

    def apply(draft: Draft) -> None:
        if kind == "spread":
            spread = {**among_pods, "maxSkew": 1, "whenUnsatisfiable": "ScheduleAnyway"}
            draft.spec.setdefault("topologySpreadConstraints", [spread])
            return
        preference = {"matchExpressions": [{"key": "disk", "operator": "In", "values": ["ssd"]}]}
        what = {"preference": preference} if kind == "nodeAffinity" else {"podAffinityTerm": among_pods}
        draft.spec.setdefault("affinity", {}).setdefault(kind, {})[PREFERRED] = [{"weight": 1, **what}]

    return Feature(f"the template prefers something: {kind}", apply)


TOLERATIONS = (tolerates, tolerates)
AFFINITY = (selects, has_affinity, prefers)
