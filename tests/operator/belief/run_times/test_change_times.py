"""How long a change of size is expected to take, by the changes of gangs of the same template."""

from dataclasses import replace

import pytest

from builders.facts import gang_fact, gang_spec
from coschedule import ChangeTerms, SerialWork
from lockstep.belief.run_times.change_times import MOST_CHANGES
from lockstep.belief.state import State
from lockstep.facts.elastic import ChangeMode, ElasticSpec, LastChange
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.past_runs import MOST_TEMPLATES

RESTARTS = ElasticSpec(restart_time=100.0, min_interval=600.0)
COMES_AND_GOES = RESTARTS._replace(mode=ChangeMode.MEMBERS)
HEAT, OTHER = "0" * 32, "1" * 32


def fact(name, seconds=None, *, began_at=1000.0, template=HEAT, elastic=RESTARTS, namespace="default", version="1"):
    """A gang whose last change took that long; without ``seconds`` it has never changed."""
    spec = gang_spec(size=1, most=4, work=SerialWork(serial=1000), run_template=template, elastic=elastic)
    status = GangStatus(last_change=None if seconds is None else LastChange(began_at, seconds))
    gang = gang_fact(name, uid=f"uid-of-{namespace}-{name}", version=version, spec=spec, status=status)
    return replace(gang, key=gang.key._replace(namespace=namespace))


def known(*gangs):
    state = State(lambda: None)
    for gang in gangs:
        state.apply_gang(gang)
    return state


def expected(state, gang=None):
    """The seconds that the gang's next change is expected to take."""
    return state.change_times.terms(fact("g") if gang is None else gang).restart_time


@pytest.mark.parametrize(
    ("others", "want"),
    [
        pytest.param([], 100, id="no other gang"),
        pytest.param([fact("a")], 100, id="one that has not changed"),
        pytest.param([fact("a", 300)], 300, id="one that has changed"),
        pytest.param([fact("a", 300), fact("b", 150), fact("c", 200)], 200, id="the median of several"),
        pytest.param([fact("a", 20)], 100, id="never less than restartTime"),
        pytest.param([fact("a", 9000)], 400, id="at most four times restartTime"),
        pytest.param([fact("a", 300, template=OTHER)], 100, id="another template"),
        pytest.param([fact("a", 300, template="")], 100, id="no template"),
        pytest.param([fact("a", 300, namespace="others")], 100, id="another namespace"),
        pytest.param([fact("a", 300, elastic=COMES_AND_GOES)], 100, id="another mode"),
        pytest.param([fact("a", 300, elastic=None)], 100, id="one that is no longer elastic"),
        pytest.param([fact("a", 300), fact("a", 200, version="2")], 200, id="a later change of the same gang"),
        pytest.param([fact("a", 300), fact("a", 300, template=OTHER, version="2")], 100, id="a gang that became other"),
    ],
)
def test_gang_that_has_not_changed_expects_what_gangs_of_its_template_took(others, want):
    assert expected(known(*others)) == want


def test_its_own_last_change_counts_first():
    assert expected(known(fact("a", 300)), fact("g", 150)) == 150


def test_gang_without_a_template_counts_by_itself():
    assert expected(known(fact("a", 300, template="")), fact("g", template="")) == 100


def test_gang_of_one_size_has_no_terms():
    assert State(lambda: None).change_times.terms(fact("g", elastic=None)) is None


def test_only_the_newest_changes_count_whatever_the_order_in_which_they_become_known():
    old = [fact(f"old-{number}", 390, began_at=number) for number in range(20)]
    new = [fact(f"new-{number}", 200, began_at=100.0 + number) for number in range(MOST_CHANGES)]

    assert (expected(known(*old, *new)), expected(known(*new, *old))) == (200, 200)


def test_gang_that_is_gone_no_longer_counts():
    gone = fact("a", 300)
    state = known(gone, fact("b", 200))
    state.remove_gang(gone.key, gone.uid)

    assert expected(state) == 200


def test_templates_of_one_tenant_do_not_drop_those_of_another():
    one = fact("a", 300)
    many = (fact(f"b{number}", 200, template=f"{number:032x}", namespace="others") for number in range(MOST_TEMPLATES))

    assert expected(known(one, *many)) == 300


@pytest.mark.parametrize("work", [None, SerialWork(serial=100)])
def test_gang_that_waits_may_change_its_size_later_if_its_work_is_known(work):
    waits, state = fact("g"), known(fact("a", 300))
    waits = replace(waits, spec=replace(waits.spec, work=work))

    terms = state.change_times.terms_of_waiting([waits, fact("rigid", elastic=None)])

    assert terms == ({waits.key: ChangeTerms(300.0, 600.0)} if work else {})
