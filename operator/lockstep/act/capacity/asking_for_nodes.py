"""One ProvisioningRequest: created after the templates that it needs, or deleted with them. Each step can be repeated.

A template is created before the request that names it, and deleted after it. The gang owns all of them.
"""

from lockstep.act.admission.asking_admission import first_members
from lockstep.act.requests.api_refusals import is_conflict
from lockstep.api.client import paths
from lockstep.api.client.answer import Target
from lockstep.api.client.client import KubeClient
from lockstep.api.cluster.node_request import (
    parse_node_request,
    request_manifest,
    request_name,
    template_manifest,
    template_name,
)
from lockstep.api.common_objects import Owner, owner_uid, owning_gang
from lockstep.api.manifest import Manifest
from lockstep.facts.cluster.node_request import NodeRequest
from lockstep.facts.gang.gang import AcceptedGang, GangFact, Refusal
from lockstep.facts.reasons import Reason


class NodeAsker:
    """Sends requests for nodes of one provisioning class. Its methods raise ``ApiUnavailableError``."""

    def __init__(self, client: KubeClient, provisioning_class: str) -> None:
        self._client = client
        self._class = provisioning_class

    def name_for(self, gang: GangFact) -> str:
        """The name of the request that the gang needs now; '' for a refused gang."""
        return request_name(gang, gang.spec, self._class) if isinstance(gang, AcceptedGang) else ""

    async def ask(self, gang: AcceptedGang) -> NodeRequest | Refusal:
        """The gang's request, which is created if it is missing. A refusal says why it can't be created."""
        name, namespace = self.name_for(gang), gang.key.namespace
        for number, (role, member) in enumerate(first_members(gang, gang.spec)):
            admitted = await self._client.dry_run(paths.pods_to_be(namespace), member)
            if not admitted.is_success:
                return _refused(f"the API server refuses its members: {admitted.message}")
            template = template_manifest(gang, template_name(name, number), role, admitted.body)
            made = await self._make(gang, paths.pod_templates_of(namespace), template)
            if isinstance(made, Refusal):
                return made
        request = request_manifest(gang, name, self._class)
        made = await self._make(gang, paths.node_requests_of(namespace), request)
        return made if isinstance(made, Refusal) else parse_node_request(made, Owner(gang.key, gang.uid))

    async def withdraw(self, request: NodeRequest) -> Refusal | None:
        """Delete the request and then its templates. Returns a refusal if the request can't be deleted."""
        namespace = request.gang.namespace
        answer = await self._client.delete(paths.node_request(namespace, request.name), uid=request.uid)
        if not answer.is_success and not answer.is_absence:
            return _refused(f"ProvisioningRequest {request.name} can't be deleted: {answer.message}")
        for name in request.templates:
            place = paths.pod_template(namespace, name)
            there = await self._client.get(place)
            if there.is_success and owning_gang(there.body) == (request.gang, request.gang_uid):
                await self._client.delete(place, uid=there.body["metadata"]["uid"])
        return None

    async def _make(self, gang: GangFact, folder: Target, manifest: Manifest) -> Manifest | Refusal:
        """The object, which is created if it is missing.

        A refusal says why the object can't be created, or that the existing object is not the gang's.
        """
        name = manifest["metadata"]["name"]
        answer = await self._client.create(folder, manifest)
        if is_conflict(answer):
            answer = await self._client.get(Target(f"{folder.path}/{name}", folder.resource))
        if not answer.is_success:
            return _refused(answer.message)
        if owner_uid(answer.body, gang) != gang.uid:
            return _refused(f"{manifest['kind']} {name} exists already, and does not belong to this gang")
        return answer.body


def _refused(why: str) -> Refusal:
    return Refusal(Reason.REQUEST_REFUSED, why)
