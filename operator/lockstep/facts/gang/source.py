"""Where gangs come from, beside GangJobs."""

from enum import StrEnum


class Source(StrEnum):
    """What else is placed as gangs, as ``lockstep run --sources`` names it."""

    PODS = "pods"
    """Pods that others create and that name a Gang."""
