"""What a tenant can make of a template: what admission lets them make of a pod, and nothing more."""

import copy

import pytest
import yaml

from builders.manifests import gang, member_container
from controlplane.test_sweeps import KIND, RIGHTS
from docs.markdown import ROOT, fences
from eventually import eventually
from sandbox import KubectlError

pytestmark = pytest.mark.usefixtures("operator")

POLICIES = [
    list(yaml.safe_load_all(fence.text)) for fence in fences(ROOT / "docs" / "security.md") if fence.language == "yaml"
]
VAULT = {"serviceAccountName": "vault"}
RESTRICTED = {
    "allowPrivilegeEscalation": False,
    "runAsNonRoot": True,
    "capabilities": {"drop": ["ALL"]},
    "seccompProfile": {"type": "RuntimeDefault"},
}


class Tenant:
    """An account of the arena's namespace with the rights of ``edit`` in it. It asks as itself, by kubectl."""

    def __init__(self, arena, *options):
        self._arena = arena
        self._options = options
        self.name = f"system:serviceaccount:{arena.namespace}:tenant"

    def create(self, manifest, *options):
        """Create an object; returns the API server's sentence where it is refused, else nothing."""
        try:
            self._kubectl("create", "--filename=-", *options, stdin=yaml.safe_dump(manifest))
        except KubectlError as error:
            return str(error)
        return ""

    def may(self, verb, resource, *more):
        try:
            return self._kubectl("auth", "can-i", verb, resource, *more).strip() == "yes"
        except KubectlError:
            return False

    def _kubectl(self, *arguments, **more):
        who = (f"--namespace={self._arena.namespace}", f"--as={self.name}", *self._options)
        return self._arena.api.kubectl(*who, *arguments, **more)


@pytest.fixture
def tenant(arena):
    """A tenant who may create GangJobs by now."""
    for account in ("tenant", "vault"):
        arena.api.request("POST", f"{arena.core}/serviceaccounts", {"metadata": {"name": account}})
    binding = {
        "metadata": {"name": "tenant"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "edit"},
        "subjects": [{"kind": "ServiceAccount", "name": "tenant", "namespace": arena.namespace}],
    }
    rights = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{arena.namespace}/rolebindings"
    arena.api.request("POST", rights, binding)
    tenant = Tenant(arena)
    eventually(lambda: tenant.may("create", "gangjobs.lockstep.dev"))
    return tenant


@pytest.fixture
def restricted(arena):
    """Has Pod Security enforce its strictest level in the arena's namespace."""
    labels = {"pod-security.kubernetes.io/enforce": "restricted"}
    arena.api.request("PATCH", f"/api/v1/namespaces/{arena.namespace}", {"metadata": {"labels": labels}})


@pytest.fixture
def policy(arena):
    """Binds a policy to the arena's namespace, and waits until it refuses a manifest; lifts it after the test."""
    applied = []

    def apply(documents, tenant, to_be_refused):
        documents = copy.deepcopy(documents)
        selector = {"matchLabels": {"kubernetes.io/metadata.name": arena.namespace}}
        documents[1]["spec"]["matchResources"] = {"namespaceSelector": selector}
        applied.extend(documents)
        arena.api.apply(documents)
        eventually(lambda: "denied request: " in tenant.create(to_be_refused, "--dry-run=server"))

    yield apply
    arena.api.kubectl("delete", "--filename=-", stdin=yaml.safe_dump_all(applied))


def own_pod(**spec):
    """A pod as the tenant would create it beside the gang."""
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "own"}, "spec": pod_spec(**spec)}


def pod_spec(**spec):
    return {"containers": [member_container()], **spec}


FORBIDDEN_BY_POD_SECURITY = [
    pytest.param({"containers": [member_container(more={"securityContext": {"privileged": True}})]}, id="privileged"),
    pytest.param({"volumes": [{"name": "root", "hostPath": {"path": "/"}}]}, id="a host path"),
    pytest.param({"hostNetwork": True}, id="the host's network"),
    pytest.param({"securityContext": {"runAsUser": 0}}, id="root"),
]


@pytest.mark.usefixtures("restricted")
@pytest.mark.parametrize("spec", FORBIDDEN_BY_POD_SECURITY)
def test_pod_security_refuses_a_gang_in_the_words_in_which_it_refuses_a_pod(arena, tenant, spec):
    arena.add_nodes(1)
    to_pod = tenant.create(own_pod(**spec))
    assert 'violates PodSecurity "restricted:latest": ' in to_pod

    assert not tenant.create(gang("heat", pod=spec))

    refused = arena.until("heat", "Accepted", "False", "TemplateRefused")
    assert after(to_pod, "violates PodSecurity").strip() in refused["message"]
    assert arena.pods("heat") == []


