"""Thousands of mutated objects through parsing, belief, snapshot and plan: none costs another anything."""

import random

import pytest

from builders.mutations import mutated
from builders.served import at, bid, budget, container, gang, node, owned_by, pod, priority_class
from coschedule import GangKey, Placement, plan, preempt
from lockstep.api.gangjob.gangjob import status_manifest
from lockstep.belief.state import State
from lockstep.facts.gang.status import GangStatus
from lockstep.report.status.conditions import mark_refused
from lockstep.snapshot.snapshots import SnapshotCutter
from lockstep.snapshot.wanted import PlanTerms
from lockstep.watch.kinds import bids_kind, gangs_kind
from lockstep.watch.kubernetes_kinds import (
    attachments_kind,
    budgets_kind,
    capacities_kind,
    claims_kind,
    csi_drivers_kind,
    csi_nodes_kind,
    namespaces_kind,
    nodes_kind,
    pods_kind,
    priority_classes_kind,
    quotas_kind,
    storage_classes_kind,
    volumes_kind,
)

NOW = 1_800_000_000.0
OBJECTS = 250
TERM = {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}], "matchFields": []}
RESOURCES = {"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"cpu": "2", "memory": "2Gi"}}

APART = {
    "topologyKey": "kubernetes.io/hostname",
    "labelSelector": {"matchLabels": {"a": "b"}, "matchExpressions": TERM["matchExpressions"]},
    "namespaceSelector": {"matchLabels": {"a": "b"}},
    "namespaces": ["default"],
}
TEMPLATE = {
    "initContainers": [container("init", requests={"cpu": "1"}, restartPolicy="Always")],
    "containers": [container(requests={"cpu": "1"}, limits={"cpu": "2"}, ports=[{"hostPort": 80, "protocol": "TCP"}])],
    "nodeSelector": {"zone": "a"},
    "tolerations": [{"key": "k", "operator": "Exists", "effect": "NoSchedule"}],
    "affinity": {
        "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [TERM]}},
        "podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{**APART, "matchLabelKeys": ["a"]}]},
        "podAntiAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [{**APART, "mismatchLabelKeys": ["b"]}],
            "preferredDuringSchedulingIgnoredDuringExecution": [],
        },
    },
    "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}],
    "overhead": {"cpu": "100m"},
    "resources": RESOURCES,
    "priorityClassName": "p",
}
FOREIGN = {
    **TEMPLATE,
    "affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [APART]}},
    "volumes": [
        {"name": "v", "persistentVolumeClaim": {"claimName": "c"}},
        {"name": "i", "iscsi": {"targetPortal": "1.2.3.4", "iqn": "iqn", "lun": 0}},
        {"name": "r", "rbd": {"monitors": ["m"], "pool": "p", "image": "i"}},
        {"name": "g", "gcePersistentDisk": {"pdName": "d"}},
    ],
    "priority": 5,
}
PLACEMENT = {"onePer": "kubernetes.io/hostname", "allIn": "zone"}
WORK = {"serialTime": "1h", "overhead": {"fixed": "1s", "perMember": "10ms"}}
PROFILE = {"profile": [{"members": 1, "time": "1h"}, {"members": 4, "time": "20m"}]}
CONDITION = {
    "type": "Accepted",
    "status": "True",
    "reason": "SpecUnderstood",
    "message": "",
    "observedGeneration": 1,
    "lastTransitionTime": at(NOW),
}
STATUS = {
    "conditions": [CONDITION],
    "attempt": 1,
    "size": 2,
    "start": at(NOW - 10),
    "expectedFinish": at(NOW + 100),
    "members": [{"node": "n1", "count": 1, "share": "0.5"}, {"node": "n2", "count": 1, "pieces": 3}],
    "reservedAt": at(NOW - 9),
    "firstPlannedStart": at(NOW - 10),
    "startedAt": at(NOW - 5),
    "queuedSince": at(NOW - 90),
    "waitedSeconds": 60,
}
POD_STATUS = {
    "phase": "Running",
    "nominatedNodeName": "n2",
    "conditions": [{"type": "Ready", "status": "True"}],
    "containerStatuses": [{"name": "main", "allocatedResources": {"cpu": "1"}, "resources": RESOURCES, "state": {}}],
}
CLAIM = {
    "metadata": {"name": "c"},
    "spec": {
        "accessModes": ["ReadWriteMany"],
        "storageClassName": "v",
        "resources": {"requests": {"storage": "1Gi"}},
        "selector": {"matchExpressions": TERM["matchExpressions"]},
    },
}
UNBOUND = {"volumes": [{"name": "e", "ephemeral": {"volumeClaimTemplate": {"spec": CLAIM["spec"]}}}]}
NODE_TAINT = {"key": "k", "value": "v", "effect": "NoSchedule"}
AFFINITY_OF_VOLUME = {"nodeAffinity": {"required": {"nodeSelectorTerms": [TERM]}}}

