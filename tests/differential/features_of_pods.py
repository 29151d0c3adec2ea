"""What takes room, in others' pods and in the template: the same for both."""

from random import Random

from differential.draft import Draft, Feature, Manifest, container

AMOUNTS = (
    ("cpu", ("0", "100m", "400m", "1", "1500m", "3500m")),
    ("memory", ("100Mi", "700Mi", "1G", "7Gi")),
    ("ephemeral-storage", ("100Mi", "1Gi")),
    ("example.com/gpu", ("1", "2")),
    ("lockstep.dev/slots", ("1", "2")),
    ("hugepages-2Mi", ("2Mi", "4Mi")),
)
# What can't be overcommitted must have a limit that equals its request.
OVERCOMMITTED = ("cpu", "memory", "ephemeral-storage")
OF_THE_WHOLE = ("cpu", "memory", "hugepages-2Mi")
# Of what only one pod may have, both have some at most times.
WHOSE = (("template",), ("other",), ("template", "other"), ("template", "other"))
ADDRESSES = ("", "0.0.0.0", "10.0.0.1", "10.0.0.2")  # noqa: S104 - nothing listens there


def on_whom(rnd: Random) -> tuple[str, bool]:
    """Whose pod a feature is about: another's, or the template's."""
    is_other = rnd.random() < 0.4
    return ("another's pod" if is_other else "the template"), is_other


def spec_to_change(draft: Draft, *, is_other: bool) -> Manifest:
    """The template's pod spec, or that of a pod which is added to the node."""
    spec: Manifest = draft.add_pod()["spec"] if is_other else draft.spec
    return spec


def asked(rnd: Random) -> Manifest:
    """Resources of a container: a request, a limit, or both."""
    name, amounts = rnd.choice(AMOUNTS)
    amount, kind = rnd.choice(amounts), rnd.choice(("requests", "limits", "both"))
    if name not in OVERCOMMITTED or kind == "both":
        return {"requests": {name: amount}, "limits": {name: amount}}
    return {kind: {name: amount}}


def merge_resources(holder: Manifest, resources: Manifest) -> None:
    """Ask for these too."""
    for kind, amounts in resources.items():
        holder.setdefault("resources", {}).setdefault(kind, {}).update(amounts)


def container_asks(rnd: Random) -> Feature:
    """The first container's resources."""
    (whose, is_other), resources = on_whom(rnd), asked(rnd)

    def apply(draft: Draft) -> None:
        merge_resources(spec_to_change(draft, is_other=is_other)["containers"][0], resources)

    return Feature(f"{whose}: its container has {resources}", apply)


def another_container(rnd: Random) -> Feature:
    """A second container, an init container or a sidecar."""
    (whose, is_other), resources, kind = on_whom(rnd), asked(rnd), rnd.choice(("container", "init", "sidecar"))

    def apply(draft: Draft) -> None:
        spec = spec_to_change(draft, is_other=is_other)
        containers = spec.setdefault("containers" if kind == "container" else "initContainers", [])
        more = {"restartPolicy": "Always"} if kind == "sidecar" else {}
        containers.append(container(f"{kind}-{len(containers)}", resources=resources, **more))

    return Feature(f"{whose}: one more {kind} with {resources}", apply)


def whole_asks(rnd: Random) -> Feature:
    """Resources of the pod as a whole."""
    whose, is_other = on_whom(rnd)
    name, amounts = rnd.choice([one for one in AMOUNTS if one[0] in OF_THE_WHOLE])
    amount, kind = rnd.choice(amounts), rnd.choice(("requests", "limits"))
    resources = {kind: {name: amount}} if name in OVERCOMMITTED else {"limits": {name: amount}}

    def apply(draft: Draft) -> None:
        merge_resources(spec_to_change(draft, is_other=is_other), resources)

    return Feature(f"{whose}: as a whole {resources}", apply)


