"""The names of services and pods, as in any cluster: CoreDNS, at the address that kubelets give their pods.

It is a process beside the control plane, since no node here forwards the addresses of services.
"""

import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from e2e.service_address import add_address
from eventually import eventually
from sandbox import Sandbox
from sandbox.binaries import Resolver, Tool
from sandbox.pki import SERVICE_NETWORK
from sandbox.progress import Silent

DNS_ADDRESS = str(SERVICE_NETWORK[10])
DOMAIN = "cluster.local"
READY_PORT = 8181


@contextmanager
def cluster_dns(sandbox: Sandbox, folder: Path) -> Iterator[None]:
    """Have the names of a sandbox answered, in this network namespace."""
    folder.mkdir(parents=True)
    (folder / "Corefile").write_text(corefile(sandbox.kubeconfig), encoding="utf-8")
    add_address(DNS_ADDRESS)
    program = str(Resolver.of_environment(Silent()).resolve(Tool.COREDNS).path)
    with (folder / "coredns.log").open("ab") as log:
        process = subprocess.Popen([program, "-conf", str(folder / "Corefile")], stdout=log, stderr=log)
    try:
        eventually(_is_ready)
        yield
    finally:
        process.kill()
        process.wait()


def corefile(kubeconfig: Path) -> str:
    """Return the configuration: the cluster's own names and no others, and none is remembered."""
    return f"""\
.:53 {{
    bind {DNS_ADDRESS}
    errors
    ready {DNS_ADDRESS}:{READY_PORT}
    kubernetes {DOMAIN} in-addr.arpa {{
        kubeconfig {kubeconfig}
        pods insecure
        ttl 0
    }}
}}
"""


def _is_ready() -> bool:
    with suppress(OSError), urllib.request.urlopen(f"http://{DNS_ADDRESS}:{READY_PORT}/ready", timeout=1):
        return True
    return False
