"""What finished runs show of a gang's run time: the block to paste, how sure it is, and what is missing."""

import pytest
import yaml

from builders.facts import DEFAULT, gang_fact, gang_spec, profile_work, role_spec
from coschedule import GangKey, Load, SerialWork
from lockstep.answers.profile.profile import MOST_ROWS, answer_profile
from lockstep.answers.profile.profile_document import profile_document
from lockstep.answers.profile.profile_text import profile_lines
from lockstep.answers.reading.errors import AnswerError
from lockstep.api.gangjob.finished_runs import format_runs
from lockstep.api.gangjob.work import parse_work
from lockstep.facts.gang.gang import Refusal
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.past_runs import run_of

HEAT = "0" * 32
STATED = SerialWork(serial=600.0)
OFF = (0.99, 1.0, 1.01, 1.02, 0.98, 1.01, 0.99)


def run(size, seconds, slowdown=1.25):
    return run_of(seconds / (600 / size), members=size, slowdown=slowdown, seconds=seconds * slowdown)


def amdahl(*sizes):
    """Runs that took 500 s/P and 20 s, with a little noise."""
    return [run(size, (500 / size + 20) * OFF[number % len(OFF)]) for number, size in enumerate(sizes)]


def gang(name="heat", runs=(), *, size=1, most=16, finished=None, template=HEAT, **more):
    return gang_fact(
        name,
        spec=gang_spec(**{"size": size, "most": most, "work": STATED, "run_template": template, **more}),
        status=GangStatus(past_runs=format_runs(tuple(runs)), finished_at=finished),
    )


def answer(*gangs, name="heat"):
    return answer_profile(gangs, GangKey(DEFAULT, name))


def text(*gangs):
    return "\n".join(profile_lines(answer(*gangs), "#"))


def test_block_can_be_pasted_and_has_the_law_of_the_runs():
    shown = text(gang(runs=amdahl(*[1, 2, 4, 8] * 3)))

    block = shown.split("To paste into its spec:\n\n")[1].split("\n\n")[0]
    work = parse_work(yaml.safe_load(block)["work"], 16)
    assert float(work.serial) == pytest.approx(500, rel=0.03)
    assert float(work.fixed) == pytest.approx(20, rel=0.2)
    assert (work.per_member, work.per_log_member) == (0, 0)
    assert block.count("# may be off by ") == 2


@pytest.mark.parametrize(
    ("seconds", "want"),
    [
        pytest.param(lambda size: 6e9 / size, {"serialTime": "876000h"}, id="serial time"),
        pytest.param(lambda size: 4e7 * size, {"overhead": {"perMember": "8760h"}}, id="overhead"),
    ],
)
def test_law_that_no_spec_may_state_is_cut_to_what_it_may_and_said_so(seconds, want):
    runs = [run(size, seconds(size) * off) for size in (8, 10, 16) for off in OFF]

    found = answer(gang(runs=runs))

    block = profile_document(found)["work"]
    assert {name: block[name] for name in want} == want
    assert parse_work(block, 16) is not None
    said = (
        "Its formula gives longer times than a spec may state: the block has the largest values, a serialTime of "
        "876000h or an overhead"
    )
    assert said in " ".join(text(gang(runs=runs)).split())
    assert said.lower() in profile_document(found)["message"].lower()


def test_law_without_overhead_has_none_to_paste():
    shown = text(gang(runs=[run(size, 600 / size * off) for size in (1, 2, 4) for off in OFF]))

    assert "overhead" not in shown
    assert "So its spec is as good, and you need not change it." in shown


def test_forecast_stands_beside_what_runs_took():
    shown = text(gang(runs=amdahl(1, 2, 4, 1, 2, 4, 1), size=1, most=8))

    rows = [line.split() for line in shown.splitlines() if line.lstrip()[:1].isdigit()]
    assert [row[0] for row in rows] == ["1", "2", "4", "8"]
    assert [row[1] for row in rows] == ["3", "2", "2", "0"]
    assert rows[0][2].endswith("s")
    assert "o" in rows[0][-1]
    assert "o" not in rows[3][-1]
    assert "No run had more than 4 members: forecasts for such sizes are guesses." in " ".join(shown.split())


