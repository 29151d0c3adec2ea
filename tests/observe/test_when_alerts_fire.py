"""A runbook says when its alert fires, with the numbers of the rule."""

import re

import pytest

from docs.markdown import text_of
from docs.spellings import SPELLINGS
from lockstep.api.times import duration_seconds
from observe.rules_file import ALERTS, RECORDS

# A sentence with a gap, what stands there, and how that is spelled.
SAID = {
    "LockstepNoLeader": [("For {}, no replica reported", "wait", "minutes")],
    "LockstepCycleErrors": [("In {}, `lockstep_cycles_total", "window", "minutes")],
    "LockstepCycleStalled": [("For {}, the leader has worked", "threshold", "minutes")],
    "LockstepGangPendingTooLong": [
        ("has not started {} after its first planned start", "threshold", "minutes"),
        ("`lockstep_start_overdue_seconds` is above {})", "threshold", "digits"),
    ],
    "LockstepAttemptsUndone": [
        ("In {}, Lockstep tore down", "window", "minutes"),
        ("tore down more than {} attempts", "threshold", "words"),
    ],
    "LockstepSizeChangesDropped": [("dropped more than {} changes of the size", "threshold", "digits")],
    "LockstepWatchStale": [("For {}, a replica got no event", "threshold", "minutes")],
    "LockstepTokenTrouble": [("For more than {}, the API server", "wait", "minutes")],
    "LockstepRightsMissing": [
        ("For {}, the API server has denied", "wait", "minutes"),
        ("`lockstep_rights_denied` is above {})", "threshold", "digits"),
    ],
    "LockstepRecordsWaiting": [
        ("For {}, more than", "wait", "minutes"),
        ("more than {} [records of gangs]", "threshold", "number"),
    ],
    "LockstepTwoLeaders": [("For {}, more than one replica", "wait", "minutes")],
    "LockstepNoStandby": [("For {}, Prometheus scraped only one", "wait", "minutes")],
    "LockstepBidsExpired": [
        ("For {}, some NodeBids", "wait", "minutes"),
        ("is above {})", "threshold", "digits"),
    ],
    "LockstepMemoryNearLimit": [
        ("For {}, a replica has used", "wait", "minutes"),
        ("more than {} % of its memory limit", "threshold", "digits"),
    ],
}


@pytest.mark.parametrize("alert", ALERTS)
def test_runbook_says_when_its_alert_fires(alert):
    page, numbers = text_of(f"runbooks/{alert}"), numbers_of(ALERTS[alert])
    said = [words.format(SPELLINGS[spelling](numbers[which])) for words, which, spelling in SAID[alert]]

    assert [words for words in said if words not in page] == []


def numbers_of(rule):
    """How long an alert waits, over how many seconds it counts, and the threshold with which it compares."""
    window, threshold = re.search(r"\[([0-9]+m)\]", rule["expr"]), re.search(r"lockstep:threshold:\w+", rule["expr"])
    return {
        "wait": duration_seconds(rule["for"]),
        "window": window and duration_seconds(window[1]),
        "threshold": threshold and int(re.sub(r"\D", "", RECORDS[threshold[0]]["expr"])),
    }