BASES = (
    (nodes_kind, lambda name: node(name, labels={"zone": "a"}, taints=[NODE_TAINT])),
    (pods_kind, lambda name: pod(name, node="n1", spec=FOREIGN, status=POD_STATUS)),
    (pods_kind, lambda name: pod(name, node="n2", spec=TEMPLATE, status=POD_STATUS, **owned_by("g"))),
    (
        gangs_kind,
        lambda name: gang(
            name, size=2, most=4, pod_spec=TEMPLATE, spec={"work": WORK, "deadline": "1h", "placement": PLACEMENT}
        ),
    ),
    (gangs_kind, lambda name: gang(name, most=9, pod_spec={**TEMPLATE, "volumes": []}, spec={"load": "Proportional"})),
    (gangs_kind, lambda name: gang(name, size=2, most=4, spec={"work": PROFILE}, status=STATUS)),
    (gangs_kind, lambda name: gang(name, pod_spec=UNBOUND, spec={"volumeClaimTemplates": [CLAIM]})),
    (gangs_kind, lambda name: gang(name, spec={"volumeClaimTemplates": [CLAIM]})),
    (
        claims_kind,
        lambda name: {
            "metadata": {
                "namespace": "default",
                "name": "c-odd-1-0",
                "resourceVersion": "1",
                "annotations": {"volume.kubernetes.io/selected-node": "n1"},
                "ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u", "controller": True}],
            },
            "spec": CLAIM["spec"],
        },
    ),
    (
        storage_classes_kind,
        lambda name: {
            "metadata": {
                "name": "v",
                "resourceVersion": "1",
                "creationTimestamp": at(NOW),
                "annotations": {"storageclass.kubernetes.io/is-default-class": "true"},
            },
            "provisioner": "d",
            "volumeBindingMode": "WaitForFirstConsumer",
            "allowedTopologies": [{"matchLabelExpressions": [{"key": "zone", "values": ["a"]}]}],
        },
    ),
    (
        csi_drivers_kind,
        lambda name: {"metadata": {"name": "d", "resourceVersion": "1"}, "spec": {"storageCapacity": True}},
    ),
    (
        capacities_kind,
        lambda name: {
            "metadata": {"namespace": "default", "name": name, "resourceVersion": "1"},
            "storageClassName": "v",
            "capacity": "10Gi",
            "maximumVolumeSize": "1Gi",
            "nodeTopology": {"matchLabels": {"zone": "a"}, "matchExpressions": TERM["matchExpressions"]},
        },
    ),
    (gangs_kind, lambda name: gang(name, size=2, spec={"work": WORK, "load": "Pieces", "pieces": 8}, status=STATUS)),
    (bids_kind, lambda name: bid(name, dutyCycle="250m", capacity="2", slots=3, availableUntil=at(NOW + 1e6))),
    (priority_classes_kind, lambda name: priority_class(name, 100, is_default=True)),
    (
        quotas_kind,
        lambda name: {
            "metadata": {"namespace": "default", "name": name, "resourceVersion": "1"},
            "spec": {
                "scopes": ["NotBestEffort"],
                "scopeSelector": {
                    "matchExpressions": [{"scopeName": "PriorityClass", "operator": "In", "values": ["a"]}]
                },
            },
            "status": {"hard": {"pods": "3", "limits.cpu": "2500m"}, "used": {"pods": "1", "limits.cpu": "0"}},
        },
    ),
    (budgets_kind, lambda name: budget(name, allowed=3, selector=APART["labelSelector"])),
    (
        claims_kind,
        lambda name: {
            "metadata": {"namespace": "default", "name": name, "resourceVersion": "1"},
            "spec": {"volumeName": "v", "accessModes": ["ReadWriteMany"]},
            "status": {"phase": "Bound"},
        },
    ),
    (namespaces_kind, lambda name: {"metadata": {"name": name, "resourceVersion": "1", "labels": {"a": "b"}}}),
    (
        csi_nodes_kind,
        lambda name: {
            "metadata": {"name": name, "resourceVersion": "1"},
            "spec": {"drivers": [{"name": "d", "allocatable": {"count": 3}, "nodeID": "n1", "topologyKeys": []}]},
        },
    ),
    (
        attachments_kind,
        lambda name: {
            "metadata": {"name": name, "resourceVersion": "1"},
            "spec": {"attacher": "d", "nodeName": "n1", "source": {"persistentVolumeName": "v"}},
        },
    ),
    (
        volumes_kind,
        lambda name: {
            "metadata": {"name": name, "resourceVersion": "1", "labels": {}},
            "spec": {
                **AFFINITY_OF_VOLUME,
                "storageClassName": "v",
                "capacity": {"storage": "2Gi"},
                "accessModes": ["ReadWriteOnce", "ReadWriteMany"],
                "claimRef": {"namespace": "default", "name": "c-odd-1-0"},
            },
            "status": {"phase": "Available"},
        },
    ),
)


