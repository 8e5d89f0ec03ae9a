"""What the steps of one run of a job share: the rights of the caller, the text and the plan."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from membrane.domain.language.errors import FailedPrecondition
from membrane.domain.language.json_text import JsonObject, compact_json
from membrane.domain.language.timestamps import is_before
from membrane.domain.study.jobs import Job, batches_object, fed_object, made_object, plan_object
from membrane.domain.study.passages import Passage
from membrane.domain.study.plan import Plan
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.world import World

WRITE_S = 2.0
"""Seconds after which no write is under way that checked the claim before."""

_NOBODY: JsonObject = {"job": "", "attempt": 0, "started_at": ""}


class Superseded(Exception):
    """A later job or attempt has the claim."""


def take_claim(job: Job, world: World) -> Job:
    """The job with the claim on its document; a dry run needs none.

    Raises FailedPrecondition if a job that was started later has had the document, or any job since
    this job claimed it; LostRace.
    """
    if job.is_dry_run:
        return job
    store, name = world.topics, _name(job)
    found = store.find_document(name, job.scope)
    holder = _NOBODY if found is None else found.progress
    if holder == _claim(job):
        return job
    is_later = is_before(job.started_at, holder["started_at"] or job.started_at)
    if holder["job"] != job.id and (job.has_claimed or is_later):
        raise FailedPrecondition(
            "another study or removal of the document came in between: study the document again"
        )
    store.keep_document(name, job.scope, _claim(job), found)
    if holder["job"]:
        world.pause(WRITE_S)
    return replace(job, has_claimed=True)


def require_claim(job: Job, world: World) -> None:
    """Raises Superseded unless the job's present attempt has the claim."""
    found = world.topics.find_document(_name(job), job.scope)
    if found is None or found.progress != _claim(job):
        raise Superseded


def release_claim(job: Job, world: World) -> None:
    """Let the next job begin without a wait. Raises LostRace."""
    store, name = world.topics, _name(job)
    found = store.find_document(name, job.scope)
    if found is not None and found.progress == _claim(job):
        free = {**_NOBODY, "started_at": job.started_at}
        store.keep_document(name, job.scope, free, found)


def _claim(job: Job) -> JsonObject:
    return {"job": job.id, "attempt": job.attempt, "started_at": job.started_at}


def _name(job: Job) -> str:
    """The name under which the scope keeps the claim."""
    return f"study-of-{job.document}"


RPC = "StudyDocument"

GONE = "the text of the document is no longer there: study the document again"


@dataclass(slots=True)
class Work:
    """A run of a job; nothing of the run is needed by the next run."""

    job: Job
    """The job as the run began."""
    call: Call
    world: World
    tokens: int = 0
    """Tokens of questions that are not in the job yet."""
    questions: int = 0
    _text: str | None = None
    _plan: Plan | None = None
    removal: Mapping[str, str] | None = None
    """The kinds of the links to the document of the topics to take back, by id."""
    strays: Mapping[str, str] | None = None
    """The same of the topics that are no sections of this edition."""
    begun: set[int] = field(default_factory=set)
    """The places of the passages that this run began to study."""
    passages: Sequence[Passage] | None = None
    digests: Sequence[str] | None = None
    """Of the passages, in order."""
    _known: JsonObject | None = None
    sections_by_name: Mapping[str, int] | None = None
    known_topics: dict[str, str | None] = field(default_factory=dict)
    """The ids of the scope's topics by title, as far as looked up; None for no topic."""

    @classmethod
    def of(cls, job: Job, world: World) -> "Work":
        """The run under the rights of the job's caller, narrowed to the scope of the job.

        A job without a scope has all scopes of the key, because the key has every scope.
        """
        principal = job.principal
        if job.scope:
            principal = principal._replace(scopes=(job.scope,))
        policy = replace(world.policy, sensitivity=job.sensitivity)
        return cls(
            job,
            Call(principal, RPC, None, b""),
            world.but(policy=policy),
        )

    def require_claim(self) -> None:
        """Raises Superseded if another job or attempt writes the document now."""
        require_claim(self.job, self.world)

    @property
    def text(self) -> str:
        """The document; raises FailedPrecondition if the text has expired."""
        if self._text is None:
            self._text = self._object(self.job.text_object).decode()
        return self._text

    @property
    def plan(self) -> Plan:
        """The plan; raises FailedPrecondition if the plan has expired."""
        if self._plan is None:
            self._plan = Plan.of_json(json.loads(self._object(plan_object(self.job.id))))
        return self._plan

    def keep_plan(self, plan: Plan) -> None:
        self._plan = plan
        content = compact_json(plan.as_json()).encode()
        self.world.blobs.write(plan_object(self.job.id), content)

    @property
    def made_ids(self) -> Sequence[str]:
        """The ids of the topics that a model has made, in the order of their making."""
        return [*self.passages_of_made]

    @property
    def passages_of_made(self) -> Mapping[str, str]:
        """The digests of passages by the ids of the topics that a model has made of them."""
        return self._read_ids(made_object(self.job.id))

    @property
    def fed_ids(self) -> Sequence[str]:
        """The ids of the topics to which a model has added facts."""
        return [*self._read_ids(fed_object(self.job.id))]

    @property
    def passages_of_batches(self) -> Mapping[str, str]:
        """The digests of passages, joined by spaces, by the digest of the batch of phase B."""
        return self._read_ids(batches_object(self.job.id))

    def keep_made(self, ids: Sequence[str], passage: str) -> None:
        """Keep what a model has made of a passage."""
        self._keep(made_object(self.job.id), dict.fromkeys(ids, passage))

    def keep_fed(self, ids: Sequence[str]) -> None:
        """Keep to which topics a model has added facts."""
        self._keep(fed_object(self.job.id), dict.fromkeys(ids, ""))

    def keep_batch(self, batch: str, passages: Sequence[str]) -> None:
        """Keep on which passages the facts of a batch rest."""
        self._keep(batches_object(self.job.id), {batch: " ".join(passages)})

    def is_known(self, digest: str) -> bool:
        """Whether an earlier study with a model has finished a passage with the digest."""
        return digest in self.earlier_study["passages"]

    @property
    def earlier_study(self) -> JsonObject:
        """What earlier studies with a model have kept: `passages` by digest, and `batches`."""
        if self._known is None:
            found = self.world.topics.find_document(_known_name(self.job), self.job.scope)
            self._known = {"passages": [], "batches": {}} | (found.progress if found else {})
        return self._known

    def keep_known(self, passages: Sequence[str], batches: Mapping[str, str]) -> None:
        """Keep the passages and batches of this edition for later studies."""
        store, name = self.world.topics, _known_name(self.job)
        found = store.find_document(name, self.job.scope)
        if found is not None or passages:
            kept = {"passages": sorted(set(passages)), "batches": dict(batches)}
            store.keep_document(name, self.job.scope, kept, found)

    def _keep(self, name: str, more: Mapping[str, str]) -> None:
        """Add to a kept object; what is there already stays as it is."""
        known = self._read_ids(name)
        new = {each: value for each, value in more.items() if each not in known}
        if new:
            self.world.blobs.write(name, compact_json({**known, **new}).encode())

    def _read_ids(self, name: str) -> Mapping[str, str]:
        content = self.world.blobs.get(name)
        return {} if content is None else dict(json.loads(content))

    def _object(self, name: str) -> bytes:
        content = self.world.blobs.get(name)
        if content is None:
            raise FailedPrecondition(GONE)
        return content


def _known_name(job: Job) -> str:
    """The name under which the scope keeps the digests of the document's passages."""
    return f"studied-{job.document}"
