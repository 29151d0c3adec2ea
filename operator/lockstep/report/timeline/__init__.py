"""The timeline: which gangs are on which nodes, and which gangs are expected there, and when.

``freeze`` copies facts from the cache and the last plan. ``draw`` makes the picture of them, in any thread.
"""

from lockstep.report.timeline.facts import TimelineFacts, freeze
from lockstep.report.timeline.picture import draw

__all__ = ["TimelineFacts", "draw", "freeze"]
