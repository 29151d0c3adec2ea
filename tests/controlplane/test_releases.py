"""What differs between releases of Kubernetes: the row of this run's release in the table of docs/install.md.

``make test-versions`` runs these tests with each release.
"""

from builders.manifests import gang
from live.releases import HERE, RELEASE

FEATURE = "RestartAllContainersOnContainerExits"
ON_EXIT = {"action": "RestartAllContainers", "exitCodes": {"operator": "In", "values": [3]}}
STARTS_ALL_AGAIN = {"restartPolicy": "Never", "restartPolicyRules": [ON_EXIT]}
POLICIES = "/apis/admissionregistration.k8s.io/v1"
ALLOCATING = "resourceclaims/binding"


def test_server_is_of_the_release_that_this_run_asks_for(control_plane):
    version = control_plane.request("GET", "/version")

    assert f"{version['major']}.{version['minor']}" == RELEASE


def test_gang_whose_members_start_all_containers_again_needs_nodes_that_declare_it(arena, operator):
    [node] = arena.add_nodes(1)
    arena.api.request("PATCH", f"/api/v1/nodes/{node}/status", {"status": {"declaredFeatures": [FEATURE]}})

    arena.submit(gang("heat", size=1, container=STARTS_ALL_AGAIN))

    if HERE.keeps_declared_features:
        arena.until_placed("heat")
    else:
        refused = arena.until("heat", "Placed", "False", "NoNodeFits")
        assert FEATURE in refused["message"]


def test_policies_that_write_users_are_there(control_plane):
    kinds = {one["kind"] for one in control_plane.request("GET", POLICIES)["resources"]}

    assert ("MutatingAdmissionPolicy" in kinds) == HERE.can_write_users


def test_devices_are_given_with_a_right_that_the_operator_does_not_have(installed):
    assert (ALLOCATING in resources_of(installed, "system:kube-scheduler")) == HERE.guards_allocations
    assert not [one for one in resources_of(installed, "lockstep") if one.startswith("resourceclaims")]


def resources_of(api, role):
    """What a role is about."""
    rules = api.request("GET", f"/apis/rbac.authorization.k8s.io/v1/clusterroles/{role}")["rules"]
    return {resource for rule in rules for resource in rule.get("resources", ())}
