"""The agent's file: what comes back after a restart, what is dropped, and why."""

import json
import os
from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lockstep.agent.history.history import History, HourOfLoad
from lockstep.agent.history.history_file import LARGEST, Dropped, DropReason, Learnt, load, save
from lockstep.agent.history.hours import ClockHour
from lockstep.agent.measuring.capacity import REFERENCE, MeasuredCapacity

TODAY = 739_943
ON = "Some Processor 7, Python 3.11"


def learnt(*, day=TODAY):
    hours = [HourOfLoad(0.25, 1.0), None] * 12
    return Learnt(
        history=History(days={day - 1: hours, day: hours}, running=ClockHour(day, 13), fives=[HourOfLoad(0.125, 0.5)]),
        capacity=MeasuredCapacity(bests=[(1_795_000_000.0, 6_500_000.0)]),
        owner=(True, 1_795_440_000.5),
    )


def saved(path, **changes):
    """Save, then change the document."""
    assert save(path, learnt(), ON) is None
    document = json.loads(path.read_text())
    path.write_text(json.dumps(document | changes))


def test_what_was_learnt_comes_back(tmp_path):
    path = tmp_path / "history.json"

    assert save(path, learnt(), ON) is None

    assert load(path, today=TODAY, measured_on=ON) == learnt()
    assert [file.name for file in tmp_path.iterdir()] == ["history.json"]


def test_nothing_learnt_is_saved_too(tmp_path):
    path = tmp_path / "history.json"

    assert save(path, Learnt(), ON) is None

    assert load(path, today=TODAY, measured_on=ON) == Learnt()


def test_file_that_is_not_there_is_no_trouble(tmp_path):
    assert load(tmp_path / "history.json", today=TODAY, measured_on=ON) is None


def test_speed_of_another_processor_is_left_out(tmp_path):
    path = tmp_path / "history.json"
    save(path, learnt(), ON)

    found = load(path, today=TODAY, measured_on="Another Processor 8, Python 3.11")

    assert found.capacity == MeasuredCapacity()
    assert found.history == learnt().history


def test_file_of_a_full_history_is_small(tmp_path):
    path = tmp_path / "history.json"
    full = Learnt(history=History(days={TODAY - day: [HourOfLoad(0.123456, 0.654321)] * 24 for day in range(40)}))

    save(path, full, ON)

    assert path.stat().st_size < LARGEST / 2
    assert isinstance(load(path, today=TODAY, measured_on=ON), Learnt)


@pytest.mark.parametrize(
    ("text", "want"),
    [
        pytest.param(b"", DropReason.CORRUPT, id="empty"),
        pytest.param(b"\x00\xff\xfe\x80" * 100, DropReason.CORRUPT, id="binary"),
        pytest.param(b'{"format":"lockstep agent his', DropReason.CORRUPT, id="half-written"),
        pytest.param(b"[" * 60_000, DropReason.CORRUPT, id="deep"),
        pytest.param(b"9" * 10_000, DropReason.CORRUPT, id="a number of 10,000 digits"),
        pytest.param(b" " * (LARGEST + 1), DropReason.TOO_LARGE, id="huge"),
        pytest.param(b"[]", DropReason.FOREIGN, id="a list"),
        pytest.param(b"null", DropReason.FOREIGN, id="null"),
        pytest.param(b'{"some": "settings"}', DropReason.FOREIGN, id="of another program"),
        pytest.param(b'{"format":"lockstep agent history","version":2}', DropReason.FOREIGN, id="of another version"),
        pytest.param(b'{"format":"lockstep agent history","version":1}', DropReason.CORRUPT, id="with nothing in it"),
    ],
)
def test_file_that_cannot_be_used_is_dropped_with_a_sentence(tmp_path, text, want):
    path = tmp_path / "history.json"
    path.write_bytes(text)

    found = load(path, today=TODAY, measured_on=ON)

    assert isinstance(found, Dropped)
    assert found.reason is want
    assert found.sentence.startswith(str(path))
    assert found.sentence.endswith(".")


HOURS = [[0.5, 0.5]] * 24


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"days": [[TODAY, HOURS[1:]]]}, id="a day of 23 hours"),
        pytest.param({"days": [[TODAY, [[-0.1, 0.5]] * 24]]}, id="a negative share"),
        pytest.param({"days": [[TODAY, [[10**30, 0.5]] * 24]]}, id="a share of ten to the thirty"),
        pytest.param({"days": [[TODAY, [[float("nan"), 0.5]] * 24]]}, id="a share that is no number"),
        pytest.param({"days": [[TODAY, [["0", 0.5]] * 24]]}, id="a share in quotes"),
        pytest.param({"days": [[10**30, HOURS]]}, id="a day that no calendar has"),
        pytest.param({"days": [[-5, HOURS]]}, id="a day before all days"),
        pytest.param({"days": {"today": HOURS}}, id="days by name"),
        pytest.param({"days": None}, id="no days"),
        pytest.param({"running": [TODAY, 24, []]}, id="an hour after the last"),
        pytest.param({"running": [TODAY, 1.5, []]}, id="half an hour"),
        pytest.param({"running": [TODAY]}, id="an hour that is cut off"),
        pytest.param({"bests": [[0, -1]]}, id="a negative speed"),
        pytest.param({"bests": [[0, float("inf")]]}, id="an infinite speed"),
        pytest.param({"bests": [[0, 1e308]]}, id="a speed that no processor has"),
        pytest.param({"bests": [[0, 10.01 * REFERENCE]]}, id="a speed a little above the fastest"),
        pytest.param({"bests": [[0, 0.099 * REFERENCE]]}, id="a speed a little below the slowest"),
        pytest.param({"bests": [10**400]}, id="a speed without its time"),
        pytest.param({"bests": [[10**400, 1]]}, id="a time of four hundred digits"),
        pytest.param({"owner": [True, 1e300]}, id="an owner of a time that no calendar has"),
        pytest.param({"owner": "away"}, id="an owner in words"),
    ],
)
def test_document_with_impossible_values_is_corrupt(tmp_path, changes):
    path = tmp_path / "history.json"
    saved(path, **changes)

    found = load(path, today=TODAY, measured_on=ON)

    assert isinstance(found, Dropped)
    assert found.reason is DropReason.CORRUPT


