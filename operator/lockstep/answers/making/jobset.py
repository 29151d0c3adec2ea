"""A JobSet as a GangJob: all pods of all of its jobs are members of one gang, with a role for each job."""

from collections.abc import Sequence
from typing import NamedTuple

from lockstep.answers.errors import AnswerError
from lockstep.answers.making.fields import Fields, Manifest
from lockstep.answers.making.job import leave_selector, size_of
from lockstep.answers.making.template import template_of


class _Role(NamedTuple):
    """A job of the set: what it becomes, how many copies of it there are, and for which others it waits."""

    name: str
    size: int
    copies: int
    template: Manifest
    waits_for: tuple[str, ...]


def jobset_spec(spec: Fields) -> Manifest:
    """The spec of the GangJob that a JobSet's spec becomes."""
    entries = spec.take_list("replicatedJobs")
    if not entries:
        raise AnswerError(f"{spec.path}.replicatedJobs is empty.")
    roles = [_role(Fields(f"{spec.path}.replicatedJobs[{at}]", one, spec.notes)) for at, one in enumerate(entries)]
    made = {
        **spec.carry("suspend", "ttlSecondsAfterFinished"),
        **_network(spec),
        **_success_policy(spec, roles),
        **_failure_policy(spec),
        **_members(spec, roles),
    }
    spec.leave_rest()
    return made


def _role(entry: Fields) -> _Role:
    name, copies = entry.take_text("name"), entry.take_number("replicas", otherwise=1) or 0
    waits_for = tuple(_awaited(entry))
    template = entry.take_fields("template")
    template.leave("metadata", "not carried over, since there is no Job of it.")
    job = template.take_fields("spec")
    size, _ = size_of(job)
    made = template_of(job, is_indexed=False)
    leave_selector(job)
    for one in (job, template, entry):
        one.leave_rest()
    return _Role(name, size * copies, copies, made, waits_for)


def _awaited(entry: Fields) -> list[str]:
    names = []
    for number, one in enumerate(entry.take_list("dependsOn")):
        other = Fields(f"{entry.path}.dependsOn[{number}]", one, entry.notes)
        name, status = other.take_text("name"), other.take_text("status")
        if status == "Ready":
            names.append(name)
        else:
            other.note("status", f"not carried over: all roles of a gang run at once, so none waits for {name} to end.")
        other.leave_rest()
    return names


def _members(spec: Fields, roles: Sequence[_Role]) -> Manifest:
    """Size and template of the only job, or the roles of several."""
    in_order = spec.take_fields("startupPolicy").take_text("startupPolicyOrder") == "InOrder"
    spec.note("replicatedJobs", "a member's index is its rank in the whole gang, in LOCKSTEP_RANK.")
    if len(roles) == 1:
        [only] = roles
        return {"size": {"min": only.size, "max": only.size}, "template": only.template}
    first = roles[0].name
    if in_order and len(roles) > 2:
        spec.note("startupPolicy", f"became startAfter of {first}: all others start together after it.")
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
    """For whom a role waits, but for those that wait themselves: startAfter can't have these."""
    waiting = {one.name for one in roles if one.waits_for}
    for name in role.waits_for:
        if name in waiting:
            spec.note("replicatedJobs", f"{role.name} does not wait for {name}, which waits itself.")
    return [name for name in role.waits_for if name not in waiting]


def _network(spec: Fields) -> Manifest:
    network = spec.take_fields("network")
    wanted = network.take("enableDNSHostnames")
    network.take("publishNotReadyAddresses")
    spec.note("network", "a member's name in DNS is NAME-ATTEMPT-RANK.NAME, with the name of the GangJob.")
    network.leave_rest()
    return {} if wanted is False else {"network": {}}


def _success_policy(spec: Fields, roles: Sequence[_Role]) -> Manifest:
    """The role that decides; a gang has succeeded when all members of one role have, or all of all."""
    policy = spec.take_fields("successPolicy")
    operator, targets = policy.take_text("operator", otherwise="All"), policy.take_list("targetReplicatedJobs")
    policy.leave_rest()
    targeted = [role for role in roles if not targets or role.name in targets]
    if operator == "All" and len(targeted) == len(roles):
        return {}
    if len(targeted) == 1 and (operator == "All" or targeted[0].copies == 1):
        return {"successPolicy": {"role": targeted[0].name}} if len(roles) > 1 else {}
    spec.note("successPolicy", "not carried over: a gang has succeeded when all members of one role have, or all.")
    return {}


def _failure_policy(spec: Fields) -> Manifest:
    policy = spec.take_fields("failurePolicy")
    restarts = policy.take_number("maxRestarts", otherwise=None)
    policy.leave_rest()
    return {} if restarts is None else {"failurePolicy": {"maxRestarts": restarts}}
