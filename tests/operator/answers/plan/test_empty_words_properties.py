"""No sentence says what is of no use: no time of nothing, nothing unknown, no number that is none."""

import math
import re

import pytest

from coschedule import Interruptible, Load, Placement, plan
from engine.builders import NOW, gang, node, running, seeded, snapshot
from lockstep.answers.plan.chart import ASCII
from lockstep.answers.plan.document import waiting_document
from lockstep.answers.plan.recorded import RecordedSnapshot, planned_before
from lockstep.answers.plan.text import delays_line, waiting_lines
from lockstep.answers.plan.waiting import answer_about
from lockstep.report.text.placement_sentences import chosen
from lockstep.report.text.refusal_sentences import format_refusal
from lockstep.report.text.sentences import as_sentence

EMPTY = re.compile(r"\S* ?\S* (?:0(?:\.0+)? s\b|unknown\b|nan\b|-?inf\b|None\b(?! of))")
# A run may be as short, and an end as near, as anybody likes.
SPANS = (1e-7, 0.0004, 0.3, 0.49, 0.5, 1.0, 6, 59.7, 3600, 1e9)


@pytest.mark.parametrize("seed", range(60))
def test_answer_about_gangs_that_wait_has_no_empty_words(seed):
    facts = random_facts(seeded(seed))
    made = plan(facts)
    planned = planned_before(RecordedSnapshot(facts, made))

    said = [sentence for decision in planned.preempting.plan.decisions for sentence in sentences(decision)]
    for one in facts.gangs:
        answer = answer_about(planned, one.key)
        said += [" ".join(waiting_lines(answer, ASCII)), waiting_document(answer)["message"]]
    assert said
    assert [found.group() for one in said for found in EMPTY.finditer(one)] == []


def sentences(decision):
    """As conditions, events and the recorded plan have it."""
    if isinstance(decision, Placement):
        yield as_sentence(chosen(decision, now=NOW))
    else:
        yield as_sentence(format_refusal(decision.refusal))


def random_facts(rnd):
    """A small cluster with a queue: open and closing nodes, gangs with an end and without one, owners who come back."""
    nodes = [random_node(rnd, number) for number in range(rnd.randrange(1, 5))]
    runs = [
        running(f"r{number}", rnd.randrange(len(nodes)), end=rnd.choice([NOW + rnd.choice(SPANS), math.inf]))
        for number in range(rnd.randrange(3))
    ]
    return snapshot(
        nodes,
        [random_gang(rnd, number) for number in range(rnd.randrange(1, 5))],
        runs=runs,
        most_holding=rnd.randrange(2),
        edges=[NOW, NOW + 3600],
        returns=[[rnd.choice([0.0, 0.0, 1e-9, 0.3])] for _ in nodes],
    )


def random_node(rnd, number):
    return node(
        f"n{number}",
        free=rnd.randrange(3),
        start=rnd.choice([-math.inf, NOW + rnd.choice(SPANS), math.inf]),
        until=rnd.choice([math.inf, math.inf, NOW + rnd.choice(SPANS)]),
        slowdown=rnd.choice([0.001, 1.0, 1.5]),
    )


def random_gang(rnd, number):
    least, interruptible = rnd.randrange(1, 4), rnd.choice(list(Interruptible))
    return gang(
        f"g{number}",
        size=least,
        most=least + rnd.randrange(3),
        serial=rnd.choice([None, *SPANS]),
        deadline=rnd.choice([None, None, NOW + rnd.choice(SPANS)]),
        member_price=rnd.choice([0.0, 1e-9, 0.25]),
        not_before=rnd.choice([-math.inf, NOW + rnd.choice(SPANS)]),
        priority=rnd.randrange(2),
        load=rnd.choice([Load.EQUAL, Load.PROPORTIONAL]),
        interruptible=interruptible,
        checkpoints=60.0 if interruptible is Interruptible.CHECKPOINTED else math.inf,
    )


def test_times_by_which_others_are_delayed_have_no_empty_words():
    for span in SPANS:
        assert not EMPTY.search(delays_line([("default/a", span), ("default/b", math.inf)]))
