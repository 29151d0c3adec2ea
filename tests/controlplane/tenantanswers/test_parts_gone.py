"""What a tenant sees while the operator's leader is dead, or the recorder."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

from eventually import eventually
from live.outages import dead
from live.tenant_answers import asked, refusal

PATHS = ("queues/default", "gangjobexplanations/mine", "timelines/default")


def test_answers_go_on_with_their_time_though_the_leader_dies_while_some_are_asked_for(arena, editor, operator):
    """The server of answers reads the cluster itself, and plans with the settings that the leader has published."""

    def ask(path):
        return asked(arena, editor, f"tenant/{path}")

    with ThreadPoolExecutor(len(PATHS)) as askers:
        in_hand = [askers.submit(ask, path) for path in PATHS]
        with dead(operator):
            died = datetime.now(UTC)
            answers = [one.result() for one in in_hand]
            assert {one["kind"] for one in answers} == {"Queue", "GangJobExplanation", "Timeline"}

            # A plan is kept for ten times as long as it takes, which may be a minute on a busy machine.
            newer = eventually(lambda: now_of(answer := ask(PATHS[0])) > died and answer, every=1)
            assert {one["name"] for one in newer["gangs"]} == {"blocked", "mine", "pinned"}
            assert ask(PATHS[1])["plan"]["reason"] == "StartsLater"


def test_record_can_not_be_read_while_the_recorder_is_dead_and_other_answers_go_on(arena, editor, recorder):
    with dead(recorder):
        said = refusal(arena, editor, "tenant/histories/default")
        assert "ServiceUnavailable" in said
        assert "The record of gangs can't be read now." in said
        assert asked(arena, editor, "tenant/queues/default")["kind"] == "Queue"

    eventually(recorder.is_ready, every=0.25)
    assert asked(arena, editor, "tenant/histories/default")["kind"] == "History"


def now_of(answer):
    """When the cluster was read that an answer is about."""
    return datetime.fromisoformat(answer["now"])
