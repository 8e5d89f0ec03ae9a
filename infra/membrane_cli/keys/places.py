"""The places of an operator's API keys: a deployed table, or a running local stack."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from botocore.exceptions import BotoCoreError, ClientError

from membrane.adapters.dynamodb.access.key_store import DynamoKeys
from membrane.domain.language.errors import Unavailable
from membrane.domain.language.json_text import JsonObject
from membrane.wiring import chance, clients
from membrane_cli.http_client import HttpClient
from membrane_cli.stacks import DeployedStack
from membrane_local.table_keys import TableKeys

API = "HttpApi"
"""The logical id in the template."""


class KeyPlace(Protocol):
    """Keys as JSON, as `membrane_local.table_keys` writes them."""

    def create(self, request: Mapping[str, Any]) -> JsonObject:
        """A new key, with its `secret`."""

    def list_keys(self) -> Sequence[JsonObject]:
        """Every key, without secrets."""

    def revoke(self, key_id: str) -> JsonObject:
        """The key that was revoked; raises NotFound."""

    def take_effect(self) -> None:
        """Make the last change count at once; raises Unavailable where the change counts later."""


@dataclass(frozen=True, slots=True)
class LocalStackKeys:
    """Keys of a running `membrane dev`."""

    client: HttpClient

    def create(self, request: Mapping[str, Any]) -> JsonObject:
        return self._call("POST", "", dict(request))

    def list_keys(self) -> Sequence[JsonObject]:
        keys: Sequence[JsonObject] = self._call("GET", "")["keys"]
        return keys

    def revoke(self, key_id: str) -> JsonObject:
        return self._call("DELETE", f"/{key_id}")

    def take_effect(self) -> None:
        """Nothing to do: the local stack asks the authorizer at every request."""

    def _call(self, method: str, path: str, body: Any = None) -> JsonObject:
        return dict(self.client.ask(method, f"/_dev/keys{path}", body))


@dataclass(frozen=True, slots=True)
class DeployedKeys:
    """Keys in a table, and the API that caches the authorizer's answers."""

    keys: TableKeys
    forget_answers: Callable[[], None] = lambda: None
    """Empties the API's cache."""

    def create(self, request: Mapping[str, Any]) -> JsonObject:
        return self.keys.create(request)

    def list_keys(self) -> Sequence[JsonObject]:
        return self.keys.list_keys()

    def revoke(self, key_id: str) -> JsonObject:
        return self.keys.revoke(key_id)

    def take_effect(self) -> None:
        """Empty the API's cache; raises Unavailable where API Gateway refuses."""
        try:
            self.forget_answers()
        except (BotoCoreError, ClientError) as error:
            raise Unavailable(
                f"the key has changed, but the API may go by the former one for 5 minutes: {error}"
            ) from error


def keys_of_table(table: str, endpoint_url: str | None) -> DeployedKeys:
    """The keys of a table in the environment's account and Region."""
    client = clients.dynamodb_client(endpoint_url)
    return DeployedKeys(TableKeys(DynamoKeys(client, table), chance.system_clock))


def keys_of_stack(stack: DeployedStack) -> DeployedKeys:
    """The keys of a deployed stack; raises NotFound."""
    import boto3  # noqa: PLC0415 - only this command needs it

    keys = keys_of_table(stack.table, None)
    gateway = boto3.client("apigatewayv2")
    return replace(keys, forget_answers=lambda: reset_authorizer(stack, gateway))


def reset_authorizer(stack: DeployedStack, gateway: Any) -> None:
    """Make the stack's API ask the authorizer about every key again."""
    gateway.reset_authorizers_cache(ApiId=stack.resource(API), StageName="$default")
