"""Past expiresAt a bid offers what it would without all that was measured: for every set of fields that it can have."""

from itertools import product
from pathlib import Path

import pytest
import yaml

from builders.facts import gang_fact, node_fact
from builders.served import at, bid
from lockstep.api.nodebid.bid import parse_bid
from lockstep.belief.state import State
from lockstep.snapshot.snapshots import SnapshotCutter

CRD = Path(__file__).parents[3] / "crds/nodebids.yaml"
NOW = 1_800_000_000.0
END = NOW + 60
MEASURED = {
    "dutyCycle": "500m",
    "ownerPresent": True,
    "forecast": [{"from": at(NOW + 3600), "ownerReturns": "500m"}],
}
PROMISED = {
    "capacity": "1600m",
    "availableFrom": at(NOW + 7200),
    "availableUntil": at(NOW + 9000),
    "slots": 2,
    "onReturn": "Evict",
    "gracePeriodSeconds": 30,
}
FIELDS = MEASURED | PROMISED


def sets_of_fields():
    for chosen in product((False, True), repeat=len(FIELDS)):
        yield {name: FIELDS[name] for name, is_there in zip(FIELDS, chosen, strict=True) if is_there}


def state_with(spec, now):
    """The cached facts at that time with a bid of that spec."""
    state = State(lambda: None)
    state.nodes.apply(node_fact("n1"))
    state.bids.apply(parse_bid(bid("n1", **spec)))
    state.advance_to(now)
    return state


def offered(state, now):
    """All that a plan sees of the node, and what becomes of members there when its owner comes back."""
    snapshot = SnapshotCutter(state).cut(now, [gang_fact("g")])
    column = snapshot.resources.index("bid slots")
    one = state.bids["n1"]
    return (
        snapshot.start.tolist(),
        snapshot.until.tolist(),
        snapshot.slowdown.tolist(),
        snapshot.free[:, column].tolist(),
        snapshot.forecasts.returns.tolist(),
        state.owners.back("n1"),
        state.owners.opens_at("n1"),
        (one.on_return, one.grace_seconds),
    )


@pytest.mark.parametrize(
    "now", [END - 1, END, NOW + 9000, NOW + 9060], ids=["before", "at once", "taken back", "later"]
)
def test_expired_bid_offers_what_it_does_without_what_was_measured(now):
    for fields in sets_of_fields():
        counting = fields if now < END else {name: value for name, value in fields.items() if name in PROMISED}

        offer = offered(state_with({**fields, "expiresAt": at(END)}, now), now)

        assert offer == offered(state_with(counting, now), now), fields


def test_every_field_of_a_bid_is_either_measured_or_promised():
    [version] = yaml.safe_load(CRD.read_text())["spec"]["versions"]
    fields = version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"].keys()

    assert fields == {*FIELDS, "expiresAt"}
    assert len([*sets_of_fields()]) == 2 ** len(FIELDS)
