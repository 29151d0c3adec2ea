"""What is remembered of admission's verdicts on a gang's template."""

from dataclasses import replace

import pytest

from builders.facts import ONE_CPU, gang_fact, gang_spec
from coschedule import GangKey
from lockstep.belief.common.shared_verdicts import MOST_OF_A_NAMESPACE
from lockstep.belief.state import State
from lockstep.facts.gang.gang import Refusal
from lockstep.facts.gang.status import ConditionFact, GangStatus
from lockstep.facts.reasons import Reason
from lockstep.report.text.admission import changes

TWO_CPU = tuple((name, 2000 if name == "cpu" else amount) for name, amount in ONE_CPU)
REFUSED = Refusal(Reason.TEMPLATE_REFUSED, "The API server refuses the members: no.")
GANG = gang_fact(spec=gang_spec())
WRITTEN = {"": GANG.spec.roles[0].needs}
LARGER = {"": GANG.spec.roles[0].needs._replace(request=TWO_CPU)}


@pytest.fixture
def state():
    state = State(lambda: None)
    state.apply_gang(GANG)
    state.changes.begin_plan()
    return state


def known(state):
    return state.gangs[GANG.key]


def test_gang_is_planned_as_admission_makes_it(state):
    assert state.apply_verdict(GANG, LARGER)

    assert known(state).spec.roles[0].request == TWO_CPU
    assert changes(known(state).spec) == "cpu 2 instead of 1"
    assert state.changes.is_plan_due


def test_same_verdict_is_no_change(state):
    state.apply_verdict(GANG, LARGER)
    state.changes.begin_plan()

    assert not state.apply_verdict(GANG, LARGER)
    assert not state.apply_verdict(GANG, {"": LARGER[""]._replace()})
    assert not state.changes.is_plan_due


def test_nothing_is_kept_of_a_gang_that_admission_leaves_alone(state):
    assert not state.apply_verdict(GANG, WRITTEN)

    assert known(state) is GANG


def test_nothing_is_kept_of_a_gang_that_is_refused_for_what_it_says_by_now(state):
    state.apply_gang(replace(GANG.refused(REFUSED), resource_version="2", generation=2))

    assert not state.apply_verdict(GANG, LARGER)
    assert known(state).refusal == REFUSED


def test_older_fact_of_the_gang_does_not_undo_what_was_learnt(state):
    state.apply_verdict(GANG, LARGER)

    state.apply_gang(replace(GANG, resource_version="2"))

    assert known(state).spec.roles[0].request == TWO_CPU


def test_refused_gang_has_a_refusal_and_is_itself_again_when_it_is_taken(state):
    state.apply_verdict(GANG, REFUSED)
    assert (known(state).spec, known(state).refusal) == (None, REFUSED)

    assert state.apply_verdict(known(state), WRITTEN)
    # A report that was on its way brings the refused fact once more.
    state.apply_gang(replace(GANG.refused(REFUSED), resource_version="2"))

    assert (known(state).spec, known(state).refusal) == (GANG.spec, None)


def test_change_of_the_spec_lifts_a_refusal_but_keeps_what_admission_adds(state):
    state.apply_verdict(GANG, REFUSED)
    state.apply_gang(replace(GANG, generation=2, resource_version="2"))
    assert known(state).spec == GANG.spec

    state.apply_verdict(known(state), LARGER)
    state.apply_gang(replace(GANG, generation=3, resource_version="3"))

    assert known(state).spec.roles[0].request == TWO_CPU


def test_change_that_makes_a_spec_invalid_is_reported_as_such(state):
    invalid = Refusal(Reason.INVALID_SPEC, "no.")
    state.apply_verdict(GANG, LARGER)

    state.apply_gang(replace(GANG.refused(invalid), generation=2, resource_version="2"))

    assert known(state).refusal == invalid


def test_next_process_learns_a_refusal_from_the_status():
    condition = ConditionFact("Accepted", "False", Reason.TEMPLATE_REFUSED, REFUSED.message, 1, 0.0)
    state = State(lambda: None)

    state.apply_gang(replace(GANG, status=GangStatus(conditions=(condition,))))
    assert known(state).refusal == REFUSED
    assert state.templates.written(known(state)) == GANG.spec

    state.apply_gang(replace(GANG, generation=2, resource_version="2", status=GangStatus(conditions=(condition,))))
    assert known(state).refusal is None


def test_later_gang_of_the_template_is_planned_so_from_the_start(state):
    state.apply_verdict(GANG, LARGER)

    state.apply_gang(gang_fact("second", spec=gang_spec(size=5)))
    state.apply_gang(gang_fact("other", spec=gang_spec(template={"spec": {"containers": []}})))

    assert state.gangs[("default", "second")].spec.roles[0].request == TWO_CPU
    assert state.gangs[("default", "other")].spec.roles[0].request == ONE_CPU


def test_newest_sight_of_a_template_counts_for_later_gangs(state):
    state.apply_verdict(GANG, LARGER)
    state.templates.observe(GANG, WRITTEN)

    state.apply_gang(gang_fact("second", spec=gang_spec()))

    assert state.gangs[("default", "second")].spec.roles[0].request == ONE_CPU
    assert known(state).spec.roles[0].request == TWO_CPU


def test_refusal_is_the_gangs_own(state):
    state.apply_verdict(GANG, REFUSED)

    state.apply_gang(gang_fact("second", spec=gang_spec()))

    assert state.gangs[("default", "second")].refusal is None


def test_shared_templates_of_a_namespace_are_bounded(state):
    for number in range(MOST_OF_A_NAMESPACE + 1):
        submit_and_learn(state, "default", f"h{number}")

    assert request_of_later_gang(state, "default", "h0") == ONE_CPU
    assert request_of_later_gang(state, "default", f"h{MOST_OF_A_NAMESPACE}") == TWO_CPU


def test_namespace_with_many_templates_pushes_out_its_own(state):
    submit_and_learn(state, "quiet", "h0")
    for namespace in range(20):
        for number in range(MOST_OF_A_NAMESPACE):
            submit_and_learn(state, f"loud-{namespace}", f"h{number}")

    assert request_of_later_gang(state, "quiet", "h0") == TWO_CPU


def test_template_is_kept_for_its_namespace_alone(state):
    submit_and_learn(state, "quiet", "h0")
    submit_and_learn(state, "other", "h1")

    assert request_of_later_gang(state, "other", "h0") == ONE_CPU


def submit_and_learn(state, namespace, hostname):
    """Admission gives members of that template in that namespace another CPU."""
    one = gang_of(namespace, hostname, "first")
    state.apply_gang(one)
    state.apply_verdict(one, LARGER)


def request_of_later_gang(state, namespace, hostname):
    one = gang_of(namespace, hostname, "later")
    state.apply_gang(one)
    return state.gangs[one.key].spec.roles[0].request


def gang_of(namespace, hostname, name):
    fact = gang_fact(f"{name}-{hostname}", spec=gang_spec(template={"spec": {"containers": [], "hostname": hostname}}))
    return replace(fact, key=GangKey(namespace, fact.key.name), uid=f"{namespace}-{fact.uid}")


def test_verdict_on_a_gang_that_is_gone_is_of_no_other(state):
    state.apply_gang(replace(GANG, uid="another"))

    assert not state.apply_verdict(GANG, REFUSED)
    assert known(state).refusal is None
