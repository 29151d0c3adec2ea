"""Runs the server of answers: HTTPS, only for the API server."""

import asyncio
import logging
import signal
import ssl
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from time import monotonic, time

from aiohttp import web

from lockstep.answers.reading.cluster import one_client
from lockstep.api.client import paths
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.client import KubeClient
from lockstep.api.client.configuration import Configuration
from lockstep.api.cluster.front_proxy import CONFIG_MAP, FrontProxy, FrontProxyError, parse_front_proxy
from lockstep.api.names import GANGS, SWEEPS
from lockstep.process.pages.certificate import Certificate
from lockstep.process.pages.serving import ServedAt, serve
from lockstep.process.start.freed_memory import give_back_freed_memory
from lockstep.process.start.side_by_side import until_first_ends
from lockstep.process.stores.errors import StartError
from lockstep.tenants.access import AccessReviews
from lockstep.tenants.history.histories import Histories
from lockstep.tenants.history.recorder_client import RecorderPlace, ask_recorder
from lockstep.tenants.in_flight import MOST_CONNECTIONS
from lockstep.tenants.namespaces import OwnNamespaces
from lockstep.tenants.registration import OwnService, Registration
from lockstep.tenants.requests import AskedOf, TenantRequests
from lockstep.tenants.shared_plan import Options, SharedPlans, make_shared_plan
from lockstep.tenants.supposing.questions import MOST_BYTES
from lockstep.tenants.supposing.spec_schema import SpecSchema

_AUTHORITY_SECONDS = 60.0
# Each caller is reviewed, and several callers at once should not wait for each other.
_REVIEWS_AT_ONCE = 8
# The API server sends a header for each group of a user. Other clients may send as much, too.
_MOST_HEADERS, _LONGEST_HEADER = 1100, 1024

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """Where the server listens, and the Service that leads there.

    ``settings`` is the place of the ConfigMap with the operator's settings. Without a ``recorder``, no history is
    answered.
    """

    host: str
    port: int
    service: OwnService
    settings: str
    recorder: RecorderPlace | None = None


async def answer_tenants(configuration: Configuration, settings: ServerSettings, options: Options) -> None:
    """Answer until SIGTERM or SIGINT, or until the API server has new settings for extension servers.

    Raises ``StartError`` if the server can't start.
    """
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    async with one_client(configuration, connections=_REVIEWS_AT_ONCE) as client:
        try:
            front_proxy = await read_front_proxy(client)
        except (ApiUnavailableError, FrontProxyError) as error:
            raise StartError(f"requests of the API server can't be recognized: {error}") from error
        make = partial(make_shared_plan, client, settings.settings, options, time)
        access = AccessReviews(client, monotonic)
        gang_jobs, sweeps = (SpecSchema(client, resource, monotonic) for resource in (GANGS, SWEEPS))
        histories = settings.recorder and Histories(client, partial(ask_recorder, settings.recorder), time)
        namespaces = OwnNamespaces(client, monotonic)
        asked = AskedOf(access, namespaces, gang_jobs, sweeps, SharedPlans(make, monotonic), histories)
        requests = TenantRequests(front_proxy, asked, monotonic)
        async with listen_for_api_server(settings, front_proxy, requests):
            await until_first_ends(
                stop,
                Registration(client, settings.service).keep(),
                _until_other(client, front_proxy),
                give_back_freed_memory(),
            )


@asynccontextmanager
async def listen_for_api_server(
    settings: ServerSettings, front_proxy: FrontProxy, requests: TenantRequests
) -> AsyncIterator[tuple[str, int]]:
    """Serve while the block runs; yields the address. Raises ``StartError`` if the address can't be used."""
    tls = Certificate(settings.service.certificates, partial(_verify_clients, front_proxy)).context()
    app = web.Application(client_max_size=MOST_BYTES)
    app.add_routes(requests.routes())
    log_of_requests = f"{__name__}.requests"
    at = ServedAt(settings.host, settings.port, tls, log_of_requests, _MOST_HEADERS, _LONGEST_HEADER, MOST_CONNECTIONS)
    async with AsyncExitStack() as stack:
        try:
            address = await stack.enter_async_context(serve(app, at))
        except OSError as error:
            raise StartError(f"can't listen on {settings.host}:{settings.port}: {error.strerror}") from error
        log.info("listening on %s port %d", *address)
        yield address


async def read_front_proxy(client: KubeClient) -> FrontProxy:
    """Read how the API server forwards requests. Raises ``FrontProxyError`` or ``ApiUnavailableError``."""
    answer = await client.get(paths.config_map(*CONFIG_MAP))
    if not answer.is_success:
        raise FrontProxyError(f"ConfigMap {'/'.join(CONFIG_MAP)} can't be read: {answer.message}")
    return parse_front_proxy(answer.body)


def _verify_clients(front_proxy: FrontProxy, context: ssl.SSLContext) -> None:
    """Verify the certificate of a client that shows one. A request without one is answered with 401."""
    context.verify_mode = ssl.CERT_OPTIONAL
    # Other extension API servers verify in this way, too: old authorities lack what the strict verification requires.
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    context.load_verify_locations(cadata=front_proxy.authority)
    # A resumed TLS session would skip the verification of the client.
    context.num_tickets = 0
    context.options |= ssl.OP_NO_TICKET


async def _until_other(client: KubeClient, front_proxy: FrontProxy) -> None:
    """Return when the API server forwards requests in a new way.

    The process then ends, and its restart uses the new way.
    """
    newest = front_proxy
    while newest == front_proxy:
        await asyncio.sleep(_AUTHORITY_SECONDS)
        try:
            newest = await read_front_proxy(client)
        except (ApiUnavailableError, FrontProxyError) as error:
            log.warning("the API server's settings for extension servers can't be read: %s", error)
    log.info("the API server has new settings for extension servers: this process ends, and its restart uses them")
