"""The common parts of the containers that Lockstep adds to members' pods. They are small and have no rights."""

from lockstep.api.manifest import Manifest

_USER = 65_532
# Requests equal limits. So a pod whose other containers make it Guaranteed (QoS class) stays Guaranteed.
_AMOUNTS = {"cpu": "100m", "memory": "64Mi"}


def own_container(name: str, image: str, command: list[str]) -> Manifest:
    """The container of that name, without mounts of volumes."""
    return {
        "name": name,
        "image": image,
        "command": command,
        "resources": {"requests": _AMOUNTS, "limits": _AMOUNTS},
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "readOnlyRootFilesystem": True,
            "runAsNonRoot": True,
            "runAsUser": _USER,
            "runAsGroup": _USER,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
    }
