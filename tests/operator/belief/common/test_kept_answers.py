"""What is kept for those who ask again takes a bounded amount of memory, whatever anybody asks for."""

from coschedule import Requirement
from lockstep.belief.common.kept_answers import KeptAnswers
from lockstep.belief.pods.namespaces import Namespaces
from lockstep.facts.cluster.cluster import NamespaceFact


def test_answer_is_kept_until_something_changes():
    kept = KeptAnswers()
    assert kept.get("asked") is None

    assert kept.keep("asked", "answer", 1) == "answer"
    assert kept.get("asked") == "answer"
    kept.forget()
    assert kept.get("asked") is None


def test_newest_answer_is_kept_where_all_would_take_too_much():
    kept = KeptAnswers(3_000)

    for number in range(3):
        kept.keep(number, "answer", 400)
    assert [kept.get(number) for number in range(3)] == ["answer"] * 3
    kept.keep(3, "answer", 400)
    assert [kept.get(number) for number in range(4)] == [None, None, None, "answer"]


def test_one_large_question_counts_as_many_small_ones():
    small, large = KeptAnswers(100_000), KeptAnswers(100_000)

    for number in range(100):
        small.keep(number, "answer", 10)
        large.keep(number, "answer", 50_000)

    assert (len(small), len(large)) == (100, 1)


def test_answer_that_takes_the_place_of_another_takes_its_memory():
    kept = KeptAnswers(3_000)
    kept.keep("other", "answer", 400)

    for number in range(100):
        kept.keep("asked", number, 400)

    assert (kept.get("other"), kept.get("asked")) == ("answer", 99)


def test_selectors_of_namespaces_that_are_large_are_not_all_kept():
    namespaces = Namespaces(lambda: None)
    namespaces.apply(NamespaceFact("team", {"size": "v1"}))
    values = tuple(f"v{number}" for number in range(10_000))
    selectors = [(Requirement("size", "In", (f"w{number}", *values)),) for number in range(200)]

    chosen = [namespaces.chosen_by(selector) for selector in selectors]

    assert set(chosen) == {frozenset({"team"})}
    assert len(namespaces._chosen) < 20
