"""The folder and keys that the components of one sandbox share, and the user as which each calls the API server."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sandbox import kubeconfig
from sandbox.component import Component
from sandbox.folder import Folder
from sandbox.pki import Authority, KeyPair

# The user and the groups of each component. kwok acts for every kubelet.
IDENTITIES: Mapping[Component, tuple[str, tuple[str, ...]]] = {
    Component.CONTROLLER_MANAGER: ("system:kube-controller-manager", ()),
    Component.SCHEDULER: ("system:kube-scheduler", ()),
    Component.KWOK: ("sandbox:kwok", ("system:masters",)),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """The folder of a sandbox, and the keys with which its components authenticate each other."""

    folder: Folder
    addons: frozenset[Component]
    authority: Authority
    serving: KeyPair
    admin: KeyPair
    token_key: Path

    @property
    def ca_file(self) -> Path:
        """The authority's certificate, which verifies every server and client of the sandbox."""
        return self.authority.certificate

    def kubeconfig_of(self, component: Component) -> Path:
        """Return the kubeconfig with which a component connects to the API server."""
        return self.folder.kubeconfig_of(component)


def prepare_site(folder: Folder, addons: frozenset[Component]) -> Site:
    """Make the folder of a new sandbox, with its keys and certificates. Only the current user may read them."""
    folder.root.mkdir(parents=True, mode=0o700)
    # etcd warns if other users may read its data folder.
    folder.etcd_data.mkdir(mode=0o700)
    authority = Authority(folder.pki)
    return Site(
        folder=folder,
        addons=addons,
        authority=authority,
        serving=authority.issue_server("serving"),
        admin=authority.issue_client("sandbox:admin", ["system:masters"]),
        token_key=authority.issue_signing_key("tokens"),
    )


def write_kubeconfigs(site: Site, server: str) -> None:
    """Write the kubeconfigs of the administrator and of every addon. ``server`` is the API server's URL."""
    kubeconfig.write_for_certificate(site.folder.kubeconfig, server=server, ca_file=site.ca_file, identity=site.admin)
    for component in site.addons:
        user, groups = IDENTITIES[component]
        identity = site.authority.issue_client(user, groups)
        target = site.kubeconfig_of(component)
        kubeconfig.write_for_certificate(target, server=server, ca_file=site.ca_file, identity=identity)
