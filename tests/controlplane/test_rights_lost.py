"""The operator's roles are deleted or narrowed while it runs: it says what is missing, and goes on when it is back."""

from urllib.error import HTTPError

import pytest

from builders.manifests import gang
from eventually import eventually
from live.quick_start import Forked
from live.roles import without_binding, without_rule
from lockstep_demo.operator_process import OperatorProcess, running

FORBIDDEN, DENIED = "lockstep_writes_forbidden", "lockstep_rights_denied"


@pytest.fixture
def operator(operator_kubeconfig, tmp_path):
    """An operator of the test's own."""
    options = ("--leader-elect=false",)
    with running(OperatorProcess(operator_kubeconfig, tmp_path / "log", *options, spawn=Forked)) as process:
        yield process


def test_gangs_run_on_and_others_wait_while_the_operator_has_no_rights_at_all(operator, arena):
    arena.add_nodes(2)
    arena.submit(gang("first"))
    arena.until_placed("first")
    assert (operator.metrics()[FORBIDDEN], operator.metrics()[DENIED]) == (0, 0)
    before = refused(operator)

    with without_binding(arena.api):
        arena.submit(gang("second"))
        eventually(lambda: not operator.is_ready())
        why = not_ready_because(operator)
        assert why.startswith(
            "nothing can be written: the API server forbids this process to patch gangjobs/status in all namespaces; "
        )
        assert "operator/rbac.yaml" in why
        assert operator.metrics()[FORBIDDEN] == 1
        assert operator.log_text().count("nothing can be written") == 1
        assert arena.condition("first", "Placed")["status"] == "True"
        assert refused(operator) - before < 60

    arena.until_placed("second", seconds=180)
    eventually(operator.is_ready)
    eventually(lambda: operator.metrics()[FORBIDDEN] == 0)
    assert "the API server allows this process to write again" in operator.log_text()
    assert {arena.status(name)["attempt"] for name in ("first", "second")} == {1}


def test_right_that_is_missing_costs_only_what_needs_it(operator, arena):
    arena.add_nodes(1)
    with without_rule(arena.api, "pods/binding"):
        arena.submit(gang("heat"))
        arena.until("heat", "Placed", "False", "BindInterrupted")
        eventually(lambda: operator.metrics()[DENIED] == 1)
        assert operator.is_ready()
        need = f"create pods/binding in namespace {arena.namespace}"
        assert operator.log_text().count(f"the API server forbids this process to {need}: ") == 1

    arena.until_placed("heat", seconds=180)
    eventually(lambda: operator.metrics()[DENIED] == 0)
    assert f"the API server allows this process to {need} again" in operator.log_text()


def not_ready_because(operator):
    with pytest.raises(HTTPError) as caught:
        operator.page("/readyz")
    return caught.value.read().decode()


def refused(operator):
    return sum(value for name, value in operator.metrics().items() if 'code="403"' in name)
