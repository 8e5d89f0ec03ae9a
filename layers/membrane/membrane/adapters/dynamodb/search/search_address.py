"""Where the table's vector index is searched: at an address of its own, beside the table's.

botocore knows it by the rules for DynamoDB's addresses, which the layer leaves out: they would be
evaluated at every other call as well.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

_HOSTS = ("dynamodb.", "dynamodb-fips.")
_OF_SEARCHES = "search-"


def find_search_address(client: "DynamoDBClient") -> None:
    """Let the client send searches to it; one with another endpoint goes on sending them there."""
    client.meta.events.register(
        "before-call.dynamodb.SearchVectors", _send_there, unique_id="search-address"
    )


def _send_there(params: dict[str, Any], **_: Any) -> None:
    scheme, _separator, host = params["url"].partition("://")
    if host.startswith(_HOSTS):
        params["url"] = f"{scheme}://{_OF_SEARCHES}{host}"
