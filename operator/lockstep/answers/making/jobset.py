"""Converts a JobSet to a GangJob: the pods of all its jobs are members of one gang, with a role for each job."""

from collections.abc import Sequence
from typing import NamedTuple

from lockstep.answers.making.fields import Fields
from lockstep.answers.making.job import leave_selector, size_of
from lockstep.answers.making.names import check_label
from lockstep.answers.making.template import RANK, ROLE_RANK, template_of
from lockstep.answers.reading.errors import AnswerError
from lockstep.api.manifest import NewManifest


class _Role(NamedTuple):
    """A job of the set as a role. ``size`` counts the members of all ``copies``, and ``waits_for`` names other jobs."""

    name: str
    size: int
    copies: int
    template: NewManifest
    waits_for: tuple[str, ...]


def jobset_spec(spec: Fields) -> NewManifest:
    """The spec of a GangJob, made from a JobSet's spec."""
    entries = spec.take_list("replicatedJobs")
    if not entries:
        raise AnswerError(f"{spec.path}.replicatedJobs is empty.")
    is_alone = len(entries) == 1
    jobs = [spec.within(f"replicatedJobs[{at}]", one) for at, one in enumerate(entries)]
    roles = [_role(job, is_alone=is_alone) for job in jobs]
    return {
        **spec.carry("suspend", "ttlSecondsAfterFinished"),
        **_network(spec),
        **_success_policy(spec, roles),
        **_failure_policy(spec),
        **_members(spec, roles),
    }


def _role(entry: Fields, *, is_alone: bool) -> _Role:
    name = check_label(entry.take_text("name"), "role")
    copies = entry.take_number("replicas", otherwise=1) or 0
    waits_for = tuple(_awaited(entry))
    template = entry.take_fields("template")
    template.leave("metadata", "not carried over, since a GangJob makes no Jobs.")
    job = template.take_fields("spec")
    size, mode = size_of(job)
    made = template_of(job, index=_index(entry, mode, copies, is_alone=is_alone))
    leave_selector(job)
    return _Role(name, size * copies, copies, made, waits_for)


def _index(entry: Fields, mode: str, copies: int, *, is_alone: bool) -> NewManifest | None:
    """The source of the variable with the pod's index; None if the job is not Indexed.

    By default, the jobs of a JobSet are Indexed.
    """
    if mode not in ("", "Indexed"):
        return None
    number = "rank" if is_alone else "number in its role, LOCKSTEP_ROLE_RANK"
    of_all = (
        f", which counts the members of all {copies} replicas: no variable has the number of the replica"
        if copies > 1
        else ""
    )
    entry.note("template.spec.completionMode", f"JOB_COMPLETION_INDEX is the member's {number}{of_all}.")
    return RANK if is_alone else ROLE_RANK


def _awaited(entry: Fields) -> list[str]:
    names = []
    for number, one in enumerate(entry.take_list("dependsOn")):
        other = entry.within(f"dependsOn[{number}]", one)
        name, status = other.take_text("name"), other.take_text("status")
        if status == "Ready":
            names.append(name)
        else:
            other.note("status", f"not carried over: all roles of a gang run at once, so none waits for {name} to end.")
    return names


def _members(spec: Fields, roles: Sequence[_Role]) -> NewManifest:
    """Size and template if there is only one job, and roles if there are several."""
    in_order = spec.take_fields("startupPolicy").take_text("startupPolicyOrder") == "InOrder"
    if len(roles) == 1:
        [only] = roles
        return {"size": {"min": only.size, "max": only.size}, "template": only.template}
    first = roles[0].name
    if in_order and len(roles) > 2:
        spec.note("startupPolicy", f"became startAfter of the other roles: they all start together after {first}.")
    made = []
    for role in roles:
        awaited = [first] if in_order and role is not roles[0] else _without_chains(spec, role, roles)
        made.append(
            {
                "name": role.name,
                "size": {"min": role.size, "max": role.size},
                **({"startAfter": awaited} if awaited else {}),
                "template": role.template,
            }
        )
    return {"roles": made}


def _without_chains(spec: Fields, role: _Role, roles: Sequence[_Role]) -> list[str]:
    """The roles that a role waits for, except those that wait themselves: startAfter can't name such roles."""
    waiting = {one.name for one in roles if one.waits_for}
    for name in role.waits_for:
        if name in waiting:
            spec.note("replicatedJobs", f"{role.name} does not wait for {name}, since {name} also waits.")
    return [name for name in role.waits_for if name not in waiting]


def _network(spec: Fields) -> NewManifest:
    network = spec.take_fields("network")
    wanted = network.take("enableDNSHostnames")
    if network.take("publishNotReadyAddresses") is False:
        network.note("publishNotReadyAddresses", "not carried over: members find each other before they are ready.")
    spec.note("network", "a member's name in DNS is NAME-ATTEMPT-RANK.NAME, with the name of the GangJob.")
    return {} if wanted is False else {"network": {}}


def _success_policy(spec: Fields, roles: Sequence[_Role]) -> NewManifest:
    """The success policy. A gang succeeds when all its members have succeeded, or all members of one role."""
    policy = spec.take_fields("successPolicy")
    operator, targets = policy.take_text("operator", otherwise="All"), policy.take_list("targetReplicatedJobs")
    targeted = [role for role in roles if not targets or role.name in targets]
    if operator == "All" and len(targeted) == len(roles):
        return {}
    if len(targeted) == 1 and (operator == "All" or targeted[0].copies == 1):
        return {"successPolicy": {"role": targeted[0].name}} if len(roles) > 1 else {}
    spec.note(
        "successPolicy",
        "not carried over: a gang succeeds when all members of one role have succeeded, or all members.",
    )
    return {}


def _failure_policy(spec: Fields) -> NewManifest:
    policy = spec.take_fields("failurePolicy")
    restarts = policy.take_number("maxRestarts", otherwise=None)
    return {} if restarts is None else {"failurePolicy": {"maxRestarts": restarts}}
