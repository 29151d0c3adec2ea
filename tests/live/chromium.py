"""A real Chromium without a window, driven by its DevTools protocol."""

import asyncio
import base64
import contextlib
import itertools
import json
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import aiohttp

from eventually import eventually, eventually_async
from live.browsers import browser
from sandbox import processes
from sandbox.ports import LOOPBACK
from sandbox.processes import Mark

_ANSWER_SECONDS = 120
# What it may ask of others by itself, and what a root's process in a container has no rights or room for.
_OPTIONS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--no-proxy-server",
    "--remote-debugging-port=0",
)
# What a key is called in code, where that is not its own name.
_VIRTUAL_KEYS = {"Tab": 9, "Escape": 27, "End": 35, "Home": 36, "ArrowLeft": 37, "ArrowUp": 38, "ArrowDown": 40}


@contextlib.contextmanager
def chromium(folder: Path) -> Iterator[str]:
    """Run one whose files are all in that folder; gives the address at which pages are opened."""
    command = [browser(), *_OPTIONS, f"--user-data-dir={folder}", "about:blank"]
    with (folder / "chromium.log").open("ab") as log:
        process = subprocess.Popen(
            processes.owned(command), env=processes.environment(Mark(folder, "chromium")), stdout=log, stderr=log
        )
    try:
        port = eventually(lambda: _port(folder / "DevToolsActivePort"))
        yield f"http://{LOOPBACK}:{port}"
    finally:
        process.kill()
        process.wait()


def _port(file: Path) -> str:
    return file.read_text().partition("\n")[0] if file.exists() else ""


class Tab:
    """One tab: the commands that it gets, and what it shows. ``requests`` are all addresses that it has asked for.

    ``complaints`` are exceptions of the page and what the console has of warnings and errors.
    """

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self.requests: list[str] = []
        self.statuses: list[int] = []
        self.complaints: list[str] = []

    async def open(self, url: str) -> None:
        """Go to a page, and return once it is loaded."""
        await self.send("Page.navigate", url=url)
        await self.until(f"location.href === {json.dumps(url)} && document.readyState === 'complete'")

    async def evaluate(self, expression: str) -> Any:
        """The value of an expression in the page."""
        found = await self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    async def until(self, expression: str) -> Any:
        """Wait until an expression is true in the page, and return its value."""
        return await eventually_async(lambda: self.evaluate(expression))

    async def press(self, key: str) -> None:
        """Press one key of the keyboard and let it go."""
        about = {"key": key, "code": key, "windowsVirtualKeyCode": _VIRTUAL_KEYS.get(key, 39)}
        await self.send("Input.dispatchKeyEvent", type="keyDown", **about)
        await self.send("Input.dispatchKeyEvent", type="keyUp", **about)

    async def point_at(self, selector: str) -> None:
        """Move the pointer to the middle of the first element that matches."""
        find = f"(({{x, y, width, height}}) => [x + width / 2, y + height / 2])({_box(selector)})"
        x, y = await self.evaluate(find)
        await self.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    async def click(self, selector: str) -> None:
        """Click on the first element that matches."""
        await self.evaluate(f"document.querySelector({json.dumps(selector)}).click()")

    async def prefer(self, scheme: str) -> None:
        """Have the user prefer ``light`` or ``dark``."""
        await self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    async def resize(self, width: int, height: int) -> None:
        """Give the page so many pixels."""
        about = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        await self.send("Emulation.setDeviceMetricsOverride", **about)

    async def picture(self) -> bytes:
        """What it shows, as PNG."""
        shot = await self.send("Page.captureScreenshot", format="png")
        return base64.b64decode(shot["data"])

    async def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send one command of the protocol, and return its result."""
        number = next(self._numbers)
        answer = self._answers[number] = asyncio.get_running_loop().create_future()
        await self._socket.send_json({"id": number, "method": method, "params": parameters})
        message = await asyncio.wait_for(answer, _ANSWER_SECONDS)
        assert "error" not in message, f"{method}: {message['error']}"
        result: dict[str, Any] = message["result"]
        return result

    async def listen(self) -> None:
        """Take what the browser says, until it says no more."""
        async for frame in self._socket:
            message = json.loads(frame.data)
            if "id" in message:
                self._answers.pop(message["id"]).set_result(message)
            else:
                self._note(message["method"], message["params"])

    def _note(self, event: str, about: dict[str, Any]) -> None:
        match event:
            case "Network.requestWillBeSent":
                self.requests.append(about["request"]["url"])
            case "Network.responseReceived":
                self.statuses.append(about["response"]["status"])
            case "Runtime.exceptionThrown":
                self.complaints.append(str(about["exceptionDetails"]))
            case "Runtime.consoleAPICalled" if about["type"] in ("warning", "error"):
                self.complaints.append(str(about["args"]))
            case "Log.entryAdded" if about["entry"]["level"] in ("warning", "error"):
                self.complaints.append(about["entry"]["text"])


def _box(selector: str) -> str:
    return f"document.querySelector({json.dumps(selector)}).getBoundingClientRect()"


@contextlib.asynccontextmanager
async def tab(browser: str) -> AsyncIterator[Tab]:
    """Open a tab of the browser for the length of the block."""
    async with aiohttp.ClientSession() as session:
        async with session.put(f"{browser}/json/new?about:blank") as answer:
            target = await answer.json(content_type=None)
        async with session.ws_connect(target["webSocketDebuggerUrl"], max_msg_size=0) as socket:
            opened = Tab(socket)
            listening = asyncio.create_task(opened.listen())
            for domain in ("Page", "Runtime", "Network", "Log"):
                await opened.send(f"{domain}.enable")
            yield opened
            await opened.send("Page.close")
            listening.cancel()
