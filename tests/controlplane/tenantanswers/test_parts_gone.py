"""What a tenant sees while the recorder is dead."""

from contextlib import contextmanager

from eventually import eventually
from live.tenant_answers import asked, refusal


@contextmanager
def gone(recorder):
    recorder.kill()
    try:
        yield
    finally:
        recorder.start()


def test_record_can_not_be_read_while_the_recorder_is_dead_and_other_answers_go_on(arena, editor, recorder):
    with gone(recorder):
        said = refusal(arena, editor, "tenant/histories/default")
        assert "ServiceUnavailable" in said
        assert "The record of gangs can't be read now." in said
        assert asked(arena, editor, "tenant/queues/default")["kind"] == "Queue"

    eventually(recorder.is_ready, every=0.25)
    assert asked(arena, editor, "tenant/histories/default")["kind"] == "History"
