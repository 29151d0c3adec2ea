"""The schema of the spec of one of our kinds, read from its CustomResourceDefinition."""

from collections.abc import Callable

from lockstep.api.client import paths
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.client import KubeClient
from lockstep.api.names import GROUP
from lockstep.tenants.supposing.schema import Schema
from lockstep.tenants.trouble import NoAnswerNowError, Trouble

# Seconds for which a schema is kept. A new release's schema may go unnoticed for this time.
_KEPT_SECONDS = 300.0


class SpecSchema:
    """Reads the schema, and keeps it for five minutes."""

    def __init__(self, client: KubeClient, resource: str, monotonic: Callable[[], float]) -> None:
        self._client = client
        self._definition = paths.definition(f"{resource}.{GROUP}")
        self._monotonic = monotonic
        self._kept: Schema | None = None
        self._until = 0.0

    async def newest(self) -> Schema:
        """The schema of the spec. Raises ``NoAnswerNowError`` if it can't be read."""
        if self._kept is None or self._monotonic() >= self._until:
            self._kept, self._until = await self._read(), self._monotonic() + _KEPT_SECONDS
        return self._kept

    async def _read(self) -> Schema:
        try:
            answer = await self._client.get(self._definition)
        except ApiUnavailableError as error:
            raise NoAnswerNowError(Trouble.SCHEMA_UNKNOWN, str(error)) from error
        if not answer.is_success:
            raise NoAnswerNowError(Trouble.SCHEMA_UNKNOWN, answer.message)
        [version] = (one for one in answer.body["spec"]["versions"] if one["storage"])
        spec: Schema = version["schema"]["openAPIV3Schema"]["properties"]["spec"]
        return spec
