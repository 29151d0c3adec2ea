"""The keys by which `mpirun` enters the other members, as those have them who run MPI in pods: from a Secret."""

from base64 import b64encode
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from e2e.cluster import Manifest

SECRET = "ssh-keys"
READ_BY_OWNER_ONLY = 0o400


def ssh_keys() -> Manifest:
    """Return a Secret with a new pair of keys, each of which opens the door to the owner of the other."""
    key = Ed25519PrivateKey.generate()
    public = key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH)
    private = key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption())
    files = {"id_ed25519": private, "id_ed25519.pub": public, "authorized_keys": public}
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": SECRET},
        "data": {name: b64encode(content).decode() for name, content in files.items()},
    }


def with_ssh_keys(template: Manifest) -> Manifest:
    """Return a template whose containers have the keys where `ssh` and `sshd` of their image search for them."""
    spec: dict[str, Any] = template["spec"]
    secret = {"secretName": SECRET, "defaultMode": READ_BY_OWNER_ONLY}
    mount = {"name": "ssh", "mountPath": "/keys"}
    containers = [{**one, "volumeMounts": [*one.get("volumeMounts", ()), mount]} for one in spec["containers"]]
    volumes = [*spec.get("volumes", ()), {"name": "ssh", "secret": secret}]
    return {**template, "spec": {**spec, "containers": containers, "volumes": volumes}}
