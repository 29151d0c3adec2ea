"""Facts for tests of belief: a case names only what it is about."""

from coschedule import (
    Constraints,
    GangKey,
    Interruptible,
    Load,
    Members,
    NodeTerm,
    ProfileWork,
    Requirement,
    Sizes,
    TimedSize,
)
from lockstep.api.membership import pod_name
from lockstep.belief.holding.reservation import Reservation
from lockstep.facts.cluster.bid_plan import BidReport
from lockstep.facts.cluster.node import BidFact, NodeFact
from lockstep.facts.cluster.volume import ClaimFact, ClaimKey, VolumeFact, VolumeOffer, VolumeRequest
from lockstep.facts.document import PodTemplate
from lockstep.facts.gang.gang import AcceptedGang, GangSpec
from lockstep.facts.gang.policies import Policies
from lockstep.facts.gang.role import Needs, RoleSpec
from lockstep.facts.gang.start_estimate import PlanChange, StartEstimate
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.pods.pod import Membership, PodFact, PodKey, PodPhase
from lockstep.facts.pods.pod_outcome import PodOutcome

ONE_CPU = (("bid slots", 1), ("cpu", 1000), ("pods", 1))
DEFAULT = "default"
GIB = 2**30


def node_fact(name="n1", *, cpu=8000, pods=110, labels=None, taints=(), ready=True, cordoned=False, system=""):
    """Describe a node."""
    return NodeFact(
        name=name,
        labels=labels or {},
        taints=tuple(taints),
        allocatable=(("cpu", cpu), ("pods", pods)),
        is_ready=ready,
        is_unschedulable=cordoned,
        system=system,
    )


def volume_request(*, storage_class="local", size=GIB, mode="ReadWriteMany", **more):
    """Describe what a claim asks of its volume."""
    modes = more.pop("modes", None) or frozenset({mode})
    return VolumeRequest(storage_class=storage_class, size=size, modes=modes, **more)


def claim_fact(
    name="data", *, namespace=DEFAULT, volume="", selected_node="", owner="", deleting=False, bound=None, **wished
):
    """Describe a claim, which is bound if it has a volume."""
    return ClaimFact(
        key=ClaimKey(namespace, name),
        is_bound=bool(volume) if bound is None else bound,
        is_deleting=deleting,
        volume=volume,
        request=volume_request(**wished),
        uid=f"uid-of-{name}",
        selected_node=selected_node,
        owner=owner,
    )


def volume_fact(name="pv", *, on=None, affinities=(), csi=None, holder=None, **offered):
    """Describe a volume, which nodes of these names reach where they are given."""
    terms = () if on is None else (tuple(NodeTerm((), (Requirement("metadata.name", "In", (node,)),)) for node in on),)
    offer = {
        "storage_class": "local",
        "size": GIB,
        "modes": frozenset({"ReadWriteMany", "ReadWriteOnce"}),
        "is_block": False,
        "labels": {},
        "attributes_class": "",
        "is_available": holder is None,
        "is_deleting": False,
    }
    return VolumeFact(name, (*terms, *affinities), csi, VolumeOffer(**{**offer, **offered}, holder=holder))


def bid_fact(node="n1", *, version="1", slowdown=1.0, since=None, until=None, slots=None, expires=None, **more):
    """Describe a node's bid."""
    return BidFact(
        node=node,
        resource_version=version,
        slowdown=slowdown,
        available_from=since,
        available_until=until,
        slots=slots,
        expires_at=expires,
        **more,
    )


def bid_report(*, duty_cycle=0.5, forecast=(), written=None, **known):
    """Describe what a node's agent said last."""
    return BidReport(duty_cycle=duty_cycle, forecast=forecast, written_at=written, **known)


def profile_work(seconds):
    """The work of a gang by measured times, in seconds by size."""
    return ProfileWork(points=tuple(TimedSize(*point) for point in sorted(seconds.items())))


def gang_spec(
    *,
    size=2,
    most=None,
    work=None,
    priority_class="",
    request=ONE_CPU,
    deadline=None,
    template=None,
    pieces=None,
    claims=(),
    roles=(),
    network=None,
    run_template="",
    learns=False,
    interruptible=Interruptible.NEVER,
    elastic=None,
):
    """Describe what a gang asks for; its load is equal, or of ``pieces``, unless it has ``roles``."""
    role = role_spec(size=size, most=most, request=request, template=template, pieces=pieces, claims=claims)
    return GangSpec(
        roles=tuple(roles) or (role,),
        work=work,
        deadline_seconds=deadline,
        priority_class=priority_class,
        network=network,
        run_template=run_template,
        learns=learns,
        interruptible=interruptible,
        elastic=elastic,
    )


