"""Credit by every function that takes outcomes."""

from typing import Any

from tests.worlds.cloud import Cloud
from tests.worlds.every_arrival import import_lines


def credit_everywhere(cloud: Cloud) -> None:
    """Give credit by the receipt of a retrieval, alone and in a batch, and in an import by ids.

    An import has no retrieval of its own, so a receipt is refused there.
    """
    episode_id = cloud.report("event")
    alone = _outcome(episode_id, receipt_id=_receipt_of(cloud))
    del alone["rpc"]
    cloud.http("POST /v1/ingest/outcome", alone)
    batched = _outcome(episode_id, receipt_id=_receipt_of(cloud))
    results = cloud.http("POST /v1/ingest/batch", {"items": [batched]})["results"]
    assert [each["status"] for each in results] == [200]
    lines = [
        _outcome("imported", used_ids=["imported"]),
        _outcome("imported", receipt_id=_receipt_of(cloud)),
    ]
    reply = import_lines(cloud, "credit", lines)
    assert reply["refused"] == 1, reply


def _outcome(episode_id: str, **rests_on: Any) -> dict[str, Any]:
    ended = {"target_record_id": episode_id, "outcome_status": "success", "source": "judge"}
    return {"rpc": "IngestOutcome", **ended, **rests_on}


def _receipt_of(cloud: Cloud) -> str:
    task = {"task_descriptor": "what does the user like"}
    receipt_id: str = cloud.http("POST /v1/retrieve", task)["receipt_id"]
    return receipt_id
