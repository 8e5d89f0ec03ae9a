"""The traces that an erasure leaves on purpose: the reason in audits, and the scope afterwards."""

from membrane.domain.erasure.jobs import Job
from membrane.domain.erasure.targets import TargetKind
from membrane.domain.ingest.builder import Why
from membrane.domain.topics.topic import Topic, TopicStatus

ERASED_SCOPE = "erased:"
"""The beginning of the scope of a tombstone whose scope was erased; the erasure's id follows."""


def why_of(job: Job) -> Why:
    return Why(job.actor_id, f"erasure {job.id}")


def scope_after(job: Job) -> str:
    """The scope of tombstones where the job erases a whole scope; empty to keep their scope."""
    is_of_scope = job.target is not None and job.target.kind is TargetKind.SCOPE
    return f"{ERASED_SCOPE}{job.id}" if is_of_scope else ""


def was_erased_by(topic: Topic, job: Job) -> bool:
    """Whether the job erased the topic; the reason of the last event names the job."""
    if topic.status is not TopicStatus.ERASED:
        return False
    return topic.trail[-1].why == why_of(job).rationale or topic.scope == scope_after(job)