def role_spec(name="", *, size=2, most=None, request=ONE_CPU, template=None, pieces=None, claims=(), load=Load.EQUAL):
    """Describe one role of a gang; its load is ``load``, or of ``pieces``."""
    return RoleSpec(
        name=name,
        path=f"roles[{name}].template" if name else "template",
        sizes=Sizes(minimum=size, maximum=most or size),
        request=request,
        constraints=Constraints(),
        claims=claims,
        template=PodTemplate.of(template or {"spec": {"containers": [{"name": "main", "image": "work:1"}]}}),
        load=load if pieces is None else Load.PIECES,
        pieces=pieces,
    )


def needs(*, selector=(), affinity=None, tolerations=(), claims=(), **request):
    """Describe what a member asks of its node; ``request`` in base units."""
    constraints = Constraints(node_selector=selector, affinity=affinity, tolerations=tolerations)
    return Needs(tuple(sorted(request.items())), constraints, tuple(claims))


def gang_fact(
    name="g",
    *,
    uid=None,
    version="1",
    generation=1,
    created=0.0,
    deleting=False,
    spec=None,
    policies=None,
    status=None,
):
    """Describe a gang that is accepted."""
    return AcceptedGang(
        key=GangKey(DEFAULT, name),
        uid=uid or f"uid-of-{name}",
        resource_version=version,
        generation=generation,
        created=created,
        is_deleting=deleting,
        spec=spec or gang_spec(),
        policies=policies or Policies(),
        status=status or GangStatus(),
    )


def pod_fact(
    name="p",
    *,
    node="",
    phase=PodPhase.PENDING,
    request=ONE_CPU,
    member=None,
    deleting=False,
    outcome=None,
    because="",
    uid=None,
    lasting=False,
    labels=(),
    anti_affinity_terms=(),
    claims=(),
    nominated="",
    priority=0,
    end=None,
    progress="",
    gone_by=None,
    **more,
):
    """Describe a pod, maybe a ``member``; without an outcome it has the one that phase and deletion say alone."""
    return PodFact(
        key=PodKey(DEFAULT, name),
        uid=uid or f"uid-of-{name}",
        node=node,
        phase=phase,
        request=request,
        member=member,
        is_deleting=deleting,
        outcome=outcome or _outcome_by_itself(phase, deleting=deleting),
        ended_because=because,
        lasting=lasting,
        labels=tuple(sorted(dict(labels).items())),
        anti_affinity_terms=anti_affinity_terms,
        claims=claims,
        nominated=nominated,
        priority=priority,
        end=end,
        progress=progress,
        gone_by=gone_by,
        **more,
    )


def _outcome_by_itself(phase, *, deleting):
    if phase in (PodPhase.SUCCEEDED, PodPhase.FAILED):
        return PodOutcome(phase)
    return PodOutcome.DELETED if deleting else PodOutcome.GOING


def member_fact(gang="g", *, attempt=1, rank=0, **more):
    """Describe a member of that gang's attempt; ``more`` goes to ``pod_fact``."""
    membership = Membership(GangKey(DEFAULT, gang), f"uid-of-{gang}", attempt, rank)
    return pod_fact(pod_name(gang, attempt, rank), member=membership, **more)


def reservation(gang="g", *, attempt=1, members=(("n1", 1), ("n2", 1)), request=ONE_CPU, start=0.0, finish=None):
    """Describe what an attempt holds; ``members`` are (node, size), or as many fields more as are given."""
    return Reservation(
        gang=GangKey(DEFAULT, gang),
        gang_uid=f"uid-of-{gang}",
        attempt=attempt,
        members=tuple(Members(*entry) for entry in members),
        requests={"": request},
        start=start,
        expected_finish=finish,
    )


def take_changed(state):
    """Take the changed gangs of that state, as if they were reconciled now."""
    changed = set(state.changes.gangs)
    for gang in changed:
        state.changes.reconciling(gang)
    return changed


def start_estimate(likely_start, **more):
    """Describe the start estimate of a waiting gang of two, first made at time 0."""
    fields = {
        "likely_start": likely_start,
        "late_start": None,
        "promised_start": None,
        "expected_finish": None,
        "size": 2,
        "kinds": (),
        "position": 1,
        "waits_for": "",
        "changed_at": 0.0,
        "changed_because": PlanChange.FIRST_PLANNED,
    }
    return StartEstimate(**{**fields, **more})