def poison(rnd, state, number):
    """Accept one mutated object."""
    make_kind, make = rnd.choice(BASES)
    # Some stand where others look: the node, the claim and the class that templates name.
    name = rnd.choice((f"odd-{number}", f"odd-{number}", "odd-node", "c", "p", "v"))
    manifest = mutated(rnd, make(name))
    if make_kind is not gangs_kind or sizes_are_legal(manifest.get("spec", {})):
        make_kind(state).accept(manifest)


def sizes_are_legal(spec):
    """Whether the API server lets these numbers through: on them a plan's arrays depend."""
    size = spec.get("size", {})
    members = [point.get("members", 1) for point in spec.get("work", {}).get("profile", ())]
    return (
        1 <= size.get("min", 1) <= size.get("max", 10_000) <= 10_000
        and all(1 <= number <= 10_000 for number in members)
        and 1 <= spec.get("pieces", 1) <= 1_000_000
    )


@pytest.mark.parametrize("seed", range(10))
def test_gang_beside_any_objects_is_placed(seed):
    rnd = random.Random(seed)  # noqa: S311 - cases of a test are no secrets
    counted = []
    state = State(lambda: None, count_parse_failure=counted.append)
    cutter = SnapshotCutter(state)
    nodes_kind(state).accept(node("healthy", cpu="10000", memory="1Pi", pods="1000000", labels={"only": "good"}))
    gangs_kind(state).accept(gang("good", pod_spec={"nodeSelector": {"only": "good"}}))
    for number in range(OBJECTS):
        poison(rnd, state, number)
        state.bids.expire(NOW)
        if number % 25 == 24:
            assert_good_gang_is_placed(state, cutter)
    assert len(counted) >= 20


def assert_good_gang_is_placed(state, cutter):
    waiting = [it for it in state.gangs.values() if state.refusal_of(it) is None]
    waiting = [it for it in waiting if it.key not in state.reservations]
    snapshot = cutter.cut(NOW, waiting, terms={it.key: PlanTerms(may_preempt=True) for it in waiting})
    made = preempt(snapshot, plan(snapshot)).plan
    [decision] = [one for one in made.decisions if one.gang == GangKey("default", "good")]

    assert isinstance(decision, Placement)
    assert [members.node for members in decision.members] == ["healthy"]
    for fact in state.gangs.values():
        if fact.refusal is not None:
            status_manifest(mark_refused(fact, fact.refusal, now=NOW))
        assert isinstance(fact.status, GangStatus)
