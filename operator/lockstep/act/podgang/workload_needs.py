"""Finds out with dry runs what the pods of a Workload need, before Kueue lets them be created."""

from lockstep.act.podgang.needs_to_be import needs_of_pod
from lockstep.act.requests.services import Services
from lockstep.api.client.answer import exists
from lockstep.api.kueue.workload import flavor_at, parse_workload, pod_of_workload
from lockstep.api.manifest import Manifest
from lockstep.api.podgang.kueue import AdmittedPods, admitted_pods
from lockstep.api.podgang.single_pods import controller_of
from lockstep.api.podgang.sizing.sized_kind import sized_kinds
from lockstep.belief.podgangs.own_pods import PodsAlike, SizedPods


async def learn_needs_of_workload(services: Services, workload: Manifest) -> str:
    """Record what the pods of a waiting Workload need. Returns why they would be refused, as a clause, or ''.

    Raises ``ApiUnavailableError``, and another error for a pod that can't be understood.
    """
    fact, state = parse_workload(workload), services.state
    alike = list[PodsAlike]()
    for pods in admitted_pods(workload):
        found = await _needs(services, workload, pods)
        if isinstance(found, str):
            return found
        alike.append(found._replace(pods=pods.number))
    owner = state.pod_gangs.sized.of(fact.gang)
    if alike and owner is not None and (owner.uid, owner.resource_version) == (fact.uid, fact.version):
        varying, *fixed = alike
        state.pod_gang_facts.learn_coming_pods(owner, SizedPods(varying, fixed, owner.sizes))
    return ""


async def waits_for_size(services: Services, workload: Manifest) -> str:
    """A clause that says that the owner of a Workload has to get a size before its pods are created; '' otherwise."""
    named = controller_of(workload["metadata"])
    kinds = (kind for kind in sized_kinds(services.state.sources) if kind.queued is not None)
    its_kind = (named.get("apiVersion"), named.get("kind"))
    kind = next((one for one in kinds if (one.owner.api_version, one.owner.kind) == its_kind), None)
    if kind is None:
        return ""
    found = await services.client.get(kind.owner.target(workload["metadata"]["namespace"], named["name"]))
    # If an owner is gone, its Workload will be gone, too.
    is_same = exists(found, f"{kind.owner.kind} {named['name']}") and found.body["metadata"]["uid"] == named["uid"]
    waits = is_same and kind.awaits_size_in_queue(found.body)
    return f"Lockstep has not chosen the number of pods of {kind.owner.kind} {named['name']} yet" if waits else ""


async def _needs(services: Services, workload: Manifest, pods: AdmittedPods) -> PodsAlike | str:
    flavors = list[Manifest]()
    for name in pods.flavors:
        found = await services.client.get(flavor_at(name))
        if not found.is_success:
            return f"ResourceFlavor {name} can't be read: {found.message.rstrip('.')}"
        flavors.append(found.body)
    pod = pod_of_workload(workload, pods, flavors)
    return await needs_of_pod(services.client, services.state, parse_workload(workload).gang, pod)
