"""How admission changes gangs' templates, as answers to creates and dry runs have shown.

LimitRanges, RuntimeClasses, policies and webhooks are not read. Their effect on members is remembered while the gang
exists, and learned again after a restart. A later gang with the same template in the same namespace is planned with
this effect from the start. Its own members are still checked.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

from lockstep.belief.common.shared_verdicts import SharedVerdicts
from lockstep.belief.gangs.needs import as_compared
from lockstep.facts.gang.gang import AcceptedGang, GangFact, GangSpec, Refusal, Verdict
from lockstep.facts.gang.role import Needs, RoleSpec
from lockstep.facts.reasons import Condition, Reason


@dataclass(slots=True, kw_only=True)
class _Template:
    """The spec of one gang as written, at one generation, and the verdict of admission; None if there is none yet."""

    generation: int
    written: GangSpec
    verdict: Verdict | None = None


class TemplateMemory:
    """The verdicts of admission by the UID of the gang: a refusal, or the needs of each role."""

    def __init__(self) -> None:
        self._by_gang: dict[str, _Template] = {}
        self._shared = SharedVerdicts()

    def as_admitted(self, gang: GangFact) -> GangFact:
        """The gang with the needs that admission sets for its members, or refused if admission refuses them."""
        template = self._template(gang)
        if template is None:
            return gang
        if isinstance(template.verdict, Refusal):
            return gang.refused(template.verdict)
        return gang.with_spec(_with_verdict(template.written, template.verdict))

    def rewrite(self, gang: GangFact) -> None:
        """Take a new spec of the gang in the same generation: its quota may have changed its sizes or nodes.

        A verdict still counts if the needs of all roles are the same.
        """
        template = self._by_gang.get(gang.uid)
        if template is None or template.generation != gang.generation or not isinstance(gang, AcceptedGang):
            return
        if template.written is not gang.spec:
            before, template.written = template.written, gang.spec
            if [role.needs for role in before.roles] != [role.needs for role in gang.spec.roles]:
                template.verdict = None

    def learn(self, gang: GangFact, verdict: Verdict) -> None:
        """Keep the verdict of admission about the members, in place of an earlier verdict."""
        template = self._template(gang)
        if template is None:
            if not isinstance(gang, AcceptedGang) or verdict == {role.name: role.needs for role in gang.spec.roles}:
                # The gang's own spec is refused by now, or admission leaves the needs as they are.
                return
            template = self._by_gang[gang.uid] = _Template(generation=gang.generation, written=gang.spec)
        template.verdict = verdict
        if not isinstance(verdict, Refusal):
            self._share(gang, template.written, verdict)

    def observe(self, gang: GangFact, needs: Mapping[str, Needs]) -> None:
        """Keep the needs of created members for later gangs.

        The members of these roles were created with these needs, and match the plan.
        """
        template = self._by_gang.get(gang.uid)
        if template is not None and needs != template.verdict:
            self._share(gang, template.written, needs)

    def written(self, gang: GangFact) -> GangSpec | None:
        """The gang's spec as written; None if the spec itself is refused."""
        template = self._template(gang)
        return gang.spec if template is None else template.written

    def forget(self, gang_uid: str) -> None:
        """Forget a gang that is gone."""
        self._by_gang.pop(gang_uid, None)

    def _template(self, gang: GangFact) -> _Template | None:
        template = self._by_gang.get(gang.uid)
        if template is None:
            return self._of_status(gang) or self._of_others(gang)
        if template.generation != gang.generation:
            if not isinstance(gang, AcceptedGang):
                return None
            # The template is immutable, so requests and constraints stay as admission has set them. A refusal may have
            # been about the priority class, so it is dropped.
            template.generation, template.written = gang.generation, gang.spec
            if isinstance(template.verdict, Refusal):
                template.verdict = None
        return template

    def _of_status(self, gang: GangFact) -> _Template | None:
        """The gang's template, refused, if the status says that admission refuses the members; None otherwise.

        Only the status has this verdict after a restart.
        """
        accepted = gang.status.condition(Condition.ACCEPTED)
        if not isinstance(gang, AcceptedGang) or accepted is None:
            return None
        if (accepted.reason, accepted.observed_generation) != (Reason.TEMPLATE_REFUSED, gang.generation):
            return None
        refusal = Refusal(Reason.TEMPLATE_REFUSED, accepted.message)
        template = _Template(generation=gang.generation, written=gang.spec, verdict=refusal)
        self._by_gang[gang.uid] = template
        return template

    def _of_others(self, gang: GangFact) -> _Template | None:
        """The gang's template, with the verdict for earlier gangs that used it, if one is kept.

        None if the gang is refused, or if no template of its namespace is kept.
        """
        namespace = gang.key.namespace
        if not isinstance(gang, AcceptedGang) or not self._shared.knows(namespace):
            return None
        shared = {role.name: self._shared.get(namespace, _digest(gang.spec, role)) for role in gang.spec.roles}
        verdict = {name: needs for name, needs in shared.items() if needs is not None}
        template = _Template(generation=gang.generation, written=gang.spec, verdict=verdict or None)
        self._by_gang[gang.uid] = template
        return template

    def _share(self, gang: GangFact, written: GangSpec, needs: Mapping[str, Needs]) -> None:
        for role in written.roles:
            if role.name in needs:
                self._share_role(gang.key.namespace, _digest(written, role), role, needs[role.name])

    def _share_role(self, namespace: str, digest: bytes, written: RoleSpec, needs: Needs) -> None:
        if as_compared(written.needs, needs) == written.needs:
            self._shared.drop(namespace, digest)
        else:
            self._shared.keep(namespace, digest, needs)


def _digest(spec: GangSpec, role: RoleSpec) -> bytes:
    """A digest of all that admission reads of a role, except the role's name and namespace.

    Roles of one namespace with equal digests get the same verdict, even if their names differ.
    """
    digest = hashlib.sha256(json.dumps(spec.priority_class).encode())
    # No JSON has a line break between its values.
    for document in (role.template.document, *role.claim_templates):
        digest.update(b"\n" + document.json)
    return digest.digest()


def _with_verdict(spec: GangSpec, verdict: Mapping[str, Needs] | None) -> GangSpec:
    if not verdict:
        return spec
    return replace(spec, roles=tuple(_as_admitted(role, verdict.get(role.name, role.needs)) for role in spec.roles))


def _as_admitted(role: RoleSpec, needs: Needs) -> RoleSpec:
    admitted = as_compared(role.needs, needs)
    return replace(
        role,
        request=admitted.request,
        constraints=admitted.constraints,
        claims=admitted.claims,
        pod_affinity=admitted.pod_affinity,
        written=None if admitted == role.needs else role.needs,
    )
