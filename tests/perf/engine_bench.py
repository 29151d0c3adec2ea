"""``make bench-engine``: time and peak memory of the engine's problems, beside ``numpy.sort`` of as many floats.

Prints, and never fails on a figure. The sort is timed in the same run, just before, so that a figure means something on
any machine. The exponent is the growth from the size before: 1 is linear.
"""

import argparse
import math
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from time import perf_counter
from typing import NamedTuple

import clusters
import numpy as np
from rich.console import Console
from rich.table import Table

from coschedule import Goal, PiecesJob, SerialWork, apportion, choose_equal, choose_proportional, compress, place_pieces
from coschedule.model.numbers import FloatArray
from coschedule.problems.atallah.node_columns import columns_of, columns_of_nodes

SIZES = (1_000, 10_000, 100_000, 1_000_000)
FEWER = SIZES[:-1]
FEWEST = SIZES[:-2]
ROUNDS = 5
WIDTH = 116
"""Columns that the table needs; a pipe has fewer by default."""
PATIENCE = 2.0
"""Seconds: what takes longer is timed once."""

Task = Callable[[], object]


class Case(NamedTuple):
    """One row a size: ``task`` prepares the problem with so many nodes."""

    name: str
    sizes: tuple[int, ...]
    task: Callable[[int], Task]


def equal(distribution: clusters.Distribution) -> Callable[[int], Task]:
    """Choose a group under equal load."""

    def task(nodes: int) -> Task:
        columns, goal, work = columns_of(**distribution(nodes)), _goal(nodes), _work(nodes, per_member=0.001)
        return lambda: choose_equal(columns, work, goal)

    return task


def proportional(distribution: clusters.Distribution, per_member: float) -> Callable[[int], Task]:
    """Choose a group under proportional load."""

    def task(nodes: int) -> Task:
        columns, goal, work = columns_of(**distribution(nodes)), _goal(nodes), _work(nodes, per_member=per_member)
        return lambda: choose_proportional(columns, work, goal)

    return task


def slots(nodes: int) -> Task:
    """100 members a node, of 5 slow-downs."""
    columns = columns_of_nodes(clusters.with_slots(nodes, members=100, slowdowns=5))
    goal, work = _goal(100 * nodes), _work(100 * nodes, per_member=0.001)
    return lambda: choose_equal(columns, work, goal)


def slots_apart(nodes: int) -> Task:
    """Spread the same 20 members a slow-down over five times as many nodes of one slow-down each."""
    columns = columns_of(**clusters.mixed(nodes), slots=20)
    goal, work = _goal(20 * nodes), _work(20 * nodes, per_member=0.001)
    return lambda: choose_equal(columns, work, goal)


def node_objects(nodes: int) -> Task:
    """Turn Node objects into columns."""
    objects = clusters.as_nodes(clusters.mixed(nodes))
    return lambda: columns_of_nodes(objects)


def pieces(each: float) -> Callable[[int], Task]:
    """Apportion so many pieces a processor."""

    def task(processors: int) -> Task:
        speeds = _speeds(processors)
        return lambda: apportion(max(1, int(each * processors)), speeds)

    return task


def gang_pieces(distribution: clusters.Distribution) -> Callable[[int], Task]:
    """Place a piece for ten nodes, on nodes that take up to four."""

    def task(nodes: int) -> Task:
        offers = [replace(node, slots=4) for node in clusters.as_nodes(distribution(nodes))]
        job = PiecesJob(pieces=nodes // 10, seconds_per_piece=300.0, per_member=0.5, fixed=5.0)
        return lambda: place_pieces(offers, job)

    return task


def compression(processors: int) -> Task:
    """Compress ten pieces a processor at twice the least turn-around."""
    speeds, wanted = _speeds(processors), 10 * processors
    turnaround = 2 * apportion(wanted, speeds).turnaround
    return lambda: compress(wanted, speeds, turnaround)


CASES = (
    Case("equal, idle/busy mix", SIZES, equal(clusters.mixed)),
    Case("equal, uniform", SIZES, equal(clusters.uniform)),
    Case("equal, few kinds of nodes", SIZES, equal(clusters.few_kinds)),
    Case("equal, adversary: duty falls as start rises", SIZES, equal(clusters.falling)),
    Case("equal, adversary: the same value at every start", SIZES, equal(clusters.level)),
    Case("equal, windows", FEWER, equal(clusters.windowed)),
    Case("equal, 5 slow-downs for 100 members a node", (1_000, 5_000), slots),
    Case("equal, a node for each of those slow-downs", (5_000, 25_000), slots_apart),
    Case("columns from Node objects", FEWER, node_objects),
    Case("proportional, no overhead", SIZES, proportional(clusters.mixed, 0.0)),
    Case("proportional, little overhead", FEWER, proportional(clusters.mixed, 0.001)),
    Case("proportional, much overhead", FEWER, proportional(clusters.mixed, 0.05)),
    Case("pieces, half as many as processors", SIZES, pieces(0.5)),
    Case("pieces, a thousand a processor", SIZES, pieces(1000)),
    Case("pieces with overhead on nodes with starts", FEWEST, gang_pieces(clusters.mixed)),
    Case("pieces with overhead, few kinds of nodes", FEWEST, gang_pieces(clusters.few_kinds)),
    Case("compress", SIZES, compression),
)


def _goal(members: int) -> Goal:
    return Goal(minimum=1, maximum=members)


def _work(members: int, *, per_member: float) -> SerialWork:
    return SerialWork(serial=100.0 * members, per_member=per_member)


def _speeds(processors: int) -> FloatArray:
    return 0.1 + np.random.default_rng(processors).random(processors)


def main() -> None:
    """Measure every case, or those whose name has the word given."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("word", nargs="?", default="")
    word = parser.parse_args().word
    table = Table("problem")
    for head in ("n", "ms", "sort ms", "sorts", "peak MB", "exponent"):
        table.add_column(head, justify="right", no_wrap=True)
    for case in CASES:
        if word in case.name:
            _add_rows(table, case)
    console = Console()
    console.width = max(console.width, WIDTH)
    console.print(table)


def _add_rows(table: Table, case: Case) -> None:
    last: tuple[int, float] | None = None
    for size in case.sizes:
        sort = _sort_time(size)
        task = case.task(size)
        time = _best_time(task)
        exponent = "" if last is None else f"{math.log(time / last[1]) / math.log(size / last[0]):.2f}"
        figures = (f"{1e3 * time:.2f}", f"{1e3 * sort:.3f}", f"{time / sort:.1f}", f"{_peak(task) / 1e6:.1f}")
        table.add_row(case.name if last is None else "", f"{size:,}", *figures, exponent)
        last = (size, time)
    table.add_section()


def _sort_time(size: int) -> float:
    values = np.random.default_rng(size).random(size)
    return _best_time(lambda: np.sort(values))


def _best_time(task: Task) -> float:
    best = math.inf
    for _ in range(ROUNDS):
        began = perf_counter()
        task()
        best = min(best, perf_counter() - began)
        if best > PATIENCE:
            break
    return best


def _peak(task: Task) -> int:
    """Measure the bytes that the task holds at once, beyond its input."""
    tracemalloc.start()
    task()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


if __name__ == "__main__":
    main()
