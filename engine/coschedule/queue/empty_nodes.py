"""Whether a gang would fit if nothing were on the nodes: it then waits for others, and not for other nodes."""

from collections.abc import Callable
from functools import cached_property

from coschedule.queue.choosing.choice import Chooser
from coschedule.queue.owners.choosing import seen_by
from coschedule.queue.slots.timeline import Timeline


class EmptyNodes:
    """The nodes of one plan with nothing on them. Their timeline is built when somebody asks for the first time."""

    def __init__(self, build: Callable[[], Timeline]) -> None:
        self._build = build

    @cached_property
    def timeline(self) -> Timeline:
        """What is free in the windows of the nodes."""
        return self._build()

    def fit(self, chooser: Chooser) -> bool | None:
        """Tell whether the chooser's gang fits by its deadline; None where it may, but not everything was looked at.

        Its constraints count as they are, also those on pods that are on the nodes now.
        """
        gang = chooser.gang
        outline = chooser.soonest(seen_by(gang, self.timeline))
        if outline is None:
            return None if chooser.gave_up else False
        # A deadline binds no gang whose run time is unknown.
        return gang.deadline is None or gang.work is None or outline.finish <= gang.deadline
