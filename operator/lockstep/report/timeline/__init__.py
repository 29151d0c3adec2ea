"""The picture of time: which gangs are on which nodes, and which are expected there when.

``freeze`` takes from belief and the last plan what it shows; ``draw`` makes the picture of that, wherever it runs.
"""

from lockstep.report.timeline.facts import TimelineFacts, freeze
from lockstep.report.timeline.picture import draw

__all__ = ["TimelineFacts", "draw", "freeze"]
