"""The discovery pages of the API group of answers, and the refusals of all paths and verbs that it does not have."""

from collections.abc import Awaitable, Callable, Iterator
from functools import partial

from aiohttp import web

from lockstep.api.cluster.answers_service import ANSWERS_API, ANSWERS_GROUP
from lockstep.api.cluster.front_proxy import FrontProxy
from lockstep.tenants.callers import caller_of
from lockstep.tenants.described.openapi import OPENAPI, OPENAPI_OF_GROUP, openapi_of_group, openapi_root
from lockstep.tenants.documents import AnswerKind, Document, group, groups, resources, verb_of
from lockstep.tenants.responses import no_such_resource, refused, shown, unauthorized

_VERSION = f"/apis/{ANSWERS_API}"


class GroupPages:
    """Pages for all callers. The API server must have forwarded the request."""

    def __init__(self, front_proxy: FrontProxy) -> None:
        self._front_proxy = front_proxy

    def routes(self) -> Iterator[web.RouteDef]:
        """The routes of the pages by which clients discover resources."""
        yield web.get("/apis", self._discovered(groups))
        yield web.get(f"/apis/{ANSWERS_GROUP}", self._discovered(group))
        yield web.get(_VERSION, self._discovered(resources))
        yield web.get(OPENAPI, self._discovered(openapi_root))
        yield web.get(OPENAPI_OF_GROUP, self._discovered(openapi_of_group))

    def refusals(self) -> Iterator[web.RouteDef]:
        """Routes of all other paths, and of verbs that a resource does not have."""
        for kind in AnswerKind:
            for within in ("", "/namespaces/{namespace}"):
                yield web.route("*", f"{_VERSION}{within}/{kind}{{rest:(/.*)?}}", partial(self._not_done, kind))
        yield web.route("*", "/{rest:.*}", self._not_found)

    def _discovered(self, document: Callable[[], Document]) -> Callable[[web.Request], Awaitable[web.Response]]:
        async def handle(request: web.Request) -> web.Response:
            return unauthorized() if caller_of(self._front_proxy, request) is None else shown(document())

        return handle

    async def _not_done(self, kind: AnswerKind, request: web.Request) -> web.Response:
        if caller_of(self._front_proxy, request) is None:
            return unauthorized()
        return refused(405, f"The only verb of {kind} is {verb_of(kind)}, with a namespace and a name.")

    async def _not_found(self, request: web.Request) -> web.Response:
        return unauthorized() if caller_of(self._front_proxy, request) is None else no_such_resource()
