"""The vector searches of a deployed stack: how many bytes they examined, as CloudWatch counts."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from membrane.domain.language.errors import NotFound

NAMESPACE, METRIC = "AWS/DynamoDB", "VectorSearchRequestBytes"
"""DynamoDB's guide, "Monitoring vector index capacity"; the dimensions are TableName and INDEX."""
INDEX = "VectorIndexName"
HOUR_S = 3_600


class Searches(NamedTuple):
    """The searches of one vector index in a period."""

    vector_index: str
    searches: int
    examined_bytes: float

    @property
    def bytes_each(self) -> float:
        return self.examined_bytes / self.searches


def searches_of(
    table: str, cloudwatch: Any, until: datetime, period: timedelta
) -> Sequence[Searches]:
    """The searches by vector index of the table; raises NotFound for a period without searches."""
    of_table = {"Name": "TableName", "Value": table}
    pages = cloudwatch.get_paginator("list_metrics").paginate(
        Namespace=NAMESPACE, MetricName=METRIC, Dimensions=[of_table]
    )
    dimensions = [
        each for page in pages for found in page["Metrics"] for each in found["Dimensions"]
    ]
    found = []
    for vector_index in sorted({each["Value"] for each in dimensions if each["Name"] == INDEX}):
        points = cloudwatch.get_metric_statistics(
            Namespace=NAMESPACE,
            MetricName=METRIC,
            Dimensions=[of_table, {"Name": INDEX, "Value": vector_index}],
            StartTime=until - period,
            EndTime=until,
            Period=HOUR_S,
            Statistics=["SampleCount", "Sum"],
        )["Datapoints"]
        searches = round(sum(each["SampleCount"] for each in points))  # a sample is a search
        if searches:
            examined = sum(each["Sum"] for each in points)
            found.append(Searches(vector_index, searches, examined))
    if not found:
        raise NotFound(f"CloudWatch counted no vector search of the table {table} in the period")
    return found
