#!/usr/bin/env python3
"""`python docs/record_timeline.py`: take the pictures of the timeline, in a real Chromium, for the documentation.

The chart shows the time of day, so every run takes other ones, and this is no part of `make generate`. Each notes of
which page it was taken: a test asks for new ones when that has changed.
"""

import asyncio
import hashlib
import tempfile
import time
from pathlib import Path

import click
from drawing.png import with_source

from builders.scene import busy
from live.chromium import chromium, tab
from live.timeline_page import served
from lockstep.process.timeline import PAGE

_FOLDER = Path(__file__).with_name("pictures")
_NAMES = {"light": "timeline.png", "dark": "timeline-dark.png"}
_WIDTH, _HEIGHT = 1080, 600
# What people read: why a gang waits. Of all that wait it is the one that starts last.
_LAST = "view.picture.gangs.reduce((last, gang, number, all) => gang.start > all[last].start ? number : last, 0)"


async def _take(browser: str) -> None:
    scene = busy(time.time(), nodes=40, gangs=24)
    async with served(scene) as url, tab(browser) as page:
        await page.resize(_WIDTH, _HEIGHT)
        for scheme, name in _NAMES.items():
            await page.prefer(scheme)
            await page.open(url)
            await page.until("view.picture !== null")
            await page.evaluate(f"choose({_LAST})")
            (_FOLDER / name).write_bytes(
                with_source(await page.picture(), hashlib.sha256(PAGE.text.encode()).hexdigest())
            )
            click.echo(f"Wrote docs/pictures/{name}.")


def main() -> None:
    """Write the pictures."""
    with tempfile.TemporaryDirectory() as folder, chromium(Path(folder)) as browser:
        asyncio.run(_take(browser))


if __name__ == "__main__":
    main()
