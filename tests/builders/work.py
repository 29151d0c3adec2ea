"""How much is done, as a number that is the same on every machine: the instructions that Python carries out."""

import sys


def instructions(work):
    """How many instructions it takes to call ``work``; what numpy does of its own accord counts as one."""
    count = 0

    def trace(frame, event, _):
        nonlocal count
        frame.f_trace_opcodes = True
        count += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def instructions_of_steps(steps):
    """How many instructions each step of a generator takes, and what the generator returns."""
    counts, end = [], []

    def step():
        try:
            next(steps)
        except StopIteration as stop:
            end.append(stop.value)

    while not end:
        counts.append(instructions(step))
    return counts, end[0]