def overhead(rnd: Random) -> Feature:
    """A RuntimeClass with an overhead, which admission writes into the pod."""
    whose, is_other = on_whom(rnd)

    def apply(draft: Draft) -> None:
        spec_to_change(draft, is_other=is_other)["runtimeClassName"] = "heavy"
        draft.is_completed_by_admission |= not is_other

    return Feature(f"{whose}: of the RuntimeClass heavy", apply)


def host_port(rnd: Random) -> Feature:
    """A port of the node, on all addresses or one, of a container, an init container or a sidecar."""
    ports = {whose: _port(rnd) for whose in rnd.choice(WHOSE)}

    def apply(draft: Draft) -> None:
        for whose, (kind, port) in ports.items():
            spec = spec_to_change(draft, is_other=whose == "other")
            if "hostPort" not in port:
                spec["hostNetwork"] = True
            containers = spec.setdefault("containers" if kind == "container" else "initContainers", [])
            more = {"restartPolicy": "Always"} if kind == "sidecar" else {}
            containers.append(container(f"{kind}-port-{len(containers)}", ports=[port], **more))

    return Feature(f"ports of the host: {ports}", apply)


def _port(rnd: Random) -> tuple[str, Manifest]:
    kind, number = rnd.choice(("container", "container", "init", "sidecar")), rnd.choice((80, 80, 80, 81))
    port: Manifest = {"containerPort": number, "protocol": rnd.choice(("TCP", "TCP", "TCP", "UDP"))}
    if rnd.random() < 0.8:
        port |= {"hostPort": number, "hostIP": rnd.choice(ADDRESSES)}
    return kind, port


def ends(rnd: Random) -> Feature:
    """A pod that is over, or that is being deleted and still there."""
    phase, cpu = rnd.choice(("Succeeded", "Failed", "deleting", "Running", "Unknown")), rnd.choice(("1", "3500m"))

    def apply(draft: Draft) -> None:
        pod = draft.add_pod()
        pod["spec"]["containers"][0]["resources"] = {"requests": {"cpu": cpu}}
        name = pod["metadata"]["name"]
        if phase == "deleting":
            draft.deleting.add(name)
        else:
            draft.statuses[name] = {"phase": phase}

    return Feature(f"another's pod with cpu {cpu} is {phase}", apply)


def resized(rnd: Random) -> Feature:
    """A pod of which something is resized in place, or was to be."""
    holder = rnd.choice(("container", "sidecar", "init", "whole"))
    grows = ("3800m", "500m", "500m")
    asks, in_force, allocated = grows if rnd.random() < 0.5 else (rnd.choice(grows) for _ in grows)
    reason = rnd.choice(("", "Deferred", "Infeasible", "Infeasible"))
    counted: Manifest = {"allocatedResources": {"cpu": allocated}}
    if rnd.random() < 0.8:
        counted["resources"] = {"requests": {"cpu": in_force}}

    def apply(draft: Draft) -> None:
        pod = draft.add_pod()
        status: Manifest = {"phase": "Running"}
        if reason:
            status["conditions"] = [{"type": "PodResizePending", "status": "True", "reason": reason}]
        _resize(pod["spec"], status, holder, asks, counted)
        draft.statuses[pod["metadata"]["name"]] = status

    return Feature(f"another's pod: {holder} asks for cpu {asks}, {counted}, {reason or 'no condition'}", apply)


def _resize(spec: Manifest, status: Manifest, holder: str, asks: str, counted: Manifest) -> None:
    resources = {"requests": {"cpu": asks}}
    of_container = {"image": "", "imageID": "", "ready": True, "restartCount": 0, **counted}
    if holder == "whole":
        spec["resources"] = resources
        status |= counted
    elif holder == "container":
        spec["containers"][0]["resources"] = resources
        status["containerStatuses"] = [{"name": "main", **of_container}]
    else:
        more = {"restartPolicy": "Always"} if holder == "sidecar" else {}
        spec["initContainers"] = [container(holder, resources=resources, **more)]
        status["initContainerStatuses"] = [{"name": holder, **of_container}]


AMOUNTS_OF_PODS = (container_asks, container_asks, another_container, whole_asks, overhead, ends)
PORTS = (host_port,)
RESIZES = (resized, resized, container_asks)
