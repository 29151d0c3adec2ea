"""What the nodes of the demo offer."""

import datetime as dt

from lockstep_demo.bids import Offer, bid_manifests, offers


def test_times_in_bids_are_whole_seconds_and_never_early():
    manifests = bid_manifests(dt.datetime(2026, 1, 1, 12, 0, 0, 999_999, tzinfo=dt.UTC))

    specs = {manifest["metadata"]["name"]: manifest["spec"] for manifest in manifests}
    assert specs["n11"]["availableFrom"] == "2026-01-01T12:00:41Z"
    assert specs["n12"]["availableUntil"] == "2026-01-01T12:00:31Z"
    assert [spec for spec in specs.values() if "availableFrom" in spec] == [specs["n11"]]
    assert len({spec["capacity"] for spec in specs.values()}) == 3


def test_offers_show_loads_in_per_cent():
    shown = {offer.node: offer for offer in offers(bid_manifests(dt.datetime.now(dt.UTC)))}

    assert shown["n02"] == Offer(node="n02", speed="1", load_percent=50)
    assert shown["n01"].load_percent == 0