@pytest.mark.parametrize(
    ("runs", "sizes", "want"),
    [
        pytest.param(
            amdahl(*[4] * 7),
            (1, 16),
            "All 7 runs had 4 members, and a formula for the run time needs runs with 2 sizes: run it with 2 "
            "and 8 members to learn how it",
            id="one size",
        ),
        pytest.param(
            amdahl(*[1] * 5), (1, 3), "run it with 2 members to learn how it scales.", id="one size, the smallest"
        ),
        pytest.param(
            amdahl(*[4] * 5),
            (4, 4),
            "sizes, but its spec allows no other size: allow one, and run the gang with it.",
            id="fixed size",
        ),
        pytest.param(
            amdahl(2, 4),
            (1, 8),
            "Lockstep can compare 2 runs with 2 and 4 members, and a formula for the run time needs 5",
            id="two runs",
        ),
        pytest.param(
            amdahl(2), (1, 8), "1 run of its template is known. Lockstep can compare 1 run with 2 members", id="one run"
        ),
    ],
)
def test_what_is_missing_is_said(runs, sizes, want):
    least, most = sizes

    shown = " ".join(text(gang(runs=runs, size=least, most=most)).split())

    assert want in shown
    assert "work:" not in shown


@pytest.mark.parametrize(
    ("runs", "work", "want"),
    [
        pytest.param(
            [run(10, 66, 1.0)],
            {},
            "The last run succeeded in 1 min 6 s with 10 members, predicted 1 min; try serialTime 11m.",
            id="slower than stated",
        ),
        pytest.param([run(10, 61, 1.0)], {}, "predicted 1 min; there is no need to change its spec.", id="as stated"),
        pytest.param(
            [run(10, 30, 2.0)],
            {"work": SerialWork(serial=600.0, fixed=5, per_member=0.5)},
            "try serialTime 5m, overhead.fixed 2.5s, overhead.perMember 0.25s.",
            id="with overheads",
        ),
        pytest.param(
            [run(10, 120, 1.0)],
            {"work": profile_work({1: 60.0, 16: 60.0})},
            "multiply the times of its profile by 2.",
            id="measured times",
        ),
        pytest.param(
            [run(10, 60, 1.0), run(10, 600, 1.0), run(10, 66, 1.0)], {}, "try serialTime 11m.", id="the median"
        ),
    ],
)
def test_few_runs_correct_the_scale_of_what_is_stated(runs, work, want):
    shown = " ".join(text(gang(runs=runs, **work)).split())

    assert want in shown


def test_run_unlike_the_others_is_said_not_to_count():
    shown = text(gang(runs=[*amdahl(*[1, 2, 4] * 4), run(4, 9000)]))

    assert "1 run was unlike the others of the same size, and does not count." in shown


def test_runs_are_those_that_the_last_of_the_template_to_end_knew_of():
    waits, first, last = gang(), gang("first", amdahl(1), finished=10.0), gang("last", amdahl(1, 2), finished=20.0)
    other = gang("other", amdahl(1, 2, 4), finished=30.0, template="f" * 32)

    found = answer(waits, last, first, other)

    assert (found.source.name, len(found.runs)) == ("last", 2)
    assert "2 runs of its template are known, from the status of default/last." in text(waits, first, last, other)


def test_members_that_do_no_work_do_not_count():
    roles = [role_spec("launcher", size=1, load=Load.NONE), role_spec("worker", size=1, most=4)]

    found = answer(gang(runs=amdahl(*[1, 2] * 3), roles=roles))

    assert (found.least, found.most) == (1, 4)
    assert [row.members for row in found.rows] == [1, 2, 4]


def test_of_many_sizes_some_are_shown():
    found = answer(gang(runs=amdahl(*range(1, 51)), most=10_000))

    assert len(found.rows) == MOST_ROWS
    assert (found.rows[0].members, found.rows[-1].members) == (1, 10_000)


