"""Share auctions for tests: events in few words, and moves as the tables of [C 5.8.2] write them."""

from fractions import Fraction

from coschedule.problems.shum.events import Arrive, AuctionRules, HoldAuction

GRAINS = (1, 3, 9)
"""Workstations of levels 0, 1 and 2 of every application of section 5.8.2."""


def rules(total, psi="1.2", *, require_gain=True):
    return AuctionRules(total=total, psi=Fraction(psi), require_gain=require_gain)


def times(*unit_times):
    return tuple(Fraction(time) for time in unit_times)


def arrive(name, *unit_times, levels=GRAINS):
    return Arrive(name=name, levels=levels, unit_times=times(*unit_times))


def auction(*order, exempt=()):
    return HoldAuction(order=order, exempt=exempt)


def moves(outcome):
    """Write the moves of an auction as tables do: action, who, from which to which level, and the donor's."""
    return [
        (int(move.kind), move.name, move.from_level, move.to_level)
        if move.donation is None
        else (
            *(int(move.kind), move.name, move.from_level, move.to_level),
            *(move.donation.name, move.donation.from_level, move.donation.to_level),
        )
        for move in outcome.moves
    ]
