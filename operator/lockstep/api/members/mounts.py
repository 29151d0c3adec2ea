"""Mounts files of a gang into its members' containers. The template's own mounts stay."""

from collections.abc import Collection

from lockstep.api.common_objects import file_key, files_name
from lockstep.api.manifest import Manifest

VOLUME = "lockstep-files"


def with_files(spec: Manifest, gang: str, paths: Collection[str]) -> Manifest:
    """A pod's spec whose containers have these files of the gang's ConfigMap at their paths.

    A template with a volume of our name is left unchanged. So is a container that mounts another volume at the same
    path, or above it.
    """
    own = spec.get("volumes") or ()
    if not paths or any(volume["name"] == VOLUME for volume in own):
        return spec
    containers = {
        kind: [_with_mounts(container, paths) for container in spec[kind]]
        for kind in ("initContainers", "containers")
        if spec.get(kind)
    }
    volume = {"name": VOLUME, "configMap": {"name": files_name(gang)}}
    return {**spec, **containers, "volumes": [*own, volume]}


def _with_mounts(container: Manifest, paths: Collection[str]) -> Manifest:
    own = container.get("volumeMounts") or ()
    taken = [mount["mountPath"].rstrip("/") for mount in own]
    ours = [
        {"name": VOLUME, "mountPath": path, "subPath": file_key(path), "readOnly": True}
        for path in paths
        if not any(f"{path}/".startswith(f"{place}/") for place in taken)
    ]
    return {**container, "volumeMounts": [*own, *ours]}
