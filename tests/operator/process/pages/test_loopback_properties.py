"""Whatever is sent as a host, it means the loopback only where a browser would go to the loopback for it."""

from ipaddress import ip_address
from urllib.parse import urlsplit

from hypothesis import example, given
from hypothesis import strategies as st

from lockstep.process.pages.loopback import means_loopback

PIECES = st.sampled_from(
    [*"localhost127.0:[]@/?#%-_ \t,\x00", "localhost", "127.0.0.1", "127.", "::1", "[::1]", "evil.example.com", "8081"]
)
HOSTS = st.lists(PIECES, max_size=6).map("".join) | st.text(max_size=20)


@given(HOSTS)
@example("localhost:0")
def test_host_that_means_the_loopback_is_one_that_leads_there(host):
    if means_loopback(host):
        where = urlsplit(f"http://{host}/")
        assert (where.username, where.path, where.query, where.fragment) == (None, "/", "", "")
        assert where.hostname == "localhost" or ip_address(where.hostname).is_loopback


@given(st.ip_addresses(), st.none() | st.integers(0, 65_535))
def test_every_address_is_distinguished_from_those_of_the_loopback(address, port):
    host = f"[{address}]" if address.version == 6 else str(address)
    end = "" if port is None else f":{port}"

    assert means_loopback(f"{host}{end}") == (str(address) == "::1" or str(address).startswith("127."))


@given(st.ip_addresses(network="127.0.0.0/8"), st.integers(0, 65_535))
def test_every_address_of_the_loopback_means_it(address, port):
    assert means_loopback(f"{address}:{port}")
