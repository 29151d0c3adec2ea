"""Pod templates by what an API server says to a Job that has one, for comparing GangJobs with Jobs.

``MAY``: a Job may have it. ``MAY_NOT``: a Job may not, and what the API server says about it, in part.
"""

from typing import Any, NamedTuple

Manifest = dict[str, Any]

MAIN: Manifest = {"name": "main", "image": "registry.k8s.io/pause:3.10"}


class Refused(NamedTuple):
    """A template and a part of the API server's sentence about it."""

    template: Manifest
    because: str


def template(metadata: Manifest | None = None, **pod: Any) -> Manifest:
    """A template whose pod has these fields, and a container if they name none."""
    return {"metadata": metadata or {}, "spec": {"containers": [MAIN], **pod}}


def main(**fields: Any) -> Manifest:
    """A template whose container has these fields."""
    return template(containers=[{**MAIN, **fields}])


def needs(requests: Manifest | None = None, limits: Manifest | None = None) -> Manifest:
    """A template whose container has these requests and limits."""
    given = {"requests": requests, "limits": limits}
    return main(resources={key: value for key, value in given.items() if value is not None})


def mounts(*paths: str) -> Manifest:
    """A template whose container mounts one volume at these paths."""
    mounted = [{"name": "data", "mountPath": path} for path in paths]
    return template(containers=[{**MAIN, "volumeMounts": mounted}], volumes=[{"name": "data", "emptyDir": {}}])


def tolerates(**toleration: Any) -> Manifest:
    """A template with that toleration."""
    return template(tolerations=[toleration])


