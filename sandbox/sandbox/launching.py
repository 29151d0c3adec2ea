"""The flags of each component, and the URL that shows whether the component is ready."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from sandbox.component import Component
from sandbox.pki import SERVICE_NETWORK
from sandbox.ports import LOOPBACK
from sandbox.site import Site

STAGES = Path(__file__).with_name("stages.yaml")
POD_ADDRESSES = "10.200.0.1/16"
SERVICE_ACCOUNT_ISSUER = "https://kubernetes.default.svc"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """The ports of one component. Only etcd uses ``peer``."""

    client: int
    peer: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """The flags of a component, and the URL that answers 200 when the component is ready."""

    flags: tuple[str, ...]
    ready_url: str


def launch(component: Component, site: Site, ports: Mapping[Component, Ports]) -> Launch:
    """Return how to start ``component``.

    ``ports`` has the ports of this component, and of the components to which it connects.
    """
    return _LAUNCHES[component](site, ports)


def _etcd(site: Site, ports: Mapping[Component, Ports]) -> Launch:
    own = ports[Component.ETCD]
    client, peer = (f"https://{LOOPBACK}:{port}" for port in (own.client, own.peer))
    return Launch(
        flags=(
            "--name=sandbox",
            f"--data-dir={site.folder.etcd_data}",
            f"--listen-client-urls={client}",
            f"--advertise-client-urls={client}",
            f"--listen-peer-urls={peer}",
            f"--initial-advertise-peer-urls={peer}",
            f"--initial-cluster=sandbox={peer}",
            f"--cert-file={site.serving.certificate}",
            f"--key-file={site.serving.key}",
            f"--trusted-ca-file={site.ca_file}",
            "--client-cert-auth",
            f"--peer-cert-file={site.serving.certificate}",
            f"--peer-key-file={site.serving.key}",
            f"--peer-trusted-ca-file={site.ca_file}",
            "--peer-client-cert-auth",
            # etcd need not wait for the disk: data that a crash of the machine could lose is deleted with the sandbox.
            "--unsafe-no-fsync",
            "--log-level=warn",
        ),
        ready_url=f"{client}/readyz",
    )


def _api_server(site: Site, ports: Mapping[Component, Ports]) -> Launch:
    own = ports[Component.API_SERVER].client
    return Launch(
        flags=(
            f"--etcd-servers=https://{LOOPBACK}:{ports[Component.ETCD].client}",
            f"--etcd-cafile={site.ca_file}",
            f"--etcd-certfile={site.admin.certificate}",
            f"--etcd-keyfile={site.admin.key}",
            f"--bind-address={LOOPBACK}",
            # Without this flag, the server does not start on a machine whose only network is the loopback.
            f"--advertise-address={LOOPBACK}",
            # The server would try to write its own address as an endpoint, and refuses endpoints on the loopback.
            "--endpoint-reconciler-type=none",
            f"--secure-port={own}",
            f"--tls-cert-file={site.serving.certificate}",
            f"--tls-private-key-file={site.serving.key}",
            f"--client-ca-file={site.ca_file}",
            "--anonymous-auth=false",
            "--authorization-mode=RBAC",
            # Usual clusters have this flag too: then Pod Security decides for each namespace whether it admits
            # privileged pods.
            "--allow-privileged=true",
            f"--service-account-issuer={SERVICE_ACCOUNT_ISSUER}",
            f"--service-account-key-file={site.token_key}",
            f"--service-account-signing-key-file={site.token_key}",
            f"--service-cluster-ip-range={SERVICE_NETWORK}",
            f"--disable-admission-plugins={','.join(_disabled_admission(site))}",
        ),
        ready_url=f"https://{LOOPBACK}:{own}/readyz",
    )


def _disabled_admission(site: Site) -> list[str]:
    # This plugin gives new nodes a not-ready taint, which only the heartbeats of a kubelet would clear.
    disabled = ["TaintNodesByCondition"]
    if Component.CONTROLLER_MANAGER not in site.addons:
        # Without the controller manager, no default service accounts exist, so this plugin would admit no pod.
        disabled.append("ServiceAccount")
    return disabled


_CONTROLLERS_LEFT_OUT = (
    # This controller would find that heartbeats are missing, because these nodes send none. Nodes keep their given
    # statuses.
    "-node-lifecycle-controller",
    # Endpoints are deprecated. They would cost two writes for each Service, beside those of its EndpointSlices.
    "-endpoints-controller",
    "-endpointslice-mirroring-controller",
)


def _controller_manager(site: Site, ports: Mapping[Component, Ports]) -> Launch:
    own = ports[Component.CONTROLLER_MANAGER].client
    return Launch(
        flags=(
            *_serving(site, own),
            f"--kubeconfig={site.kubeconfig_of(Component.CONTROLLER_MANAGER)}",
            "--use-service-account-credentials=true",
            f"--service-account-private-key-file={site.token_key}",
            f"--root-ca-file={site.ca_file}",
            f"--controllers={','.join(('*', *_CONTROLLERS_LEFT_OUT))}",
            "--kube-api-qps=500",
            "--kube-api-burst=1000",
        ),
        ready_url=f"https://{LOOPBACK}:{own}/healthz",
    )


def _scheduler(site: Site, ports: Mapping[Component, Ports]) -> Launch:
    own = ports[Component.SCHEDULER].client
    kubeconfig = site.kubeconfig_of(Component.SCHEDULER)
    return Launch(
        flags=(*_serving(site, own), f"--kubeconfig={kubeconfig}"),
        ready_url=f"https://{LOOPBACK}:{own}/readyz",
    )


def _serving(site: Site, port: int) -> tuple[str, ...]:
    return (
        f"--bind-address={LOOPBACK}",
        f"--secure-port={port}",
        f"--tls-cert-file={site.serving.certificate}",
        f"--tls-private-key-file={site.serving.key}",
        "--leader-elect=false",
    )


def _kwok(site: Site, ports: Mapping[Component, Ports]) -> Launch:
    address = f"{LOOPBACK}:{ports[Component.KWOK].client}"
    return Launch(
        flags=(
            f"--kubeconfig={site.kubeconfig_of(Component.KWOK)}",
            f"--config={STAGES}",
            "--manage-all-nodes",
            f"--cidr={POD_ADDRESSES}",
            f"--node-ip={LOOPBACK}",
            f"--server-address={address}",
        ),
        ready_url=f"http://{address}/healthz",
    )


_LAUNCHES: Mapping[Component, Callable[[Site, Mapping[Component, Ports]], Launch]] = {
    Component.ETCD: _etcd,
    Component.API_SERVER: _api_server,
    Component.CONTROLLER_MANAGER: _controller_manager,
    Component.SCHEDULER: _scheduler,
    Component.KWOK: _kwok,
}
