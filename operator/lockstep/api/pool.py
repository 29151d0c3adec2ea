"""The node pool: the nodes on which gangs are planned, and the fields by which members run only there."""

from collections.abc import Mapping
from dataclasses import dataclass

from coschedule import Taint
from lockstep.api.manifest import Manifest
from lockstep.facts.gang.gang import AcceptedGang, Refusal
from lockstep.facts.gang.role import RoleSpec
from lockstep.facts.reasons import Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """The nodes that have every label of ``selector``; all nodes if it is empty.

    ``taints`` keep other pods off these nodes.
    """

    selector: tuple[tuple[str, str], ...] = ()
    taints: tuple[Taint, ...] = ()

    def has(self, labels: Mapping[str, str]) -> bool:
        """Whether a node with these labels is in the pool."""
        return all(labels.get(key) == value for key, value in self.selector)

    def template_in(self, template: Manifest) -> Manifest:
        """A gang's template with the pool's selector, and with a toleration of each taint of the pool.

        The template's own fields stay; ``refusal`` reports conflicts with the pool.
        """
        if self == ALL_NODES:
            return template
        spec = template["spec"]
        wanted = {
            "nodeSelector": {**dict(self.selector), **(spec.get("nodeSelector") or {})},
            "tolerations": self._tolerations(spec.get("tolerations") or []),
        }
        return {**template, "spec": {**spec, **{field: value for field, value in wanted.items() if value}}}

    def refusal(self, gang: AcceptedGang) -> Refusal | None:
        """The refusal of a gang whose template selects nodes outside of the pool; None if there is no conflict."""
        return next((refusal for role in gang.spec.roles if (refusal := self._refusal(role))), None)

    def _refusal(self, role: RoleSpec) -> Refusal | None:
        selected = dict(role.constraints.node_selector)
        for key, value in self.selector:
            if selected.get(key, value) != value:
                message = (
                    f"{role.path}.spec.nodeSelector: {key}={selected[key]} selects none of the nodes of the operator's "
                    f"pool, which have {key}={value}."
                )
                return Refusal(Reason.INVALID_SPEC, message)
        return None

    def _tolerations(self, own: list[Manifest]) -> list[Manifest]:
        known = [_compared(one) for one in own]
        return [*own, *(one for one in map(_toleration, self.taints) if _compared(one) not in known)]


ALL_NODES = Pool()
"""The pool of all nodes, which is the default."""


def _toleration(taint: Taint) -> Manifest:
    """The toleration of a taint, as users write it. For a taint without a value, it tolerates any value."""
    if not taint.value:
        return {"key": taint.key, "operator": "Exists", "effect": taint.effect}
    return {"key": taint.key, "operator": "Equal", "value": taint.value, "effect": taint.effect}


def _compared(toleration: Manifest) -> tuple[str, ...]:
    """The fields by which tolerations differ, with their defaults. The duration is not one of them."""
    defaults = {"key": "", "operator": "Equal", "value": "", "effect": ""}
    return tuple(toleration.get(field) or default for field, default in defaults.items())
