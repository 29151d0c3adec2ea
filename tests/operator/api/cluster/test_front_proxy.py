"""The user that the API server names in headers is believed only where no other client could have written them."""

import json

import pytest

from lockstep.api.cluster.front_proxy import FrontProxyError, parse_front_proxy

DATA = {
    "client-ca-file": "PEM of clients",
    "requestheader-client-ca-file": "PEM of front proxies",
    "requestheader-allowed-names": json.dumps(["front-proxy-client"]),
    "requestheader-username-headers": json.dumps(["X-Remote-User", "X-Other-User"]),
    "requestheader-uid-headers": json.dumps(["X-Remote-Uid"]),
    "requestheader-group-headers": json.dumps(["X-Remote-Group"]),
    "requestheader-extra-headers-prefix": json.dumps(["X-Remote-Extra-"]),
}
OWN = ["front-proxy-client"]


def parsed(**changes):
    return parse_front_proxy({"data": {**DATA, **{key.replace("_", "-"): value for key, value in changes.items()}}})


def test_caller_has_the_name_groups_and_extra_values_of_the_headers():
    headers = [
        ("x-remote-user", "jane"),
        ("X-Remote-Uid", "7"),
        ("X-Remote-Group", "edit"),
        ("X-Remote-Group", "system:authenticated"),
        ("X-Remote-Extra-Example.com%2fteam", "blue"),
        ("Authorization", "Bearer x"),
    ]

    caller = parsed().caller(OWN, headers)

    assert caller.user == {
        "username": "jane",
        "uid": "7",
        "groups": ["edit", "system:authenticated"],
        "extra": {"example.com/team": ["blue"]},
    }


def test_first_header_with_a_value_names_the_user():
    headers = [("X-Other-User", "second"), ("X-Remote-User", "")]

    assert parsed().caller(OWN, headers).name == "second"


@pytest.mark.parametrize(
    "names", [[], [""], ["somebody"], ["front-proxy-client", "somebody"]], ids=["none", "empty", "other", "two"]
)
def test_certificate_with_another_name_vouches_for_no_user(names):
    assert parsed().caller(names, [("X-Remote-User", "jane")]) is None


def test_request_without_a_user_has_no_caller():
    assert parsed().caller(OWN, [("X-Remote-Group", "system:masters")]) is None


def test_any_name_will_do_where_none_is_prescribed():
    assert parsed(requestheader_allowed_names="[]").caller(["x"], [("X-Remote-User", "jane")]).name == "jane"


@pytest.mark.parametrize(
    ("changes", "want"),
    [
        pytest.param({"requestheader_client_ca_file": ""}, "no --requestheader-client-ca-file", id="no authority"),
        pytest.param({"requestheader_username_headers": "[]"}, "no --requestheader-username-headers", id="no header"),
        pytest.param({"requestheader_group_headers": "{"}, "requestheader-group-headers is not a list", id="no list"),
        pytest.param(
            {"requestheader_client_ca_file": "PEM of clients", "requestheader_allowed_names": ""},
            "any client could pretend to be the API server",
            id="clients could forge",
        ),
    ],
)
def test_api_server_that_can_not_be_distinguished_from_others_is_refused(changes, want):
    with pytest.raises(FrontProxyError, match=want):
        parsed(**changes)


def test_one_authority_is_enough_where_names_are_prescribed():
    assert parsed(requestheader_client_ca_file="PEM of clients").allowed == {"front-proxy-client"}
