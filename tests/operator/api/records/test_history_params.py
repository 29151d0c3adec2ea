"""Questions about records as queries: each is read as it was asked, and nonsense has a clause that names the field."""

import pytest

from lockstep.api.records.history_params import (
    HistoryQuestionError,
    history_params,
    parse_history,
    parse_scoped,
    scope_params,
)
from lockstep.facts.records.history_question import HistoryQuestion, HistoryScope, SumBy

NOW = 10_000_000.0
DAY = 86_400


@pytest.mark.parametrize(
    "asked",
    [
        pytest.param(HistoryQuestion(since=1, until=2), id="gangs"),
        pytest.param(HistoryQuestion(since=1, until=2, losses=True, limit=1000), id="losses"),
        pytest.param(HistoryQuestion(since=1, until=2, by=SumBy.WEEK, user="a&b", sweep="s", name="n"), id="sums"),
    ],
)
@pytest.mark.parametrize("with_pod_gangs", [True, False])
def test_question_is_read_as_it_was_asked(asked, with_pod_gangs):
    scope = HistoryScope(namespace="tenant", made=7, with_pod_gangs=with_pod_gangs)

    assert parse_history(history_params(asked), NOW) == asked
    assert parse_scoped({**history_params(asked), **scope_params(scope)}, NOW) == (asked, scope)


def test_question_without_a_period_is_of_the_last_thirty_days():
    assert parse_history({}, NOW) == HistoryQuestion(since=10_000_000 - 30 * DAY, until=10_000_000)


def test_what_clients_add_to_every_request_asks_for_nothing():
    assert parse_history({"timeout": "10s", "pretty": "true"}, NOW) == parse_history({}, NOW)


@pytest.mark.parametrize(
    ("query", "want"),
    [
        pytest.param({"since": "yesterday"}, "since is not a time such as 2026-11-01T00:00:00Z", id="since"),
        pytest.param({"since": "2026-01-01T99:99:99Z"}, "since is not a time such as 2026-11-01T00:00:00Z", id="hour"),
        pytest.param({"until": "2026"}, "until is not a time such as 2026-11-01T00:00:00Z", id="until"),
        pytest.param({"by": "node"}, "by is none of namespace, group, user, week", id="by"),
        pytest.param({"losses": "yes"}, "losses is neither true nor false", id="losses"),
        pytest.param({"by": "user", "losses": "true"}, "use only one of by and losses", id="both"),
        pytest.param({"limit": "0"}, "limit is not from 1 to 1000", id="none"),
        pytest.param({"limit": "1" * 5000}, "limit is not from 1 to 1000", id="too many"),
        pytest.param({"user": "u" * 257}, "user has 257 characters, and may have at most 256", id="long"),
        pytest.param({"namespace": "zebra"}, "a query of the history has no parameter namespace", id="of the scope"),
    ],
)
def test_nonsense_has_a_clause_that_names_the_field(query, want):
    with pytest.raises(HistoryQuestionError) as caught:
        parse_history(query, NOW)
    assert str(caught.value) == want


@pytest.mark.parametrize("missing", ["namespace", "made", "podGangs"])
def test_recorder_answers_about_no_more_than_it_is_asked(missing):
    """A field of the scope that is missing widens nothing."""
    scope = scope_params(HistoryScope(namespace="tenant", made=7, with_pod_gangs=False))
    del scope[missing]

    with pytest.raises(HistoryQuestionError, match=f"has no {missing}"):
        parse_scoped(scope, NOW)
