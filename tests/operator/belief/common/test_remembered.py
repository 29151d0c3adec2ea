"""What was worked out of a gang is worked out again only where it may have changed."""

from dataclasses import replace

from builders.facts import claim_fact, gang_fact, gang_spec, node_fact
from lockstep.belief.common.remembered import Remembered
from lockstep.belief.state import State
from lockstep.facts.cluster.volume import ClaimKey, ClaimUse


def asking(remembered, gang, stamp, answers):
    """Ask one and the same question; what is answered anew is noted."""

    def answer():
        answers.append(stamp)
        return stamp

    return remembered.of(gang, stamp, asking, answer)


def test_answer_is_kept_for_the_same_spec_and_stamp():
    remembered, gang, answers = Remembered(lambda _: True), gang_fact(), []

    assert [asking(remembered, gang, 1, answers) for _ in range(3)] == [1, 1, 1]
    assert asking(remembered, gang, 2, answers) == 2
    assert answers == [1, 2]


def test_gang_that_quotas_narrow_is_asked_about_in_two_ways_without_forgetting_either():
    remembered, gang, answers = Remembered(lambda _: True), gang_fact(), []
    narrowed = replace(gang, spec=gang_spec(size=1))

    for _ in range(3):
        asking(remembered, gang, 1, answers)
        asking(remembered, narrowed, 1, answers)

    assert answers == [1, 1]


def test_nothing_is_kept_of_a_gang_that_is_gone():
    there = {"uid-of-g"}
    remembered, gang, answers = Remembered(lambda one: one.uid in there), gang_fact(), []
    asking(remembered, gang, 1, answers)
    there.clear()
    remembered.forget(gang.uid)

    for _ in range(2):
        asking(remembered, gang, 1, answers)

    assert answers == [1, 1, 1]


def test_claims_of_other_namespaces_change_nothing_that_is_known_of_a_gang():
    state, asked = State(lambda: None), []
    state.nodes.apply(node_fact())
    gang = gang_fact(spec=gang_spec(claims=(ClaimUse("field", "data"),)))
    state.apply_gang(gang)

    def question(claims, one):
        asked.append(one.key)

    def times():
        state.claims.remembered(question, state.gangs[gang.key])
        return len(asked)

    assert (times(), times()) == (1, 1)
    state.claims.apply_claim(claim_fact("data", namespace="elsewhere"))
    assert times() == 1
    state.claims.apply_claim(claim_fact("data"))
    assert (times(), times()) == (2, 2)
    state.claims.apply_claim(claim_fact("more"))
    assert times() == 3
    state.nodes.apply(node_fact(cpu=1))
    assert times() == 3
    state.nodes.apply(node_fact(labels={"zone": "east"}))
    assert times() == 4


def test_namespace_without_claims_is_as_it_was_before_it_had_any():
    state = State(lambda: None)
    before = state.claims.stamp("default")
    state.claims.apply_claim(claim_fact("data"))
    between = state.claims.stamp("default")
    state.claims.remove_claim(ClaimKey("default", "data"))

    assert state.claims.stamp("default") == before != between
