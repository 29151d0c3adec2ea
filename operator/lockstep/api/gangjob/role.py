"""Parses the roles of a GangJob. A spec with a single template becomes one role without a name."""

import math
from collections.abc import Iterator, Sequence

from coschedule import Constraints, Load, Sizes, Toleration
from lockstep.api.amounts import check_amounts
from lockstep.api.cluster.node_terms import parse_terms
from lockstep.api.gangjob.dealing import is_dealt_while_running
from lockstep.api.gangjob.network import parse_network
from lockstep.api.gangjob.unsupported import unsupported
from lockstep.api.labels import MOST_LABELS, are_unread
from lockstep.api.manifest import Manifest
from lockstep.api.members.claims import claims_by_templates, claims_in_pod, without_volumes
from lockstep.api.members.dealer import NO_DEALER_IMAGE, with_dealer
from lockstep.api.members.gate import NO_GATE_IMAGE, with_gate
from lockstep.api.names import SCHEDULER_NAME
from lockstep.api.pods.exclusive import exclusive_columns
from lockstep.api.pods.pod_request import pod_limits, pod_request
from lockstep.api.pods.pod_size import MOST_EXCLUSIVE_OF_ROLE, TooLongError, check_size, few_exclusive
from lockstep.api.pods.pod_terms import pod_affinity
from lockstep.api.pods.preferences import preferred
from lockstep.api.pods.qos import is_guaranteed
from lockstep.api.pool import Pool
from lockstep.api.quantities import as_request
from lockstep.facts.document import Document, PodTemplate
from lockstep.facts.gang.gang import Refusal
from lockstep.facts.gang.role import Needs, RoleSpec
from lockstep.facts.gates import wait_of
from lockstep.facts.ranks import MOST_RANKS
from lockstep.facts.reasons import Reason

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def parse_roles(spec: Manifest, pool: Pool, gate_image: str = "") -> tuple[RoleSpec, ...] | Refusal:
    """The roles, with the fields that ``pool`` adds to their templates; a refusal if a field is not supported.

    Gates and dealers are containers of ``gate_image``. Without this image, GangJobs that need them are refused. Raises
    ``ValueError`` or ``ArithmeticError`` for invalid numbers.
    """
    roles: list[RoleSpec] = []
    network = parse_network(spec)
    for path, manifest in _manifests(spec):
        template = pool.template_in(manifest["template"])
        if wait_of(network, manifest.get("startAfter") or ()).has_gate:
            if not gate_image:
                return Refusal(Reason.UNSUPPORTED_FIELD, NO_GATE_IMAGE)
            template = with_gate(template, gate_image)
        if is_dealt_while_running(spec):
            if not gate_image:
                return Refusal(Reason.UNSUPPORTED_FIELD, NO_DEALER_IMAGE)
            template = with_dealer(template, gate_image)
        role = _role(path, manifest, template)
        if isinstance(role, Refusal):
            return role
        roles.append(role)
    _check_loads(roles, spec.get("work") or {})
    return tuple(roles)


def _check_loads(roles: Sequence[RoleSpec], work: Manifest) -> None:
    """Raise ``ValueError`` if the loads of roles do not fit together, or do not fit the work.

    The API server checks this too, but it may not have seen a manifest from a file.
    """
    loads = [role.load for role in roles if role.load.is_work]
    pools = sum(load.is_pieces for load in loads)
    if pools and "profile" in work:
        raise ValueError("work.profile: does not say how long a piece takes; load Pieces needs work.serialTime")
    if pools and pools < len(loads):
        raise ValueError("roles: if one role has load Pieces, all others must have load Pieces or None")
    if pools > 1 and work.get("learn"):
        raise ValueError("work.learn: is allowed with at most one role of load Pieces")


def parse_needs(pod: Manifest, path: str) -> Needs | Refusal:
    """The requirements of a member with that pod spec; a refusal if such a member can't be placed.

    ``path`` is the path of the member's template, for the refusal.
    """
    not_obeyed = next(unsupported(pod), None) or _other_scheduler(pod)
    if not_obeyed is not None:
        return Refusal(Reason.UNSUPPORTED_FIELD, f"{path}.spec.{not_obeyed}.")
    try:
        check_size(pod)
        few_exclusive(exclusive_columns(pod), MOST_EXCLUSIVE_OF_ROLE)
        check_amounts(pod, f"{path}.spec")
        claims = tuple(claims_in_pod(pod, path))
        return Needs(pod_request(pod, {}, is_member=True), parse_constraints(pod), claims, pod_affinity(pod))
    except TooLongError as error:
        return Refusal(Reason.INVALID_SPEC, f"{path}.spec.{error}.")
    except (ValueError, ArithmeticError) as error:
        return Refusal(Reason.INVALID_SPEC, f"{error}.")


