"""Tokens of service accounts, as good and as bad as a test needs them."""

import base64
import json
import time
from pathlib import Path

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

from sandbox import Sandbox

SECONDS = 3600
# One number of an ES256 signature.
NUMBER_BYTES = 32


def token_of(api: Sandbox, namespace: str, account: str) -> str:
    """A token of an account that is there."""
    path = f"/api/v1/namespaces/{namespace}/serviceaccounts/{account}/token"
    return str(api.request("POST", path, {"spec": {"expirationSeconds": SECONDS}})["status"]["token"])


def token_on(api: Sandbox, node: str, namespace: str, account: str) -> str:
    """A token of an account as a pod on that node gets it; the pod is made, and stays."""
    pod = {
        "metadata": {"name": f"{account}-{node}"},
        "spec": {
            "nodeName": node,
            "serviceAccountName": account,
            "containers": [{"name": "agent", "image": "lockstep"}],
            "tolerations": [{"operator": "Exists"}],
        },
    }
    made = api.request("POST", f"/api/v1/namespaces/{namespace}/pods", pod)
    bound = {"apiVersion": "v1", "kind": "Pod", "name": made["metadata"]["name"], "uid": made["metadata"]["uid"]}
    path = f"/api/v1/namespaces/{namespace}/serviceaccounts/{account}/token"
    spec = {"expirationSeconds": SECONDS, "boundObjectRef": bound}
    return str(api.request("POST", path, {"spec": spec})["status"]["token"])


def reissued(token: str, signing_key: Path, *, hours_ago: int) -> str:
    """The same token as it would be if it had been issued then, for one hour."""
    head, body, _ = token.split(".")
    claims = json.loads(base64.urlsafe_b64decode(body + "=="))
    issued = int(time.time()) - hours_ago * 3600
    claims |= {"iat": issued, "nbf": issued, "exp": issued + SECONDS}
    unsigned = f"{head}.{_encoded(json.dumps(claims).encode())}"
    return f"{unsigned}.{_encoded(_signature(unsigned.encode(), signing_key))}"


def _signature(text: bytes, signing_key: Path) -> bytes:
    key = serialization.load_pem_private_key(signing_key.read_bytes(), password=None)
    assert isinstance(key, ec.EllipticCurvePrivateKey)
    numbers = decode_dss_signature(key.sign(text, ec.ECDSA(hashes.SHA256())))
    return b"".join(number.to_bytes(NUMBER_BYTES, "big") for number in numbers)


def _encoded(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
