"""Host ports, and disks that a pod itself names, as columns of a node: a plan counts them like resources.

A pod that can't share a port or disk takes all of its column. A pod that can share it takes 1.
"""

from collections.abc import Iterator

from lockstep.api.manifest import Manifest
from lockstep.facts.columns import DISK_PREFIX, HOST_PORT_PREFIX, WHOLE

Taken = tuple[str, int]

_ALL_ADDRESSES = "0.0.0.0"  # noqa: S104 - this is compared, and not used to listen
_DEFAULT_RBD_POOL = "rbd"


def exclusive_columns(spec: Manifest) -> Iterator[Taken]:
    """The columns that a pod takes, each with its amount. A column may occur twice; then the larger amount counts."""
    yield from _host_ports(spec)
    for volume in spec.get("volumes") or ():
        yield from _disks(volume)


def is_sidecar(init_container: Manifest) -> bool:
    """Whether an init container runs as long as the pod, as a sidecar does."""
    return init_container.get("restartPolicy") == "Always"


def _host_ports(spec: Manifest) -> Iterator[Taken]:
    """One column for each protocol and port, and another one for each address.

    A port on all addresses excludes every other use of the port. A port on one address excludes uses on this address
    and on all addresses.
    """
    for port in (port for container in _while_it_runs(spec) for port in container.get("ports") or ()):
        number = port.get("hostPort") or (port.get("containerPort") if spec.get("hostNetwork") else None)
        if not number:
            continue
        column, address = f"{HOST_PORT_PREFIX}{port.get('protocol') or 'TCP'} {number}", port.get("hostIP")
        if address in (None, "", _ALL_ADDRESSES):
            yield column, WHOLE
        else:
            yield column, 1
            yield f"{column} on {address}", WHOLE


def _while_it_runs(spec: Manifest) -> Iterator[Manifest]:
    """The containers and sidecars, which run as long as the pod. Other init containers end before it runs."""
    yield from spec.get("containers") or ()
    yield from (one for one in spec.get("initContainers") or () if is_sidecar(one))


def _disks(volume: Manifest) -> Iterator[Taken]:
    """One column for each disk; for an RBD image, one for each of its monitors.

    Pods that only read a disk share it, except EBS disks.
    """
    if gce := volume.get("gcePersistentDisk"):
        yield f"{DISK_PREFIX}GCE {gce['pdName']}", _share(gce)
    if ebs := volume.get("awsElasticBlockStore"):
        yield f"{DISK_PREFIX}EBS {ebs['volumeID']}", WHOLE
    if iscsi := volume.get("iscsi"):
        yield f"{DISK_PREFIX}iSCSI {iscsi['iqn']}", _share(iscsi)
    if rbd := volume.get("rbd"):
        image = f"{rbd.get('pool') or _DEFAULT_RBD_POOL}/{rbd['image']}"
        for monitor in rbd["monitors"]:
            yield f"{DISK_PREFIX}RBD {image} at {monitor}", _share(rbd)


def _share(disk: Manifest) -> int:
    return 1 if disk.get("readOnly") else WHOLE
