"""The node pool on the command line: what is read, and one sentence for each mistake."""

import re

import pytest

from coschedule import Taint
from lockstep.api.pool_options import parse_selector, parse_taint


@pytest.mark.parametrize(
    ("text", "want"),
    [
        pytest.param("", (), id="nothing"),
        pytest.param("pool=gangs", (("pool", "gangs"),), id="one"),
        pytest.param("b=2,a.example.com/x_y.z=", (("a.example.com/x_y.z", ""), ("b", "2")), id="two, one empty"),
        pytest.param("a=1,a=1", (("a", "1"),), id="one twice"),
    ],
)
def test_selector_is_read(text, want):
    assert parse_selector(text) == want


@pytest.mark.parametrize(
    ("text", "want"),
    [
        pytest.param("pool", "'pool' is not a label: write KEY=VALUE", id="no value"),
        pytest.param("a=1,", "'' is not a label: write KEY=VALUE", id="comma at the end"),
        pytest.param("a=1,a=2", "no node has both a=1 and a=2", id="two values"),
        pytest.param("=x", "the key '' is invalid", id="no key"),
        pytest.param("-a=x", "the key '-a' is invalid", id="key begins with a dash"),
        pytest.param(f"{'a' * 64}=x", "is invalid: its name must be up to 63 letters", id="key too long"),
        pytest.param("Up.com/a=x", "does not begin with a DNS name of small letters", id="capital in the domain"),
        pytest.param("/a=x", "does not begin with a DNS name", id="empty domain"),
        pytest.param("a/b/c=x", "does not begin with a DNS name", id="two slashes"),
        pytest.param(f"{'a.' * 127}aa/b=x", "does not begin with a DNS name", id="domain too long"),
        pytest.param("a=x y", "the value 'x y' is invalid", id="blank in the value"),
        pytest.param("a=b=c", "the value 'b=c' is invalid", id="two equals signs"),
        pytest.param(f"a={'x' * 64}", "up to 63 letters", id="value too long"),
        pytest.param("a=x\n", "the value 'x\\n' is invalid", id="new line"),
    ],
)
def test_wrong_selector_is_answered_by_a_sentence(text, want):
    with pytest.raises(ValueError, match=re.escape(want)):
        parse_selector(text)


@pytest.mark.parametrize(
    ("text", "want"),
    [
        pytest.param("pool=gangs:NoSchedule", Taint("pool", "gangs", "NoSchedule"), id="with a value"),
        pytest.param("example.com/gpu:NoExecute", Taint("example.com/gpu", "", "NoExecute"), id="without"),
    ],
)
def test_taint_is_read(text, want):
    assert parse_taint(text) == want


@pytest.mark.parametrize(
    ("text", "want"),
    [
        pytest.param("pool=gangs", "'pool=gangs' is not a taint: write KEY[=VALUE]:EFFECT", id="no effect"),
        pytest.param("pool:", "the effect of 'pool:' is neither NoSchedule nor NoExecute", id="empty effect"),
        pytest.param("pool:PreferNoSchedule", "is neither NoSchedule nor NoExecute", id="effect that keeps no pod off"),
        pytest.param(":NoSchedule", "the key '' is invalid", id="no key"),
        pytest.param("a=b c:NoSchedule", "the value 'b c' is invalid", id="blank in the value"),
    ],
)
def test_wrong_taint_is_answered_by_a_sentence(text, want):
    with pytest.raises(ValueError, match=re.escape(want)):
        parse_taint(text)
