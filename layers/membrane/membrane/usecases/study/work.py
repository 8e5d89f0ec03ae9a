"""What the steps of one run of a job share: the rights of the caller, the text and the plan."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from membrane.domain.language.errors import FailedPrecondition
from membrane.domain.language.json_text import JsonObject, compact_json
from membrane.domain.language.names import normalise_text
from membrane.domain.language.timestamps import is_before
from membrane.domain.study.jobs import PLAN, Job
from membrane.domain.study.plan import Passage, Section, digest_of, passages_of, section_of
from membrane.table.items import Checkpoint
from membrane.table.keys import study_key
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.world import World

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.jobs import DynamoJobs

WRITE_S = 2.0
"""Seconds after which no write is under way that checked the claim before."""

_NO_SLUG = re.compile(r"[^\w\- ]")

_NOBODY: JsonObject = {"job": "", "attempt": 0, "started_at": ""}


class Superseded(Exception):
    """A later job or attempt has the claim."""


def keep_study(job: Job, before: Checkpoint | None, jobs: "DynamoJobs") -> Checkpoint:
    """Replace `before` (None = no job); raises LostRace if the stored job has changed since."""
    return jobs.keep(study_key(job.id), job.as_json(), before, job.expires_at_s, job.scope)


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
    return f"study-of-{job.document}"


RPC = "StudyDocument"

GONE = "the text of the document is no longer there: study the document again"


@dataclass
class Work:
    """A run of a job; nothing of the run is needed by the next run.

    The text and the parts raise FailedPrecondition if the text has expired.
    """

    job: Job
    """The job as the run began."""
    call: Call
    world: World
    tokens: int = 0
    """Tokens of questions that are not in the job yet."""
    questions: int = 0
    removal: Mapping[str, str] | None = None
    """The kinds of the links to the document of the topics to take back, by id."""
    strays: Mapping[str, str] | None = None
    """The same of the topics that are no sections of this edition."""
    begun: set[int] = field(default_factory=set)
    """The places of the passages that this run began to study."""
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
        return cls(job, Call(principal, RPC, None, b""), world.but(policy=policy))

    def require_claim(self) -> None:
        """Raises Superseded unless the job's present attempt has the claim on the document."""
        found = self.world.topics.find_document(_name(self.job), self.job.scope)
        if found is None or found.progress != _claim(self.job):
            raise Superseded

    @cached_property
    def text(self) -> str:
        return self._object(self.job.text_object).decode()

    @cached_property
    def sections(self) -> Sequence[Section]:
        """The plan of the study; the number of a section is its place in the plan, from 1."""
        kept = json.loads(self._object(self.job.object_named(PLAN)))
        return [section_of(each) for each in kept["sections"]]

    @cached_property
    def passages(self) -> Sequence[Passage]:
        return list(passages_of(self.sections))

    @cached_property
    def digests(self) -> Sequence[str]:
        """The digests of the passages of this edition, in order."""
        return [self.digest(each) for each in self.passages]

    @cached_property
    def sections_by_name(self) -> Mapping[str, int]:
        """The numbers of sections by title and by the name in links; the first of a name counts."""
        found: dict[str, int] = {}
        for each in self.sections:
            if each.path:
                found.setdefault(normalise_text(each.path[-1]), each.number)
                found.setdefault(_slug(each.path[-1]), each.number)
        return found

    @cached_property
    def earlier_study(self) -> JsonObject:
        """What earlier studies with a model have kept: `passages` by digest, and `batches`."""
        found = self.world.topics.find_document(_known_name(self.job), self.job.scope)
        return {"passages": [], "batches": {}} | (found.progress if found else {})

    def digest(self, passage: Passage) -> str:
        return digest_of(*passage.section.path, self.text[slice(*passage.span)])

    def keep_plan(self, sections: Sequence[Section]) -> None:
        self.sections = sections
        content = compact_json({"sections": [list(each) for each in sections]}).encode()
        self.world.blobs.write(self.job.object_named(PLAN), content)

    def answers_in(self, name: str) -> Mapping[str, str]:
        """What the job has kept in an object of a model: MADE, FED or BATCHES."""
        content = self.world.blobs.get(self.job.object_named(name))
        return {} if content is None else dict(json.loads(content))

    def keep(self, name: str, more: Mapping[str, str]) -> None:
        """Add to an object of a model; what is there already stays as it is."""
        known = self.answers_in(name)
        new = {each: value for each, value in more.items() if each not in known}
        if new:
            content = compact_json({**known, **new}).encode()
            self.world.blobs.write(self.job.object_named(name), content)

    def keep_known(self, passages: Sequence[str], batches: Mapping[str, str]) -> None:
        """Keep the passages and batches of this edition for later studies."""
        store, name = self.world.topics, _known_name(self.job)
        found = store.find_document(name, self.job.scope)
        if found is not None or passages:
            kept = {"passages": sorted(set(passages)), "batches": dict(batches)}
            store.keep_document(name, self.job.scope, kept, found)

    def _object(self, name: str) -> bytes:
        content = self.world.blobs.get(name)
        if content is None:
            raise FailedPrecondition(GONE)
        return content


def _known_name(job: Job) -> str:
    """The name under which the scope keeps the digests of the document's passages."""
    return f"studied-{job.document}"


def _slug(title: str) -> str:
    """The name by which links in Markdown refer to a heading, as GitHub makes it."""
    return _NO_SLUG.sub("", title.strip().lower()).replace(" ", "-")
