"""`membrane keys create|list|revoke`: of a deployed table, or of a running local stack."""

import argparse
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

from botocore.exceptions import BotoCoreError, ClientError

from membrane.adapters.dynamodb.access import DynamoKeys
from membrane.domain.access.trust import ALL_SCOPES
from membrane.domain.language.errors import Unavailable
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.vocabulary import Permission, Sensitivity
from membrane.wiring import chance, clients
from membrane_cli.http_client import HttpClient
from membrane_cli.options import Parser, local_stack
from membrane_cli.output import print_json, print_rows
from membrane_cli.stacks import DeployedStack, stack_here
from membrane_local.table_keys import TableKeys


def add_options(parser: Parser) -> None:
    parser.show("membrane keys create --help", "membrane keys list", "membrane keys revoke 1f0c")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    create = actions.add_parser("create", help="create a key and show the secret once")
    create.option("--actor", "who acts with the key", required=True)
    more: Any = {"action": "append", "required": True}
    words = [str(word) for word in Permission]
    create.option("--permission", "may be given more than once", choices=words, **more)
    meaning = "a scope, a prefix of scopes as 'tenant:acme:*', or '*' for every scope"
    create.option("--scope", meaning, **more)
    create.option(
        "--user-prefix",
        "a user's scope is the prefix and the user, as in tenant:acme:user:alice; "
        "requests that name no user are refused",
    )
    users = create.add_mutually_exclusive_group()
    choice: Any = {"dest": "user_required", "default": None}
    meaning = "with --user-prefix: a request that names no user acts in every scope of the key"
    create.option("--user-optional", meaning, users, action="store_false", **choice)
    create.option("--user-required", "as --user-prefix alone", users, action="store_true", **choice)
    words, low = [str(word) for word in Sensitivity], str(Sensitivity.LOW)
    meaning = "the highest sensitivity that the key may see and write"
    create.option("--max-sensitivity", meaning, default=low, choices=words)
    create.option("--expires-in-days", "never, if absent", type=float)
    create.add_json("the key as one JSON object, the secret included")
    create.run_by(
        _create,
        "membrane keys create --actor my-agent --permission ingest --permission read "
        "--scope project:acme",
        "membrane keys create --actor ci --permission ingest --scope '*' --stack membrane",
    )
    listing = actions.add_parser("list", help="list every key, without the secrets")
    listing.run_by(_list, "membrane keys list", "membrane keys list --stack membrane")
    meaning = "revoke a key; with --table in effect within 5 minutes"
    revoke = actions.add_parser("revoke", help=meaning)
    revoke.option("key_id", "the key id, or the first characters")
    revoke.run_by(
        _revoke, "membrane keys revoke 1f0c", "membrane keys revoke 1f0c --stack membrane"
    )
    title = "the place of the keys: one of --url, --stack, --table"
    endpoint = "with --table: a DynamoDB endpoint other than the Region's"
    for action in (create, listing, revoke):
        action.add_stack(title, table="a table in the account of the environment")
        action.option("--endpoint-url", endpoint)


class LocalKeys(NamedTuple):
    client: HttpClient

    def create(self, request: JsonObject) -> JsonObject:
        return dict(self.client.ask("POST", "/_dev/keys", request))

    def list_keys(self) -> Sequence[JsonObject]:
        keys: Sequence[JsonObject] = self.client.ask("GET", "/_dev/keys")["keys"]
        return keys

    def revoke(self, key_id: str) -> JsonObject:
        return dict(self.client.ask("DELETE", f"/_dev/keys/{key_id}"))


def _keys(options: argparse.Namespace) -> LocalKeys | TableKeys:
    client = local_stack(options)
    if client is not None:
        return LocalKeys(client)
    table = options.table if options.stack is None else stack_here(options.stack).table
    endpoint = options.endpoint_url if options.stack is None else None
    return TableKeys(DynamoKeys(clients.dynamodb_client(endpoint), table), chance.system_clock)


def _take_effect(options: argparse.Namespace) -> None:
    """Make the last change count at once, where a stack's API caches the authorizer's answers."""
    if options.stack is not None:
        import boto3  # noqa: PLC0415 - only this command needs it

        reset_authorizer(stack_here(options.stack), boto3.client("apigatewayv2"))


def reset_authorizer(stack: DeployedStack, gateway: Any) -> None:
    """Empty the cache of the stack's API; raises Unavailable where API Gateway refuses."""
    try:
        gateway.reset_authorizers_cache(ApiId=stack.resource("HttpApi"), StageName="$default")
    except (BotoCoreError, ClientError) as error:
        raise Unavailable(
            f"the key has changed, but the API may go by the former one for 5 minutes: {error}"
        ) from error


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
    key = _keys(options).create(request)
    if options.json:
        print_json(key)
    else:
        print(f"key id {key['key_id']}, shown here once and stored nowhere:")
        print(key["secret"])
    writes = not {Permission.INGEST, Permission.REVISE}.isdisjoint(key["permissions"])
    if writes and ALL_SCOPES in key["scopes"] and not key["user_required"]:
        print(
            "the key's writes without a scope or a user are visible to everybody", file=sys.stderr
        )
    _take_effect(options)


def _list(options: argparse.Namespace) -> None:
    print_rows(HEADINGS, map(cells_of, _keys(options).list_keys()))


HEADINGS = ("key id", "actor", "permissions", "scopes", "users", "up to", "expires", "revoked")


def cells_of(key: JsonObject) -> list[str]:
    rights = ", ".join(key["permissions"]), ", ".join(key["scopes"])
    users = f"{key['user_prefix'] or '-'}{', required' if key['user_required'] else ''}"
    ends = key["expires_at"] or "-", key["revoked_at"] or "-"
    return [key["key_id"], key["actor_id"], *rights, users, key["max_sensitivity"], *ends]


def _revoke(options: argparse.Namespace) -> None:
    print(f"revoked {_keys(options).revoke(options.key_id)['key_id']}")
    _take_effect(options)
