"""All rows of all papers, and all their mechanisms."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from lockstep.papers import al_saqabi, atallah, du, not_computed, shum_auction, shum_forecast, shum_replication
from lockstep.papers.in_shape import du_figure_3, shum_figure_5_6, shum_figures_7, shum_table_4_4
from lockstep.papers.mechanisms import al_saqabi as of_al_saqabi
from lockstep.papers.mechanisms import atallah as of_atallah
from lockstep.papers.mechanisms import du as of_du
from lockstep.papers.mechanisms import shum as of_shum
from lockstep.papers.mechanisms.mechanism import Mechanism
from lockstep.papers.row import Paper, PaperRow

_SOURCES = (
    *(atallah, al_saqabi, du, du_figure_3),
    *(shum_table_4_4, shum_forecast, shum_figure_5_6, shum_auction, shum_replication, shum_figures_7),
    not_computed,
)

MECHANISMS: Mapping[Paper, Sequence[Mechanism]] = {
    Paper.ATALLAH: of_atallah.MECHANISMS,
    Paper.AL_SAQABI: of_al_saqabi.MECHANISMS,
    Paper.DU: of_du.MECHANISMS,
    Paper.SHUM: of_shum.MECHANISMS,
}


def rows() -> dict[Paper, list[PaperRow]]:
    """Compute all rows anew; return them by paper, in the order of ``Paper``, with missing numbers last."""
    found = sorted((row for source in _SOURCES for row in source.rows()), key=lambda row: list(Paper).index(row.paper))
    return {paper: list(of_it) for paper, of_it in groupby(found, key=lambda row: row.paper)}


def failures(found: dict[Paper, list[PaperRow]]) -> Iterator[str]:
    """Yield a sentence for each row that does not hold."""
    for row in (row for of_paper in found.values() for row in of_paper if not row.holds):
        should = "differ, since the paper is wrong" if row.is_wrong else f"agree {row.note}".strip()
        both = f"{row.printed} is printed, {row.ours} is ours"
        yield f"[{row.paper}] {row.place}, {row.what}: {both}; they must {should}."