OLD = Dropped(reason=DropReason.OLD, sentence="history.json has nothing of the last 30 days.")


def loaded_on(tmp_path, kept, today):
    """What is loaded of a file with that history; of a sentence without the folder."""
    path = tmp_path / "history.json"
    save(path, Learnt(history=kept), ON)
    found = load(path, today=today, measured_on=ON)
    if isinstance(found, Dropped):
        return Dropped(reason=found.reason, sentence=found.sentence.removeprefix(f"{tmp_path}{os.sep}"))
    return found.history


@pytest.mark.parametrize(
    ("days_later", "is_kept"),
    [
        pytest.param(30, True, id="thirty days"),
        pytest.param(31, False, id="thirty-one days"),
        pytest.param(4000, False, id="eleven years"),
        pytest.param(-1, True, id="by a clock that is a little behind"),
        pytest.param(-4000, False, id="of the future only"),
    ],
)
def test_file_is_old_after_thirty_days(tmp_path, days_later, is_kept):
    kept = History(days={TODAY: [HourOfLoad(0.25, 1.0)] * 24})

    assert loaded_on(tmp_path, kept, TODAY + days_later) == (kept if is_kept else OLD)


@pytest.mark.parametrize(("days_later", "is_kept"), [(30, True), (31, False), (500, False)])
def test_file_without_a_whole_hour_is_as_old_as_the_hour_that_ran(tmp_path, days_later, is_kept):
    kept = History(running=ClockHour(TODAY, 3), fives=[HourOfLoad(0.25, 1.0)] * 12)

    assert loaded_on(tmp_path, kept, TODAY + days_later) == (kept if is_kept else OLD)


def test_day_of_the_future_makes_no_old_file_young(tmp_path):
    hours = [HourOfLoad(0.25, 1.0)] * 24

    assert loaded_on(tmp_path, History(days={TODAY - 400: hours, TODAY + 1000: hours}), TODAY) == OLD
    kept = History(days={TODAY - 1: hours, TODAY + 1000: hours})
    assert loaded_on(tmp_path, kept, TODAY) == kept


def test_pipe_and_folder_in_the_file_s_place_are_no_history(tmp_path):
    os.mkfifo(tmp_path / "pipe")

    assert load(tmp_path / "pipe", today=TODAY, measured_on=ON) is None
    assert load(tmp_path, today=TODAY, measured_on=ON) is None


def test_file_that_cannot_be_written_is_a_sentence_and_leaves_the_old_one(tmp_path):
    path = tmp_path / "history.json"
    path.mkdir()

    assert save(path, learnt(), ON) == f"{path} cannot be written: history.json.new: Is a directory."
    assert save(tmp_path / "no such folder" / "history.json", learnt(), ON).endswith("No such file or directory.")


def put_pipe(place):
    os.mkfifo(place)


def put_link(place):
    place.symlink_to(place.parent / "elsewhere")


def put_dangling_link(place):
    place.symlink_to(place.parent / "nowhere")


@pytest.mark.parametrize("name", ["history.json", "history.json.new"])
@pytest.mark.parametrize("put", [put_pipe, put_link, put_dangling_link])
def test_pipe_or_link_in_the_way_is_replaced_and_leads_nowhere(tmp_path, name, put):
    path, elsewhere = tmp_path / "history.json", tmp_path / "elsewhere"
    elsewhere.write_text("of another process")
    put(tmp_path / name)

    assert saved_meanwhile(path) == [None]

    assert load(path, today=TODAY, measured_on=ON) == learnt()
    assert path.is_file()
    assert not path.is_symlink()
    assert elsewhere.read_text() == "of another process"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["elsewhere", "history.json"]


def test_folder_in_the_place_of_the_new_file_is_a_sentence_and_leaves_the_old_one(tmp_path):
    path = tmp_path / "history.json"
    save(path, learnt(), ON)
    (tmp_path / "history.json.new").mkdir()

    assert save(path, Learnt(), ON) == f"{path} cannot be written: history.json.new: Is a directory."

    assert load(path, today=TODAY, measured_on=ON) == learnt()


def saved_meanwhile(path):
    """What saving returned; nothing where it waits for a reader that does not exist."""
    returned = []
    saving = Thread(target=lambda: returned.append(save(path, learnt(), ON)), daemon=True)
    saving.start()
    saving.join(30)
    return returned


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=20,
)


@given(st.sampled_from(["days", "running", "owner", "bests", "measuredOn"]), values)
def test_any_document_is_understood_or_dropped(tmp_path_factory, name, value):
    path = tmp_path_factory.mktemp("any") / "history.json"
    saved(path, **{name: value})

    found = load(path, today=TODAY, measured_on=ON)

    assert isinstance(found, Learnt | Dropped)
