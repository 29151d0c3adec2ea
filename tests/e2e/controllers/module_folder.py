"""Where the manifests of a controller are: in the folder of its Go module, as it was published."""

import json
import os
import subprocess
from pathlib import Path

from sandbox.binaries import CONTROLLERS, Tool
from sandbox.binaries.cache import Cache
from sandbox.binaries.catalog import recipe
from sandbox.binaries.toolchain import Toolchain
from sandbox.progress import Silent


def module_folder(tool: Tool, module: str = "") -> Path:
    """The folder of the module from which a controller is built, or of one that this uses.

    It is checked against go.sum, and may be loaded.
    """
    cache = Cache.of_user(os.environ)
    go = Toolchain(search_path=os.environ.get("PATH", os.defpath), cache=cache, progress=Silent()).go()
    done = subprocess.run(
        [go, "mod", "download", "-json", module or CONTROLLERS[tool].module],
        cwd=recipe(tool).module_folder,
        env=os.environ | {"GOWORK": "off"},
        capture_output=True,
        text=True,
        check=True,
    )
    return Path(json.loads(done.stdout)["Dir"])
