"""What a cluster does for a controller that makes its own certificates: it keeps them, and mounts them for webhooks."""

import base64
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import NamedTuple

from sandbox import Sandbox

PAUSE_SECONDS = 0.2


class OwnCertificates(NamedTuple):
    """The names under which a controller keeps its certificates, and the folder where it expects them."""

    namespace: str
    secret: str
    webhooks: str
    folder: Path


@contextmanager
def mounted(sandbox: Sandbox, own: OwnCertificates) -> Iterator[None]:
    """Have a Secret, empty at first, and write what comes into it to the folder, which is deleted in the end.

    The controller's webhooks are registered without a rule, so that none of them is called.
    """
    sandbox.create_namespace(own.namespace)
    sandbox.apply(
        [
            {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": own.secret, "namespace": own.namespace}},
            {
                "apiVersion": "admissionregistration.k8s.io/v1",
                "kind": "ValidatingWebhookConfiguration",
                "metadata": {"name": own.webhooks},
            },
        ]
    )
    is_over = Event()
    mounting = Thread(target=_mount, args=(sandbox, own, is_over), daemon=True)
    mounting.start()
    try:
        yield
    finally:
        is_over.set()
        mounting.join()
        shutil.rmtree(own.folder, ignore_errors=True)


def _mount(sandbox: Sandbox, own: OwnCertificates, is_over: Event) -> None:
    """Write the Secret's files once there are any."""
    path = f"/api/v1/namespaces/{own.namespace}/secrets/{own.secret}"
    files: dict[str, str] = {}
    while not files and not is_over.wait(PAUSE_SECONDS):
        files = sandbox.request("GET", path).get("data") or {}
    own.folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (own.folder / name).write_bytes(base64.b64decode(content))
