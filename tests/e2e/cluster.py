"""A cluster as its owner sees it: kubectl, Helm and reads with a kubeconfig, whatever runs behind it."""

import json
import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from e2e.guard import refuse_unless_ours
from e2e.reading import Reader, ReadError
from eventually import eventually
from sandbox.binaries import Resolver, Tool
from sandbox.progress import Silent

Manifest = dict[str, Any]

POOL = "lockstep.dev/pool=gangs"
OPERATOR = "lockstep-system"
SPEED_LABEL = "lockstep.dev/speed"


class CommandError(Exception):
    """A command has failed; the message is what it complained of."""


class Cluster:
    """One context of a kubeconfig, which must be one of a cluster to be thrown away.

    ``image`` is the operator's image as the nodes know it, ``patience_seconds`` how long pods may take to run there;
    ``last_words`` says what the operator has written, where `kubectl logs` does not.
    """

    def __init__(
        self,
        kubeconfig: Path,
        context: str,
        *,
        image: str,
        home: Path,
        patience_seconds: float,
        last_words: Callable[[], str] | None = None,
    ) -> None:
        refuse_unless_ours(context)
        self.kubeconfig = kubeconfig
        self.image = image
        self.patience_seconds = patience_seconds
        self._last_words = last_words
        self._reader = Reader(kubeconfig, context)
        programs = Resolver.of_environment(Silent())
        self._kubectl = [
            str(programs.resolve(Tool.KUBECTL).path),
            f"--kubeconfig={kubeconfig}",
            f"--context={context}",
            f"--cache-dir={home / 'kubectl'}",
        ]
        self._helm = [str(programs.resolve(Tool.HELM).path), f"--kubeconfig={kubeconfig}", f"--kube-context={context}"]
        # Nothing of the user's is read or changed.
        self._environment = os.environ | {
            f"HELM_{kind}_HOME": str(home / kind.lower()) for kind in ("CACHE", "CONFIG", "DATA")
        }

    def kubectl(self, *arguments: str, stdin: str = "") -> str:
        """Run kubectl and return what it wrote; raise CommandError with its complaint."""
        return _run([*self._kubectl, *arguments], stdin)

    def helm(self, *arguments: str) -> str:
        """Run Helm and return what it wrote; raise CommandError with its complaint."""
        return _run([*self._helm, *arguments], environment=self._environment)

    def close(self) -> None:
        """Close the connection for reads."""
        self._reader.close()

    def read(self, path: str) -> Manifest:
        """Return the object or the list at a path of the API; raise ReadError if there is none.

        Probes read: they ask often.
        """
        found: Manifest = json.loads(self._reader.read(path))
        return found

    def read_text(self, path: str) -> str:
        """Return the text at a path of the API, such as a log; raise ReadError if there is none."""
        return self._reader.read(path)

    def get(self, *arguments: str) -> Manifest:
        """Return what `kubectl get` shows, an object or a list."""
        shown: Manifest = json.loads(self.kubectl("get", *arguments, "--output=json"))
        return shown

    def items(self, *arguments: str) -> list[Manifest]:
        """Return the objects that `kubectl get` lists."""
        listed: list[Manifest] = self.get(*arguments)["items"]
        return listed

    def apply(self, *manifests: Mapping[str, Any], namespace: str = "default") -> None:
        """Apply manifests."""
        self._change("apply", f"--namespace={namespace}", "--filename=-", stdin=_as_list(manifests))

    def patch(self, kind: str, name: str, change: Mapping[str, Any], *, namespace: str = "default") -> None:
        """Merge a change into an object."""
        options = (f"--namespace={namespace}", "--type=merge", f"--patch={json.dumps(change)}")
        self._change("patch", kind, name, *options)

    def delete(self, *arguments: str) -> None:
        """Delete, and wait until it is gone; nothing is said where there is nothing."""
        self._change("delete", "--ignore-not-found", *arguments)

    def has(self, *arguments: str) -> bool:
        """Whether `kubectl get` finds it."""
        with suppress(CommandError):
            return bool(self.get(*arguments))
        return False

    def last_words(self) -> str:
        """Return what the operator's pods have written last."""
        if self._last_words is not None:
            return self._last_words()
        return self.kubectl("logs", f"--namespace={OPERATOR}", "--selector=app.kubernetes.io/name=lockstep", "--prefix")

    def until(self, probe: Callable[[], Any], *, seconds: float | None = None) -> Any:
        """Wait until a probe holds, as long as pods may take here; a command or read that fails in it means "not yet".

        While a disk is busy, an API server may refuse what it answers a moment later.
        """

        def asked() -> Any:
            try:
                return probe()
            except (CommandError, ReadError) as error:
                raise AssertionError(str(error)) from error

        return eventually(asked, seconds=seconds or self.patience_seconds, every=0.2)

    def _change(self, *arguments: str, stdin: str = "") -> None:
        """Run a command of kubectl that may run twice, until the API server has done what it says."""
        self.until(lambda: (self.kubectl(*arguments, stdin=stdin),))


def _as_list(manifests: Sequence[Mapping[str, Any]]) -> str:
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": list(manifests)})


def _run(command: Sequence[str], stdin: str = "", environment: Mapping[str, str] | None = None) -> str:
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, check=False, env=environment)
    if done.returncode != 0:
        raise CommandError(f"{Path(command[0]).name}: {done.stderr.strip()}")
    return done.stdout