def on_nodes(**term: Any) -> Manifest:
    """A template whose nodes have to match that term."""
    required = {"nodeSelectorTerms": [term] if term else []}
    return template(affinity={"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}})


MAY: dict[str, Manifest] = {
    "a fraction of a cpu": needs({"cpu": 0.5}, {"cpu": 1.5, "memory": 1e9}),
    "a whole number as a fraction": needs({"cpu": 1.0}),
    "quantities with spaces, signs and exponents": needs({"cpu": " 1 ", "memory": "+1e9"}, {"cpu": "5."}),
    "nothing as a quantity": needs({"cpu": None}),
    "a fraction as a size": template(volumes=[{"name": "data", "emptyDir": {"sizeLimit": 0.5}}]),
    "a name": template({"name": "mine", "generateName": "mine-", "namespace": "mine"}),
    "no creation time": template({"creationTimestamp": None}),
    "a creation time": template({"creationTimestamp": "2026-11-20T18:00:00Z"}),
    "nothing where something may be": template({"labels": None, "annotations": None}, nodeSelector=None),
    "a variable twice": main(env=[{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]),
    "a port twice": main(ports=[{"containerPort": 80, "name": "a"}, {"containerPort": 80, "name": "b"}]),
    "a pull secret twice": template(imagePullSecrets=[{"name": "a"}, {"name": "a"}]),
    "an address twice": template(hostAliases=[{"ip": "10.0.0.1", "hostnames": [name]} for name in "ab"]),
    "a privileged container": main(securityContext={"privileged": True}),
    "empty choices": template(
        containers=[
            {
                **MAIN,
                "imagePullPolicy": "",
                "terminationMessagePolicy": "",
                "ports": [{"containerPort": 80, "protocol": ""}],
            }
        ],
        dnsPolicy="",
        hostname="",
        tolerations=[{"key": "", "operator": "Exists", "effect": ""}, {"key": "a", "operator": "", "value": "b"}],
    ),
    "an end before it has begun": template(terminationGracePeriodSeconds=-1),
    "250 labels": template({"labels": {f"k{number}": "v" for number in range(250)}}),
    "200,000 letters of annotations": template({"annotations": {"a": "x" * 200_000}}),
    "1,000 variables": main(env=[{"name": f"A{number}", "value": "1"} for number in range(1_000)]),
    "1,000 arguments": main(args=["a"] * 1_000),
    "an argument as long as Linux takes it": main(args=["a" * 131_071]),
    "a variable with a long name": main(env=[{"name": "A" * 300, "value": "a" * 131_000}]),
    "100 tolerations": template(tolerations=[{"key": f"k{number}", "operator": "Exists"} for number in range(100)]),
    "50 containers": template(containers=[{**MAIN, "name": f"c{number}"} for number in range(50)]),
    "250 volumes": template(volumes=[{"name": f"c{number}", "emptyDir": {}} for number in range(250)]),
    "250 labels of nodes": template(nodeSelector={f"k{number}": "v" for number in range(250)}),
    "an affinity to 1,000 values": on_nodes(
        matchExpressions=[{"key": "a", "operator": "In", "values": [f"v{number}" for number in range(1_000)]}]
    ),
    "a GPU": needs(limits={"nvidia.com/gpu": 1}),
}

SCHEMA_REFUSES: dict[str, Refused] = {
    "a negative request": Refused(needs({"cpu": -1}), "must be greater than or equal to 0"),
    "a negative request in words": Refused(needs({"cpu": "-1"}), "must be greater than or equal to 0"),
    "a word as a quantity": Refused(needs({"cpu": "half"}), "quantities must match"),
    "a truth as a quantity": Refused(needs({"cpu": True}), "quantities must match"),
    "an object as a quantity": Refused(needs({"cpu": {}}), "quantities must match"),
    "a list as a quantity": Refused(needs({"cpu": []}), "quantities must match"),
    "no image": Refused(template(containers=[{"name": "main"}]), "image: Required value"),
    "an empty image": Refused(main(image=""), "image: Required value"),
    "no container": Refused(template(containers=[]), "containers: Required value"),
    "a container's name in capitals": Refused(main(name="Main"), "RFC 1123 label"),
    "a container's name of 64 letters": Refused(main(name="a" * 64), "must be no more than 63"),
    "a container twice": Refused(template(containers=[MAIN, MAIN]), "Duplicate value"),
    "a volume twice": Refused(template(volumes=[{"name": "a", "emptyDir": {}}] * 2), "Duplicate value"),
    "a mount twice": Refused(mounts("/a", "/a"), "must be unique"),
    "a volume's name in capitals": Refused(template(volumes=[{"name": "A", "emptyDir": {}}]), "RFC 1123 label"),
    "a host's name in capitals": Refused(template(hostname="A_B"), "RFC 1123 label"),
    "a value of a toleration that needs none": Refused(
        tolerates(key="a", operator="Exists", value="b"), "value must be empty when `operator` is 'Exists'"
    ),
    "a toleration of no key": Refused(tolerates(value="b"), "operator must be Exists when `key` is empty"),
    "an unknown operator of a toleration": Refused(tolerates(key="a", operator="Maybe"), "Unsupported value"),
    "an unknown effect of a toleration": Refused(tolerates(key="a", effect="Maybe"), "Unsupported value"),
    "seconds of a toleration that has no use for them": Refused(
        tolerates(key="a", operator="Exists", effect="NoSchedule", tolerationSeconds=5), "effect must be 'NoExecute'"
    ),
    "an unknown pull policy": Refused(main(imagePullPolicy="Sometimes"), "Unsupported value"),
    "no time to run": Refused(template(activeDeadlineSeconds=0), "must be between 1 and 2147483647"),
    "a user that cannot be": Refused(template(securityContext={"runAsUser": 2**31}), "must be between 0 and"),
    "a port that cannot be": Refused(main(ports=[{"containerPort": 70_000}]), "must be between 1 and 65535"),
}

ADMISSION_REFUSES: dict[str, Refused] = {
    "a GPU request without a limit": Refused(needs({"nvidia.com/gpu": 1}), "Limit must be set"),
    "a GPU request unlike its limit": Refused(
        needs({"nvidia.com/gpu": 1}, {"nvidia.com/gpu": 2}), "must be equal to nvidia.com/gpu limit of 2"
    ),
    "half a GPU": Refused(needs(limits={"nvidia.com/gpu": "0.5"}), "must be an integer"),
    "a resource without a domain": Refused(needs({"gpu": 1}), "must be a standard resource type or fully qualified"),
    "pods as a resource": Refused(needs({"pods": 1}), "must be a standard resource for containers"),
    "a resource with a bad name": Refused(needs({"Foo Bar": 1}), "name part must consist of"),
    "requests above limits": Refused(needs({"cpu": 2}, {"cpu": 1}), "must be less than or equal to cpu limit of 1"),
    "huge pages alone": Refused(needs(limits={"hugepages-2Mi": "2Mi"}), "HugePages require cpu or memory"),
    "part of a huge page": Refused(
        needs(limits={"hugepages-2Mi": "3Mi", "cpu": 1}), "is not positive integer multiple"
    ),
    "a bad key of a toleration": Refused(tolerates(key="a b", operator="Exists"), "name part must consist of"),
    "a bad value of a toleration": Refused(tolerates(key="a", value="b c"), "a valid label must be"),
    "a bad key of a node's label": Refused(template(nodeSelector={"a b": "c"}), "name part must consist of"),
    "a bad value of a node's label": Refused(template(nodeSelector={"a": "b c"}), "a valid label must be"),
    "a bad label": Refused(template({"labels": {"a": "b c"}}), "a valid label must be"),
    "a bad annotation": Refused(template({"annotations": {"a b": "c"}}), "name part must consist of"),
    "an affinity without terms": Refused(on_nodes(), "must have at least one node selector term"),
    "an affinity to no value": Refused(
        on_nodes(matchExpressions=[{"key": "a", "operator": "In", "values": []}]), "must be specified when"
    ),
    "an affinity to a label with a value too many": Refused(
        on_nodes(matchExpressions=[{"key": "a", "operator": "Exists", "values": ["b"]}]), "may not be specified when"
    ),
    "an affinity to an unknown field": Refused(
        on_nodes(matchFields=[{"key": "metadata.namespace", "operator": "In", "values": ["b"]}]),
        "not a valid field selector key",
    ),
    "a variable without a name": Refused(main(env=[{"name": "", "value": "1"}]), "name: Required value"),
    "a variable from nowhere": Refused(main(env=[{"name": "A", "valueFrom": {}}]), "must specify one of"),
    "a port's name in capitals": Refused(main(ports=[{"containerPort": 80, "name": "A_B"}]), "alpha-numeric"),
    "a port's name twice": Refused(
        main(ports=[{"containerPort": number, "name": "a"} for number in (80, 81)]), "Duplicate value"
    ),
    "a host port twice": Refused(
        main(ports=[{"containerPort": number, "hostPort": 80} for number in (80, 81)]), "Duplicate value"
    ),
    "a mount of no volume": Refused(main(volumeMounts=[{"name": "data", "mountPath": "/a"}]), "Not found"),
    "a mount nowhere": Refused(mounts(""), "mountPath: Required value"),
    "a volume of two kinds": Refused(
        template(volumes=[{"name": "data", "emptyDir": {}, "hostPath": {"path": "/a"}}]),
        "may not specify more than 1 volume type",
    ),
    "a path upwards": Refused(
        template(volumes=[{"name": "data", "hostPath": {"path": "/a/../b"}}]), "must not contain '..'"
    ),
    "a secret without a name": Refused(
        template(volumes=[{"name": "data", "secret": {}}]), "secretName: Required value"
    ),
    "a probe of nothing": Refused(main(livenessProbe={}), "must specify a handler type"),
    "a probe that wants to succeed twice": Refused(
        main(livenessProbe={"exec": {"command": ["a"]}, "successThreshold": 2}), "must be 1"
    ),
    "DNS of its own without any": Refused(template(dnsPolicy="None"), "must provide `dnsConfig`"),
    "four name servers": Refused(
        template(dnsConfig={"nameservers": ["10.0.0.1"] * 4}), "must not have more than 3 nameservers"
    ),
    "an address that is none": Refused(
        template(hostAliases=[{"ip": "nope", "hostnames": ["a"]}]), "must be a valid IP address"
    ),
    "processes shared twice": Refused(template(hostPID=True, shareProcessNamespace=True), "cannot both be enabled"),
    "a kernel setting twice": Refused(
        template(securityContext={"sysctls": [{"name": "kernel.shm_rmid_forced", "value": "1"}] * 2}), "Duplicate value"
    ),
    "an unknown system": Refused(template(os={"name": "beos"}), "Unsupported value"),
    "a container's name as an init container's": Refused(template(initContainers=[MAIN]), "Duplicate value"),
    "a probe of an init container": Refused(
        template(initContainers=[{**MAIN, "name": "init", "readinessProbe": {"exec": {"command": ["a"]}}}]),
        "may not be set for init containers",
    ),
    "less than its containers need": Refused(
        template(containers=[{**MAIN, "resources": {"requests": {"cpu": "2"}}}], resources={"requests": {"cpu": "1"}}),
        "must be greater than or equal to aggregate container requests of 2",
    ),
}
