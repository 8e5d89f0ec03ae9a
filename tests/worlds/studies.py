"""Studies of documents over fakes, whose executions run at once or by hand."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from typing import Any

from membrane.domain.access.principals import Principal
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.violations import validate
from membrane.domain.study.jobs import Job
from membrane.domain.study.requests import CancelStudy, RemoveDocument, ResumeStudy, StartStudy
from membrane.domain.topics.topic import Topic, TopicStatus
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.chat_models import ChatModel
from membrane.usecases.ports.services_study import StudyServices
from membrane.usecases.study.change_study import cancel_study, resume_study
from membrane.usecases.study.read_study import job_reply
from membrane.usecases.study.remove_document import remove_document
from membrane.usecases.study.run_study import Rest, run_study
from membrane.usecases.study.start_study import start_study
from tests.fakes.stand_in import StandIn
from tests.fakes.study_world import FakeExecutions, studying
from tests.fakes.topic_world import fake_topics
from tests.worlds.dying_records import KilledError
from tests.worlds.tools import key

MANUAL = """# The kettle

Fill the kettle with water before use. Ada Lovelace designed the lid.

## Safety

Never open the lid while the water boils. The steam burns.

Keep children away from the kettle.

## Care

Descale the kettle every month, see [Safety](#safety).

### Descaling

Use vinegar and water. Rinse twice.
"""


@dataclass(slots=True)
class WritesLeft:
    """The writes that a process makes before it is killed."""

    number: int

    def count(self) -> None:
        """Raise KilledError where no write is left."""
        if not self.number:
            raise KilledError
        self.number -= 1


class DyingStore(StandIn):
    """Passes every call on; the named methods, which write, die when no write is left."""

    def __init__(self, store: object, writing: Collection[str], left: WritesLeft) -> None:
        self._store, self._writing, self._left = store, writing, left

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._store, name)
        if name not in self._writing:
            return method

        def counted(*args: Any, **others: Any) -> Any:
            self._left.count()
            return method(*args, **others)

        return counted


def dying(services: StudyServices, writes: int) -> StudyServices:
    """The services of a process that dies before its next write after `writes` writes."""
    left = WritesLeft(writes)
    stores: dict[str, Any] = {
        "topics": DyingStore(services.topics, {"commit"}, left),
        "studies": DyingStore(services.studies, {"keep"}, left),
        "blobs": DyingStore(services.blobs, {"write", "erase"}, left),
    }
    return replace(services, **stores)


@dataclass(slots=True)
class Student:
    """A caller with a key, and the worker that goes on with the caller's jobs."""

    model: ChatModel | None = None
    principal: Principal = field(default_factory=key)
    settings: dict[str, Any] = field(default_factory=dict)
    services: StudyServices = field(init=False)

    def __post_init__(self) -> None:
        self.services = studying(self.model, **self.settings)

    def start(self, document: str = MANUAL, title: str = "The kettle", **others: Any) -> str:
        """Start a study; the id of the job."""
        request = validate(StartStudy, {"document": document, "title": title, **others})
        return str(start_study(request, self.call(), self.services).body["id"])

    def study(self, document: str = MANUAL, title: str = "The kettle", **others: Any) -> JsonObject:
        """The reply about a study that ran to its end."""
        job_id = self.start(document, title, **others)
        self.finish(job_id)
        return self.reply(job_id)

    def remove(self, document_id: str, *, dry_run: bool = True) -> JsonObject:
        """The reply about a removal that ran to its end."""
        request = validate(RemoveDocument, {"document_id": document_id, "dry_run": dry_run})
        job_id = str(remove_document(request, self.call(), self.services).body["id"])
        self.finish(job_id)
        return self.reply(job_id)

    def cancel(self, job_id: str) -> JsonObject:
        return dict(cancel_study(CancelStudy(id=job_id), self.call(), self.services).body)

    def resume(self, job_id: str) -> JsonObject:
        return dict(resume_study(ResumeStudy(id=job_id), self.call(), self.services).body)

    def run(self, job_id: str, is_out_of_time: Callable[[], bool] = lambda: False) -> Rest:
        """One run of the job's present attempt."""
        return run_study(job_id, self.job(job_id).attempt, self.services, is_out_of_time)

    def run_until_killed(self, job_id: str, writes: int) -> bool:
        """Whether a run was killed before its next write after `writes` writes."""
        services = dying(self.services, writes)
        try:
            run_study(job_id, self.job(job_id).attempt, services, lambda: False)
        except KilledError:
            return True
        return False

    def step(self, job_id: str) -> Rest:
        """A run that has time for one step."""
        answers = iter([False])
        return self.run(job_id, lambda: next(answers, True))

    def finish(self, job_id: str) -> None:
        """Run the job to its end."""
        assert self.run(job_id) == Rest("done"), self.reply(job_id)

    def job(self, job_id: str) -> Job:
        kept = self.services.studies.find(job_id)
        assert kept is not None
        return Job.of_json(kept.progress)

    def reply(self, job_id: str) -> JsonObject:
        return dict(job_reply(self.job(job_id)))

    def call(self, idempotency_key: str | None = None) -> Call:
        return Call(self.principal, "StartStudy", idempotency_key, b"fingerprint")

    @property
    def topics(self) -> dict[str, Topic]:
        """The living topics by title."""
        every = fake_topics(self.services).topics.values()
        return {each.title: each for each in every if each.status is TopicStatus.ACTIVE}

    @property
    def executions(self) -> dict[str, JsonObject]:
        """The inputs of the executions that were started, by name."""
        started = self.services.start_execution
        assert isinstance(started, FakeExecutions)
        return started.started

    def later(self, seconds: float = 60.0) -> None:
        """Let time pass."""
        self.services.now.advance(seconds=seconds)  # type: ignore[attr-defined]  # a FakeClock


def values_of(topic: Topic) -> dict[str, Any]:
    """The current values of the living fields by name."""
    fields_of = topic.living_fields.items()
    return {name: each.current.value for name, each in fields_of if each.current is not None}


def contents_of(student: Student) -> dict[str, dict[str, Any]]:
    """The values of every living topic, by title and kind."""
    every = fake_topics(student.services).topics.values()
    living = (each for each in every if each.status is TopicStatus.ACTIVE)
    return {f"{each.title} ({each.kind})": values_of(each) for each in living}
