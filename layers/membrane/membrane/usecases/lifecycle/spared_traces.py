"""How long the sweep spares a faded trace: while a living skill names the trace as evidence."""

import math

from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.lifecycle.pruning import due_of
from membrane.domain.records.evidence import evidence_of, is_counted_trace
from membrane.domain.records.predicates import skills_derived_by
from membrane.domain.records.stored import StoredRecord
from membrane.domain.records.vector_rules import is_found
from membrane.usecases.machinery.load_batch import load_undamaged
from membrane.usecases.ports.services import Services


def spared_until(faded: StoredRecord, services: Services) -> int | None:
    """The second (since 1970) up to which the sweep spares the record; None for a record to prune.

    The sweep visits a trace again when the skill is due, and at the latest after the maximum age of
    a trace: the skill may be pinned, and a caller may have deleted the skill by then. A damaged
    skill spares nothing. One BatchGetItem for a trace of a skill, nothing for any other record.
    """
    if not is_counted_trace(faded.record):
        return None
    policy = services.policy
    last_s = math.ceil(epoch_seconds(services.now())) + policy.trace_max_age_s
    records, skill_ids = services.records, skills_derived_by(faded.record.relations)
    skills, _ = load_undamaged(skill_ids, records.load_own, records.load)
    due = [
        due_of(skill, policy.custom_curves, policy.prune_threshold)
        for skill in skills.values()
        if is_found(skill) and faded.id in evidence_of(skill.record)
    ]
    return max((last_s if due_s is None else min(due_s, last_s) for due_s in due), default=None)
