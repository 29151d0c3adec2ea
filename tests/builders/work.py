"""How much is done, as a number that is the same on every machine: the instructions that Python carries out."""

import gc
import sys


def instructions(work):
    """How many instructions it takes to call ``work``; what numpy does of its own accord counts as one."""
    count = 0

    def count_instruction(_frame, event, _):
        nonlocal count
        count += event == "opcode"
        return count_instruction

    def count_in(frame, _event, _):
        frame.f_trace_lines = False
        frame.f_trace_opcodes = True
        return count_instruction

    before, collects = sys.gettrace(), gc.isenabled()
    # A collection would call what other tests have left to be called at the end of their objects.
    gc.disable()
    sys.settrace(count_in)
    try:
        work()
    finally:
        sys.settrace(before)
        if collects:
            gc.enable()
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