@pytest.mark.parametrize(
    ("gangs", "want"),
    [
        pytest.param([], "There is no GangJob default/heat.", id="no such gang"),
        pytest.param([gang(template="")], "states no work, so its runs are not compared: state a guess", id="no work"),
        pytest.param([gang()], "No run of the template of GangJob default/heat is known", id="no run"),
        pytest.param(
            [gang()],
            "With work.learn: true, plans also use what the operator has learned from deleted GangJobs.",
            id="runs that were deleted",
        ),
        pytest.param(
            [gang().refused(Refusal("InvalidSpec", "size: too large."))],
            "is refused: size",
            id="refused",
        ),
    ],
)
def test_what_has_no_answer_is_said_in_a_sentence(gangs, want):
    with pytest.raises(AnswerError, match=want):
        answer(*gangs)


def test_status_that_was_not_written_here_counts_for_nothing():
    forged = gang_fact(
        "heat", spec=gang_spec(work=STATED, run_template=HEAT), status=GangStatus(past_runs="9 9 9 9, 0 0 0 0")
    )

    with pytest.raises(AnswerError, match="No run of the template"):
        answer(forged)


def test_document_has_the_same_as_the_text():
    document = profile_document(answer(gang(runs=amdahl(*[1, 2, 4, 8] * 3))))

    assert parse_work(document["work"], 8).serial == pytest.approx(500, rel=0.03)
    assert document["error"] < document["statedError"]
    assert document["message"].startswith("Forecasts of 12 runs with 1, 2, 4 and 8 members are off by ")
    assert [row["members"] for row in document["foretold"]] == [1, 2, 4, 8, 16]
    assert document["runs"][0] == pytest.approx(
        {"members": 1, "seconds": 643.5, "slowdown": 1.25, "idleSeconds": 514.8, "timesAsStated": 0.858, "kind": ""}
    )


def by_kind(gpu=0.5):
    """Runs on two kinds of nodes, of which one is as said."""
    usual = [one._replace(kind="m5.large") for one in amdahl(*[1, 2, 4, 8] * 3)]
    fast = [run(size, gpu * (500 / size + 20))._replace(kind="gpu") for size in (1, 2, 4)]
    return [*usual, *fast]


def test_kinds_of_nodes_are_shown_with_how_many_runs():
    shown = text(gang(runs=by_kind()))

    assert "The kinds are the values of the label node.kubernetes.io/instance-type:" in shown
    rows = [line.split() for line in shown.splitlines() if line.endswith((" gpu", " m5.large"))]
    assert [(runs, kind) for runs, _, kind in rows] == [("3", "gpu"), ("12", "m5.large")]
    assert [float(times) for _, times, _ in rows] == pytest.approx([0.5, 1], rel=0.05)
    work = parse_work(profile_document(answer(gang(runs=by_kind())))["work"], 16)
    assert float(work.serial) == pytest.approx(500, rel=0.03), "the law is that of the usual kind"


def test_kinds_that_make_no_difference_are_said_to_make_none():
    document = profile_document(answer(gang(runs=by_kind(gpu=1.0))))

    assert "Kinds of nodes do not improve forecasts: with kinds they are off by" in " ".join(
        text(gang(runs=by_kind(1.0))).split()
    )
    assert [(one["kind"], one["runs"], one["isUsed"]) for one in document["kinds"]] == [
        ("gpu", 3, False),
        ("m5.large", 12, False),
    ]


def test_document_says_what_is_missing():
    document = profile_document(answer(gang(runs=amdahl(4))))

    assert (document["work"], document["foretold"], document["error"], document["statedError"]) == (
        None,
        [],
        None,
        None,
    )
    assert document["suggestedWork"] == {"serialTime": "574.2s"}
    assert (
        document["message"]
        == "Lockstep can compare 1 run with 4 members, and a formula for the run time needs 5 runs with 2 sizes."
    )


@pytest.mark.parametrize(
    "runs", [amdahl(*range(1, 51)), [run(10_000, 1e9 * (1 + n / 9)) for n in range(4)] + [run(1, 9)]]
)
def test_lines_fit_into_a_terminal(runs):
    assert max(len(line) for line in text(gang(runs=runs, most=10_000)).splitlines()) <= 100
