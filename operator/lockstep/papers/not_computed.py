"""Numbers that the papers print and Lockstep does not compute, with the reasons."""

from collections.abc import Iterator

from lockstep.papers.row import Paper, PaperRow, missing

_LOST = "the inputs stand in a picture that the scan has lost"
_HARDWARE = "it depends on the network of 1996; Lockstep does not carry the messages of members"

_DU = (("3.3, figure 4 and tables 4 to 6", "contention and blocking of messages", _HARDWARE),)
_SHUM = (
    ("table 4.5", "the same for a program that finds cycles", "the work itself depends on how it is dealt"),
    (
        "table 4.6",
        "the same on workstations of two speeds",
        "runs that are not dealt take 1.5 times what speeds explain",
    ),
    ("figures 5.3 and 5.4", "load of one server on two days", "its trace is not there"),
    ("6.7 to 6.9", "adaptation across clusters", "Lockstep sees one cluster"),
    (
        "figures 7.14 and 7.15",
        "coalitions beside another program, in numbers",
        "the speed of the Alphas is not printed",
    ),
    ("A.2.1, figure A.5", "grains of an application by market price: 4, 3, 1", _LOST),
    ("chapters 3 to 7", "absolute seconds", "the workstations of 1996 decide them"),
)


def rows() -> Iterator[PaperRow]:
    """Yield all rows that are missing, in the order of the papers."""
    for paper, entries in ((Paper.DU, _DU), (Paper.SHUM, _SHUM)):
        for place, what, why in entries:
            yield missing(paper, place, what, why)