def _manifests(spec: Manifest) -> Iterator[tuple[str, Manifest]]:
    """The manifest of each role, with the path of its template."""
    if "roles" not in spec:
        yield "template", spec
    for number, role in enumerate(spec.get("roles") or ()):
        yield f"roles[{number}].template", role


def _role(path: str, manifest: Manifest, template: Manifest) -> RoleSpec | Refusal:
    claim_templates = tuple(manifest.get("volumeClaimTemplates") or ())
    if are_unread(template.get("metadata") or {}):
        return Refusal(Reason.INVALID_SPEC, f"{path}.metadata.labels: must be at most {MOST_LABELS}.")
    needs = parse_needs(without_volumes(template["spec"], claim_templates), path)
    if isinstance(needs, Refusal):
        return needs
    load, sizes = Load(manifest.get("load", Load.EQUAL)), _sizes(manifest["size"])
    return RoleSpec(
        name=manifest.get("name", ""),
        path=path,
        sizes=sizes,
        request=needs.request,
        constraints=needs.constraints,
        claims=(*needs.claims, *claims_by_templates(claim_templates, path.removesuffix("template"))),
        pod_affinity=needs.pod_affinity,
        template=PodTemplate.of(template),
        claim_templates=tuple(map(Document.of, claim_templates)),
        limits=as_request(pod_limits(template["spec"])),
        load=load,
        pieces=_pieces(manifest, load, sizes),
        piece_weight=_piece_weight(manifest, load),
        start_after=tuple(manifest.get("startAfter") or ()),
        is_guaranteed=is_guaranteed(template["spec"]),
        not_weighed=tuple(f"{path}.spec.{one}" for one in preferred(template["spec"])),
    )


def _sizes(size: Manifest) -> Sizes:
    allowed = tuple(sorted(int(one) for one in size.get("allowed") or ()))
    least, most = (allowed[0], allowed[-1]) if allowed else (int(size["min"]), int(size["max"]))
    # The API server checks this too, but it may not have seen a manifest from a file.
    if most > MOST_RANKS:
        raise ValueError(f"size: must be at most {MOST_RANKS} members, not {most}")
    if allowed:
        return Sizes(minimum=least, maximum=most, allowed=allowed)
    return Sizes(minimum=least, maximum=most, multiple_of=int(size.get("multipleOf", 1)))


def _other_scheduler(pod: Manifest) -> str | None:
    name = pod.get("schedulerName") or SCHEDULER_NAME
    if name == SCHEDULER_NAME:
        return None
    return f"schedulerName: write {SCHEDULER_NAME}, or leave the field out: Lockstep places the members, not {name}"


def _pieces(role: Manifest, load: Load, sizes: Sizes) -> int | None:
    """The number of pieces of a role; None without pieces. Raises ``ValueError`` if other fields do not fit."""
    pieces: int | None = role.get("pieces")
    if load.is_pieces != (pieces is not None):
        raise ValueError("pieces: is allowed only with load Pieces")
    if pieces is None:
        return None
    if pieces < sizes.least:
        raise ValueError(f"pieces: must be at least {sizes.least}, one for each member, not {pieces}")
    return pieces


def _piece_weight(role: Manifest, load: Load) -> int:
    if "pieceWeight" in role and not load.is_pieces:
        raise ValueError("pieceWeight: is allowed only with load Pieces")
    weight: int = role.get("pieceWeight", 1)
    if weight < 1:
        raise ValueError("pieceWeight: must be at least 1")
    return weight


def parse_constraints(pod: Manifest) -> Constraints:
    """The requirements of a pod spec on nodes. Raises ``ValueError`` if they can't be parsed."""
    node_affinity = (pod.get("affinity") or {}).get("nodeAffinity") or {}
    required = node_affinity.get(_REQUIRED)
    return Constraints(
        node_selector=tuple(sorted((pod.get("nodeSelector") or {}).items())),
        affinity=None if required is None else parse_terms(required),
        tolerations=tuple(map(_toleration, pod.get("tolerations") or ())),
    )


def _toleration(one: Manifest) -> Toleration:
    seconds = one.get("tolerationSeconds")
    return Toleration(
        key=one.get("key", ""),
        operator=one.get("operator") or "Equal",
        value=one.get("value", ""),
        effect=one.get("effect", ""),
        seconds=math.inf if seconds is None else float(seconds),
    )
