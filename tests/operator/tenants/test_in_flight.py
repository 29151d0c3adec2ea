"""A crowd takes no place from a user who asks one question."""

from contextlib import ExitStack

import pytest

from lockstep.tenants.fair_turns import TooManyWaitError
from lockstep.tenants.in_flight import MOST_IN_FLIGHT, MOST_IN_FLIGHT_OF_PARTY, QuestionsInFlight


def test_one_party_has_few_places_and_gets_them_back():
    questions = QuestionsInFlight()
    for _ in range(2):
        with ExitStack() as asked:
            for _ in range(MOST_IN_FLIGHT_OF_PARTY):
                asked.enter_context(questions.one("jane"))
            with pytest.raises(TooManyWaitError), questions.one("jane"):
                pass
            with questions.one("joe"):
                pass


def test_in_a_crowd_each_party_has_one_place():
    questions = QuestionsInFlight()
    with ExitStack() as asked:
        for number in range(MOST_IN_FLIGHT):
            asked.enter_context(questions.one(f"u{number // MOST_IN_FLIGHT_OF_PARTY}"))
        with questions.one("joe"), pytest.raises(TooManyWaitError), questions.one("joe"):
            pass


def test_nothing_is_kept_of_parties_that_have_left():
    questions = QuestionsInFlight()
    for number in range(3):
        with pytest.raises(KeyError), questions.one(f"u{number}"):
            raise KeyError
    assert not questions._of
