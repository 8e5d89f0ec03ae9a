"""`membrane keys create|list|revoke`: of a deployed table, or of a running local stack."""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from botocore.exceptions import BotoCoreError, ClientError
from rich.console import Console

from membrane.adapters.dynamodb.access.key_store import DynamoKeys
from membrane.domain.access.trust import ALL_SCOPES
from membrane.domain.language.errors import Unavailable
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.vocabulary import Permission, Sensitivity
from membrane.wiring import services as wiring
from membrane_cli.http_client import HttpClient
from membrane_cli.output import add_json, print_json
from membrane_cli.parser import Parser
from membrane_cli.stack_options import add_stack, local_stack
from membrane_cli.stacks import DeployedStack, stack_here
from membrane_cli.tables import show_rows
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
    client = wiring.dynamodb_client(endpoint_url)
    return DeployedKeys(TableKeys(DynamoKeys(client, table), wiring.system_clock))


def keys_of_stack(stack: DeployedStack) -> DeployedKeys:
    """The keys of a deployed stack; raises NotFound."""
    import boto3  # noqa: PLC0415 - only this command needs it

    keys = keys_of_table(stack.table, None)
    gateway = boto3.client("apigatewayv2")
    return replace(keys, forget_answers=lambda: reset_authorizer(stack, gateway))


def reset_authorizer(stack: DeployedStack, gateway: Any) -> None:
    """Make the stack's API ask the authorizer about every key again."""
    gateway.reset_authorizers_cache(ApiId=stack.resource(API), StageName="$default")


def add_options(parser: Parser) -> None:
    """The subcommands and their options."""
    parser.show("membrane keys create --help", "membrane keys list", "membrane keys revoke 1f0c")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    create = actions.add_parser("create", help="create a key and show the secret once")
    create.add_argument("--actor", required=True, help="who acts with the key")
    create.add_argument(
        "--permission",
        action="append",
        required=True,
        choices=[str(word) for word in Permission],
        help="may be given more than once",
    )
    create.add_argument(
        "--scope",
        action="append",
        required=True,
        help="a scope, a prefix of scopes as 'tenant:acme:*', or '*' for every scope",
    )
    create.add_argument(
        "--user-prefix",
        help="a user's scope is the prefix and the user, as in tenant:acme:user:alice; "
        "requests that name no user are refused",
    )
    users = create.add_mutually_exclusive_group()
    users.add_argument(
        "--user-optional",
        dest="user_required",
        action="store_false",
        default=None,
        help="with --user-prefix: a request that names no user acts in every scope of the key",
    )
    users.add_argument(
        "--user-required", action="store_true", default=None, help="as --user-prefix alone"
    )
    create.add_argument(
        "--max-sensitivity",
        default=str(Sensitivity.LOW),
        choices=[str(word) for word in Sensitivity],
        help="the highest sensitivity that the key may see and write",
    )
    create.add_argument("--expires-in-days", type=float, help="never, if absent")
    add_json(create, "the key as one JSON object, the secret included")
    create.show(
        "membrane keys create --actor my-agent --permission ingest --permission read "
        "--scope project:acme",
        "membrane keys create --actor ci --permission ingest --scope '*' --stack membrane",
    )
    create.set_defaults(run=_create)
    listing = actions.add_parser("list", help="list every key, without the secrets")
    listing.show("membrane keys list", "membrane keys list --stack membrane")
    listing.set_defaults(run=_list)
    revoke = actions.add_parser(
        "revoke", help="revoke a key; with --table in effect within 5 minutes"
    )
    revoke.add_argument("key_id", help="the key id, or the first characters")
    revoke.show("membrane keys revoke 1f0c", "membrane keys revoke 1f0c --stack membrane")
    revoke.set_defaults(run=_revoke)
    for action in (create, listing, revoke):
        add_stack(
            action,
            "the place of the keys: one of --url, --stack, --table",
            table="a table in the account of the environment",
        )
        action.add_argument(
            "--endpoint-url", help="with --table: a DynamoDB endpoint other than the Region's"
        )


def _place(options: argparse.Namespace) -> KeyPlace:
    client = local_stack(options)
    if client is not None:
        return LocalStackKeys(client)
    if options.stack is not None:
        return keys_of_stack(stack_here(options.stack))
    return keys_of_table(options.table, options.endpoint_url)


def _create(options: argparse.Namespace) -> None:
    has_users = bool(options.user_prefix)
    request = {
        "actor_id": options.actor,
        "permissions": options.permission,
        "scopes": options.scope,
        "max_sensitivity": options.max_sensitivity,
        "expires_in_days": options.expires_in_days,
        "user_prefix": options.user_prefix or "",
        "user_required": has_users if options.user_required is None else options.user_required,
    }
    place = _place(options)
    key = place.create(request)
    if options.json:
        print_json(key)
    else:
        print(f"key id {key['key_id']}, shown here once and stored nowhere:")
        print(key["secret"])
    if ALL_SCOPES in key["scopes"] and not key["user_required"] and _writes(key):
        print(
            "the key's writes without a scope or a user are visible to everybody", file=sys.stderr
        )
    place.take_effect()


def _writes(key: JsonObject) -> bool:
    return not {Permission.INGEST, Permission.REVISE}.isdisjoint(key["permissions"])


def _list(options: argparse.Namespace) -> None:
    show_keys(_place(options).list_keys(), Console())


def show_keys(keys: Sequence[JsonObject], console: Console) -> None:
    """Print the keys as a table."""
    headings = ("actor", "permissions", "scopes", "users", "up to", "expires", "revoked")
    show_rows(console, ("key id", *headings), map(_cells, keys))


def _revoke(options: argparse.Namespace) -> None:
    place = _place(options)
    print(f"revoked {place.revoke(options.key_id)['key_id']}")
    place.take_effect()


def _cells(key: JsonObject) -> list[str]:
    return [
        key["key_id"],
        key["actor_id"],
        ", ".join(key["permissions"]),
        ", ".join(key["scopes"]),
        _users(key),
        key["max_sensitivity"],
        key["expires_at"] or "-",
        key["revoked_at"] or "-",
    ]


def _users(key: JsonObject) -> str:
    """The prefix of the users' scopes, and whether each request must name a user."""
    return f"{key['user_prefix'] or '-'}{', required' if key['user_required'] else ''}"
