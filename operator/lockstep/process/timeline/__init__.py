"""The timeline page, and the pictures that it requests."""

from lockstep.process.timeline.page import PAGE, Page
from lockstep.process.timeline.pictures import Picture, Pictures

__all__ = ["PAGE", "Page", "Picture", "Pictures"]
