"""The priced cluster plans what a tenant has: Gangs and the pods of a Gang are gangs there."""

import pytest

from lockstep.facts.gang.keys import object_name
from tenants.all_shapes import all_shapes
from tenants.begun import BEGUN
from tenants.cluster import Cluster
from tenants.shapes import GROUP, MANY, NAMED, NAMESPACE

TERMS = "member.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"


def planned_with(shape):
    """The Gangs of the tenant that are planned beside the objects of a shape, and how many members each may have."""
    cluster = Cluster()
    for manifest in shape.make():
        cluster.accept(shape.plural, manifest)
    for renew in cluster.renewals():
        renew()
    return {
        object_name(gang.key): sum(role.sizes.maximum for role in gang.spec.roles)
        for gang in cluster.waiting()
        if gang.key.namespace == NAMESPACE and (gang.spec.is_room or gang.key in cluster.state.pod_gangs.objects)
    }


def shape_of(plural, field, name):
    [shape] = [one for one in all_shapes() if one[:3] == (plural, field, name)]
    return shape


@pytest.mark.parametrize(
    ("shape", "want"),
    [
        pytest.param(("gangs", "spec.deadline", "largest"), {f"{NAMED}0": 2}, id="a Gang"),
        pytest.param(("pods", f"{TERMS}.nodeSelectorTerms", "longest entries"), {GROUP: 1}, id="a pod of a Gang"),
        pytest.param(("pods", "member.spec.tolerations", "different entries"), {}, id="a pod beyond bounds"),
        pytest.param(
            ("pods", "member.spec.nodeSelector", "small, of many"), {GROUP: MANY["pods"]}, id="many pods of a Gang"
        ),
        *(
            pytest.param(
                ("pods", f"source.{source}.pods", "small, of many"),
                {f"{source}.{NAMED}": MANY["pods"]},
                id=f"many pods of the source {source}",
            )
            for source in ("job", "jobset", "mpijob", "podgroup", "raycluster", "schedulinggroup", "kueuegroup")
        ),
        pytest.param(
            ("pods", "source.job.owner", "different entries"),
            {f"job.{NAMED}{number}": 1 for number in range(MANY["gangs"])},
            id="pods of many Jobs",
        ),
        pytest.param(
            ("gangs", "begun.spec.later", "different entries"),
            {f"{BEGUN}0/later-pods": 44},
            id="room of a Gang that has begun",
        ),
    ],
)
def test_tenant_has_gangs_that_are_planned(shape, want):
    assert planned_with(shape_of(*shape)) == want
