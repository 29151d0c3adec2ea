"""Mounts files of a gang into its members' containers. The mounts of the template stay."""

from collections.abc import Collection, Sequence

from lockstep.api.common_objects import file_key, files_name
from lockstep.api.manifest import Manifest

VOLUME = "lockstep-files"


def with_files(spec: Manifest, gang: str, paths: Collection[str], *, folder: str = "") -> Manifest:
    """A pod's spec in which the containers have these files of the gang's ConfigMap at their paths.

    Files in the ``folder`` change with the ConfigMap. A file that is mounted singly never changes. A template that
    already has a volume with our name is left unchanged. A container that already mounts a volume at the path of a file
    or above it does not get this file.
    """
    if not paths:
        return spec
    single = [path for path in paths if not folder or not path.startswith(f"{folder}/")]
    mounts = [{"mountPath": path, "subPath": file_key(path)} for path in single]
    mounts += [{"mountPath": folder}] if folder else []
    return with_volume(spec, {"name": VOLUME, "configMap": {"name": files_name(gang)}}, mounts)


def with_volume(spec: Manifest, volume: Manifest, mounts: Sequence[Manifest]) -> Manifest:
    """A pod's spec with that volume, which each container mounts read-only.

    The exceptions of :func:`with_files` apply.
    """
    own = spec.get("volumes") or ()
    if any(one["name"] == volume["name"] for one in own):
        return spec
    containers = {
        kind: [_with_mounts(container, volume["name"], mounts) for container in spec[kind]]
        for kind in ("initContainers", "containers")
        if spec.get(kind)
    }
    return {**spec, **containers, "volumes": [*own, volume]}


def _with_mounts(container: Manifest, volume: str, mounts: Sequence[Manifest]) -> Manifest:
    own = container.get("volumeMounts") or ()
    taken = [mount["mountPath"].rstrip("/") for mount in own]
    free = [one for one in mounts if not any(f"{one['mountPath']}/".startswith(f"{place}/") for place in taken)]
    return {**container, "volumeMounts": [*own, *({"name": volume, **one, "readOnly": True} for one in free)]}
