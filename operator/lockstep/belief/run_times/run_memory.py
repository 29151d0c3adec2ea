"""Remembered runs by template. With too many runs, the namespace with the most runs or templates loses some."""

from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

from lockstep.facts.past_runs import MOST_RUNS_OF_ALL, MOST_TEMPLATES, Template

Run = TypeVar("Run")


class RunMemory(Generic[Run]):
    """The last runs, or changes of size, of each template.

    There are at most ``MOST_TEMPLATES`` templates, and at most ``MOST_RUNS_OF_ALL`` runs of all templates together.

    When there are too many templates or runs, the namespace with the most drops its least recently learned template.
    ``touched`` is called with each template whose runs have changed.
    """

    def __init__(self, touched: Callable[[Template], None]) -> None:
        self._touched = touched
        self._runs: dict[str, dict[str, tuple[Run, ...]]] = {}
        self._run_counts: dict[str, int] = {}
        self._templates = 0

    def __len__(self) -> int:
        """The number of known templates."""
        return self._templates

    @property
    def run_count(self) -> int:
        """The number of known runs."""
        return sum(self._run_counts.values())

    @property
    def runs(self) -> Mapping[str, Mapping[str, tuple[Run, ...]]]:
        """All known runs, by namespace and then by digest of the template; the most recently updated ones come last."""
        return self._runs

    def of(self, template: Template) -> tuple[Run, ...]:
        """The runs of one template."""
        return self._runs.get(template.namespace, {}).get(template.digest, ())

    def put(self, template: Template, runs: tuple[Run, ...]) -> None:
        """Set the runs of a template and make it the most recently learned."""
        namespace, digest = template
        self._take(template)
        # The most recently learned template comes last.
        self._runs[namespace] = {**self._runs.pop(namespace, {}), digest: runs}
        self._run_counts[namespace] = self._run_counts.get(namespace, 0) + len(runs)
        self._templates += 1
        self._touched(template)
        self._make_room()

    def drop(self, template: Template) -> None:
        """Forget a template."""
        self._take(template)
        self._touched(template)

    def _make_room(self) -> None:
        while self._templates > MOST_TEMPLATES:
            self._drop_oldest(max(self._runs, key=lambda namespace: len(self._runs[namespace])))
        while sum(self._run_counts.values()) > MOST_RUNS_OF_ALL:
            self._drop_oldest(max(self._runs, key=self._run_counts.__getitem__))

    def _drop_oldest(self, namespace: str) -> None:
        self.drop(Template(namespace, next(iter(self._runs[namespace]))))

    def _take(self, template: Template) -> None:
        """Forget a template, if it is known."""
        templates = self._runs.get(template.namespace, {})
        runs = templates.pop(template.digest, None)
        if runs is None:
            return
        self._templates -= 1
        self._run_counts[template.namespace] -= len(runs)
        if not templates:
            del self._runs[template.namespace], self._run_counts[template.namespace]
