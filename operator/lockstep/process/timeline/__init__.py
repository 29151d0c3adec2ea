"""The page that shows gangs in time, and the pictures that it asks for."""

from lockstep.process.timeline.page import PAGE, Page
from lockstep.process.timeline.pictures import Picture, Pictures

__all__ = ["PAGE", "Page", "Picture", "Pictures"]
