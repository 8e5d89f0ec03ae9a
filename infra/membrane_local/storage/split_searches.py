"""SearchVectors with IN for dynoxide, which filters by equality alone."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, cast

from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.compat import HTTPHeaders

from membrane_local.storage.dynoxide import Content
from membrane_local.storage.search_conditions import Condition, ConditionError, conditions_of

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

OK = 200

SearchBody = Mapping[str, Any]
"""A SearchVectors request or reply, as JSON."""


def split_in_searches(client: "DynamoDBClient") -> "DynamoDBClient":
    """The client, changed to split a search with IN into a search for every value.

    The client must send requests without a signature.
    """
    endpoint = cast("Any", client)._endpoint  # noqa: SLF001 - the split searches go where the search would go

    def answer(request: AWSPreparedRequest, **_: object) -> Any:
        search = json.loads(request.body)  # type: ignore[arg-type]  # every DynamoDB request is JSON
        searches = list(_by_equality(search))
        if not searches:
            return None
        replies = [endpoint.http_session.send(_request_for(request, each)) for each in searches]
        refusal = next((each for each in replies if each.status_code != OK), None)
        if refusal is not None:
            return refusal
        merged = _merge([json.loads(each.content) for each in replies], search["TopK"])
        body = Content(json.dumps(merged).encode())
        return AWSResponse(request.url, OK, HTTPHeaders(), body)

    client.meta.events.register("before-send.dynamodb.SearchVectors", answer)
    return client


def _by_equality(search: SearchBody) -> Iterator[SearchBody]:
    """The searches with equalities that replace a search with IN; none for a search without IN."""
    try:
        conditions = conditions_of(search.get("SearchConditionExpression", ""))
    except ConditionError:
        return
    values = search.get("ExpressionAttributeValues", {})
    if all(len(each.values) == 1 for each in conditions) or not _names(conditions) <= values.keys():
        return
    unused = {name: value for name, value in values.items() if name not in _names(conditions)}
    choices = [_distinct(each.values, values) for each in conditions]
    for chosen in product(*choices):
        equalities = (
            f"{condition.name} = {value}"
            for condition, value in zip(conditions, chosen, strict=True)
        )
        yield {
            **search,
            "SearchConditionExpression": " AND ".join(equalities),
            "ExpressionAttributeValues": {**unused, **{name: values[name] for name in chosen}},
        }


def _names(conditions: Sequence[Condition]) -> set[str]:
    return {value for condition in conditions for value in condition.values}


def _distinct(names: Sequence[str], values: Mapping[str, Any]) -> list[str]:
    """A placeholder for every distinct value; with duplicates, an item would be found twice."""
    return list({json.dumps(values[name]): name for name in names}.values())


def _request_for(request: AWSPreparedRequest, search: SearchBody) -> AWSPreparedRequest:
    body = json.dumps(search).encode()
    headers: Any = {**dict(request.headers.items()), "Content-Length": str(len(body))}
    return AWSPreparedRequest(request.method, request.url, headers, body, stream_output=False)


def _merge(replies: Sequence[SearchBody], top: int) -> SearchBody:
    """The nearest items of all replies, and the total consumption."""
    found = [each for reply in replies for each in reply["SearchResults"]]
    merged: dict[str, Any] = {"SearchResults": sorted(found, key=_score)[:top]}
    if "ConsumedCapacity" in replies[0]:
        examined = sum(each["ConsumedCapacity"]["VectorSearchRequestBytes"] for each in replies)
        merged["ConsumedCapacity"] = {"VectorSearchRequestBytes": examined}
    return merged


def _score(found: SearchBody) -> float:
    return float(found["Score"])
