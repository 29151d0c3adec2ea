"""The certificates and keys of one sandbox, with an authority that only this sandbox has."""

import datetime as dt
import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

VALID_FOR = dt.timedelta(days=365)
# Certificates are valid from this long before they are made, in case the clock is set back a little.
BACKDATED = dt.timedelta(minutes=5)

LOOPBACK = ipaddress.IPv4Address("127.0.0.1")
SERVICE_NETWORK = ipaddress.IPv4Network("10.96.0.0/16")
# The API server has the first address of the network. Pods reach it by this address.
SERVICE_ADDRESS = SERVICE_NETWORK[1]
SERVER_NAMES = (
    x509.DNSName("localhost"),
    x509.DNSName("kubernetes.default.svc"),
    x509.IPAddress(LOOPBACK),
    x509.IPAddress(SERVICE_ADDRESS),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyPair:
    """A certificate and its private key, in PEM files."""

    certificate: Path
    key: Path


class Authority:
    """Signs the certificates of one sandbox."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _name("lockstep-sandbox", ())
        basics = x509.BasicConstraints(ca=True, path_length=0)
        certificate = _signed(
            _builder(self._name, self._name, self._key).add_extension(basics, critical=True), self._key
        )
        self.certificate = folder / "ca.crt"
        self.certificate.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))

    def issue_client(self, user: str, groups: Sequence[str] = ()) -> KeyPair:
        """Return a client certificate. The API server identifies its holder as ``user``, in ``groups``."""
        return self._issue(user, _name(user, groups), (ExtendedKeyUsageOID.CLIENT_AUTH,))

    def issue_server(self, name: str, *more_names: str) -> KeyPair:
        """Return a certificate for a server on the loopback. The server may also use the certificate as a client.

        ``more_names`` are DNS names by which clients may also call the server.
        """
        # etcd also connects to itself as a client, and uses its server certificate for this.
        usages = (ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH)
        return self._issue(name, _name(name, ()), usages, more_names)

    def issue_signing_key(self, name: str) -> Path:
        """Return the private key with which the API server signs service account tokens."""
        return _write_key(self._folder / f"{name}.key", ec.generate_private_key(ec.SECP256R1()))

    def _issue(
        self,
        file_name: str,
        subject: x509.Name,
        usages: Sequence[x509.ObjectIdentifier],
        more_names: Sequence[str] = (),
    ) -> KeyPair:
        key = ec.generate_private_key(ec.SECP256R1())
        unsigned = (
            _builder(subject, self._name, key)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(x509.ExtendedKeyUsage(usages), critical=False)
        )
        if ExtendedKeyUsageOID.SERVER_AUTH in usages:
            names = (*SERVER_NAMES, *map(x509.DNSName, more_names))
            unsigned = unsigned.add_extension(x509.SubjectAlternativeName(names), critical=False)
        certificate = self._folder / f"{file_name}.crt"
        certificate.write_bytes(_signed(unsigned, self._key).public_bytes(serialization.Encoding.PEM))
        return KeyPair(certificate=certificate, key=_write_key(self._folder / f"{file_name}.key", key))


def _name(common_name: str, organisations: Sequence[str]) -> x509.Name:
    groups = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, group) for group in organisations]
    return x509.Name([*groups, x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


def _builder(subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
    now = dt.datetime.now(dt.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - BACKDATED)
        .not_valid_after(now + VALID_FOR)
    )


def _signed(builder: x509.CertificateBuilder, key: ec.EllipticCurvePrivateKey) -> x509.Certificate:
    return builder.sign(key, hashes.SHA256())


# The API server accepts keys for tokens only in this format.
def _write_key(path: Path, key: ec.EllipticCurvePrivateKey) -> Path:
    pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
    path.touch(mode=0o600)
    path.write_bytes(pem)
    return path