@pytest.mark.usefixtures("restricted")
def test_gang_that_pod_security_lets_pass_is_placed(arena, tenant):
    arena.add_nodes(1)

    assert not tenant.create(gang("heat", container={"securityContext": RESTRICTED}))

    arena.until_placed("heat")


@pytest.mark.parametrize(
    ("spec", "expression"),
    [
        pytest.param(
            {"volumes": [{"name": "logs", "hostPath": {"path": "/var/log"}}]},
            "!object.spec.?volumes.orValue([]).exists(volume, has(volume.hostPath))",
            id="a host path",
        ),
        pytest.param(VAULT, "object.spec.?serviceAccountName.orValue('') != 'vault'", id="a service account"),
        pytest.param({"nodeSelector": {"pool": "vip"}}, "!has(object.spec.nodeSelector)", id="chosen nodes"),
    ],
)
def test_policy_about_pods_refuses_a_gang_as_it_refuses_a_pod(arena, tenant, policy, spec, expression):
    arena.add_nodes(1)
    policy(denying(f"{arena.namespace}-pods", expression), tenant, own_pod(**spec))
    assert "denied request: not for tenants" in tenant.create(own_pod(**spec))

    assert not tenant.create(gang("heat", pod=spec))

    refused = arena.until("heat", "Accepted", "False", "TemplateRefused")
    assert "denied request: not for tenants" in refused["message"]
    assert arena.pods("heat") == []


def test_policy_about_who_creates_a_pod_does_not_see_the_tenant_behind_a_gang(arena, tenant, policy):
    arena.add_nodes(1)
    expression = f"request.userInfo.username != '{tenant.name}'"
    policy(denying(f"{arena.namespace}-who", expression), tenant, own_pod())

    assert not tenant.create(gang("heat", pod=VAULT))

    arena.until_placed("heat")


def test_policy_of_the_documentation_sees_the_tenant_who_submits_a_gang(arena, tenant, policy):
    arena.add_nodes(1)
    [documents] = [one for one in POLICIES if one[0]["kind"].startswith("ValidatingAdmissionPolicy")]
    policy(documents, tenant, own_pod(**VAULT))

    for refused in (tenant.create(own_pod(**VAULT)), tenant.create(gang("heat", pod=VAULT))):
        assert "denied request: only deployers may use the service account vault" in refused
    assert not tenant.create(gang("plain"))
    arena.until_placed("plain")
    # Who is in the group may, and the operator may create the members.
    deployer = Tenant(arena, "--as-group=deployers")
    assert not deployer.create(gang("deployed", pod=VAULT))
    arena.until_placed("deployed")


@pytest.fixture
def sweeper(installed, tenant):
    """A tenant who may create GangSweeps too."""
    installed.apply(KIND)
    installed.apply(RIGHTS)
    eventually(lambda: tenant.may("create", "gangsweeps.lockstep.dev"))
    yield tenant
    installed.kubectl("delete", f"--filename={RIGHTS}")


def test_policy_of_the_documentation_judges_the_template_of_a_sweep_as_that_of_a_gang(sweeper, policy):
    [documents] = [one for one in POLICIES if one[0]["kind"].startswith("ValidatingAdmissionPolicy")]
    policy(documents, sweeper, own_pod(**VAULT))

    assert "only deployers may use the service account vault" in sweeper.create(sweep_of(gang("heat", pod=VAULT)))
    assert not sweeper.create(sweep_of(gang("plain")), "--dry-run=server")


def sweep_of(manifest):
    """A sweep whose runs are as that gang."""
    spec = {"runs": 2, "template": manifest["spec"]}
    return {"apiVersion": manifest["apiVersion"], "kind": "GangSweep", "metadata": {"name": "s"}, "spec": spec}


@pytest.mark.parametrize(
    ("verb", "resource"),
    [
        pytest.param("patch", "gangjobs.lockstep.dev/status", id="say what the operator has done"),
        pytest.param("update", "gangjobs.lockstep.dev/status", id="say it as a whole"),
        pytest.param("create", "nodebids.lockstep.dev", id="offer nodes"),
        pytest.param("create", "pods/binding", id="bind a pod by themselves"),
    ],
)
def test_tenant_may_not(tenant, verb, resource):
    kind, _, subresource = resource.partition("/")
    assert not tenant.may(verb, kind, f"--subresource={subresource}")


def denying(name, expression):
    """A policy about pods with that rule, and its binding."""
    pods = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}
    group = {"apiVersion": "admissionregistration.k8s.io/v1", "metadata": {"name": name}}
    rule = {
        "matchConstraints": {"resourceRules": [pods]},
        "validations": [{"expression": expression, "message": "not for tenants"}],
    }
    return [
        {**group, "kind": "ValidatingAdmissionPolicy", "spec": rule},
        {
            **group,
            "kind": "ValidatingAdmissionPolicyBinding",
            "spec": {"policyName": name, "validationActions": ["Deny"]},
        },
    ]


def after(text, words):
    return text.partition(words)[2]
