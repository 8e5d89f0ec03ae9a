"""Stores whose consolidation may cross scopes, and what is learned in several scopes."""

from collections.abc import Iterable
from dataclasses import replace

from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.learning.policy import LearningPolicy
from membrane.domain.records.payloads import CompetencePayload
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.learning.consolidate import Consolidated, consolidate_all
from membrane.usecases.ports.services import Services
from tests.builders.episodes import add_call, add_event, add_release, end
from tests.worlds.captures import services_over
from tests.worlds.learned import stored
from tests.worlds.stores import Store


def crossing(store: Store) -> Services:
    """The services of a stack with ConsolidateAcrossScopes."""
    return replace(services_over(store), learning_policy=LearningPolicy(crosses_scopes=True))


def within_scopes(services: Services) -> Services:
    """The services after ConsolidateAcrossScopes was turned off."""
    return replace(services, learning_policy=LearningPolicy())


def release_in(scope: str, *threads: str, services: Services) -> None:
    """A release in each thread, of a version with the name of the thread."""
    for each in threads:
        add_release(each, f"1.{each}", services, scope=scope)


def release_for(word: str, scope: str, services: Services) -> None:
    """A release whose task, arguments and errors have the word; the thread is named after it."""
    thread = f"for-{word}"
    add_event(thread, f"Release the parser version of {word}", services, scope=scope)
    error = {"error": f"{word} failed"}
    add_call(thread, "run_tests", {"suite": "unit"}, error, services, scope=scope)
    add_call(thread, "build", {"tag": word}, {"image": f"i-{word}"}, services, scope=scope)
    last = add_call(thread, "deploy", {"image": f"i-{word}"}, {"ok": True}, services, scope=scope)
    end(last.id, services)


def consolidate_later(store: Store, services: Services) -> Consolidated:
    """What a run of the schedule makes once every thread is quiet."""
    store.clock.advance(hours=1)
    done = consolidate_all(services)
    assert done.failed == []
    return done


def learn_across(store: Store, services: Services, *scopes: str) -> str:
    """The unscoped skill of a release in each scope; the thread is named after the scope."""
    for each in scopes:
        release_in(each, f"of-{each}", services=services)
    (skill_id,) = consolidate_later(store, services).skills
    assert stored(skill_id, services).scope == ""
    return skill_id


def sources_of(record_id: str, services: Services) -> list[StoredRecord]:
    """The traces of a skill or plan, the oldest first."""
    sources = stored(record_id, services).record.provenance.sources
    return [stored(each.ref, services) for each in sources]


def scopes_of(records: Iterable[StoredRecord]) -> list[str]:
    return sorted(each.scope for each in records)


def successes_of(skill_id: str, services: Services) -> int:
    payload = stored(skill_id, services).record.payload
    assert isinstance(payload, CompetencePayload)
    assert payload.performance is not None
    return payload.performance.success_count


def plan_of(skill_id: str, services: Services) -> StoredRecord:
    """The plan that goes with the skill."""
    targets = {
        each.target_id
        for trace in sources_of(skill_id, services)
        for each in trace.record.relations
    }
    (plan,) = [
        held for each in targets if (held := stored(each, services)).type is MemoryType.PLAN_GRAPH
    ]
    return plan


def content_shown(skill_id: str, services: Services) -> str:
    """The content of the skill and the plan, which readers of all scopes see."""
    both = (stored(skill_id, services), plan_of(skill_id, services))
    return " ".join(repr(each.record.payload) for each in both)
