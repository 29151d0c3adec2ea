"""The certificate of the secured metrics, read again whenever its files have changed."""

import logging
import ssl

import pytest
from cryptography.hazmat.primitives import serialization

from lockstep.process.pages.certificate import Certificate
from lockstep.process.stores.errors import StartError
from sandbox.pki import Authority


@pytest.fixture
def folder(tmp_path):
    """A folder with a certificate and its key."""
    return issued(tmp_path / "served")


def test_certificate_is_served_with_a_name_and_without(folder):
    context = Certificate(folder).context()

    assert served(context) == served(context, name="localhost") == on_disk(folder)


def test_changed_certificate_is_served_from_the_next_connection_on(folder, tmp_path, caplog):
    caplog.set_level(logging.INFO)
    context = Certificate(folder).context()
    before = served(context)

    replace(folder, issued(tmp_path / "next"))

    assert served(context) == on_disk(folder) != before
    assert [record.levelname for record in caplog.records] == ["INFO"]


@pytest.mark.parametrize(
    "break_it",
    [
        pytest.param(lambda folder, _: (folder / "tls.crt").unlink(), id="a file is gone"),
        pytest.param(lambda folder, _: (folder / "tls.crt").write_text("nothing"), id="a file holds something else"),
        pytest.param(lambda folder, other: (other / "tls.key").replace(folder / "tls.key"), id="a key of another"),
        pytest.param(lambda folder, _: encrypt(folder / "tls.key"), id="a key that asks for a password"),
    ],
)
def test_broken_certificate(folder, tmp_path, caplog, break_it):
    context = Certificate(folder).context()
    before = served(context)
    break_it(folder, issued(tmp_path / "other"))

    # One that has been read goes on being served; the log has one sentence, however many connections there are.
    assert [served(context), served(context)] == [before, before]
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert f"tls.crt and tls.key in {folder} can't be used: " in caplog.text
    # Nothing was read yet: the process can't begin.
    with pytest.raises(StartError, match=r"tls.crt and tls.key in .* can't be used: "):
        Certificate(folder)
    # And it is mended.
    replace(folder, issued(tmp_path / "mended"))
    assert served(context) == on_disk(folder)


def issued(folder):
    Authority(folder).issue_server("tls")
    return folder


def replace(folder, other):
    for name in ("tls.crt", "tls.key"):
        (other / name).replace(folder / name)


def encrypt(file):
    key = serialization.load_pem_private_key(file.read_bytes(), password=None)
    secret = serialization.BestAvailableEncryption(b"secret")
    file.write_bytes(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, secret))


def on_disk(folder):
    return ssl.PEM_cert_to_DER_cert((folder / "tls.crt").read_text())


def served(context, name=None):
    """The certificate that a client gets to see, in memory and without a network."""
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = trusting.wrap_bio(to_client, to_server, server_hostname=name)
    server = context.wrap_bio(to_server, to_client, server_side=True)
    for side in (client, server, client, server):
        try:
            side.do_handshake()
        except ssl.SSLWantReadError:
            continue
    return client.getpeercert(binary_form=True)
