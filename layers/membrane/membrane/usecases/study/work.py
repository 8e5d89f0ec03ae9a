"""What the steps of one run of a job share: the rights of the caller, the text and the plan."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from membrane.domain.language.errors import FailedPrecondition
from membrane.domain.language.json_text import compact_json
from membrane.domain.study.jobs import (
    Job,
    fed_object,
    made_object,
    plan_object,
)
from membrane.domain.study.passages import Passage
from membrane.domain.study.plan import Plan
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.catalogue import Checkpoint
from membrane.usecases.ports.services_study import StudyServices

RPC = "StudyDocument"

GONE = "the text of the document is no longer there: study the document again"


@dataclass(slots=True)
class Work:
    """A run of a job; nothing of the run is needed by the next run."""

    job_id: str
    text_object: str
    call: Call
    services: StudyServices
    _text: str | None = None
    _plan: Plan | None = None
    lists: dict[str, Sequence[str]] = field(default_factory=dict)
    """Ids of topics to go through, in order, by the name of the list."""
    begun: set[int] = field(default_factory=set)
    """The places of the passages that this run began to study."""
    passages: Sequence[Passage] | None = None
    _known: Checkpoint | None = None
    sections_by_name: Mapping[str, int] | None = None
    known_topics: dict[str, str | None] = field(default_factory=dict)
    """The ids of the scope's topics by title, as far as looked up; None for no topic."""

    @classmethod
    def of(cls, job: Job, services: StudyServices) -> "Work":
        """The run under the rights of the job's caller, who writes into the job's scope alone."""
        principal = job.principal
        if job.scope:
            principal = principal._replace(scopes=(job.scope,))
        policy = replace(services.policy, sensitivity=job.sensitivity)
        return cls(
            job.id,
            job.text_object,
            Call(principal, RPC, None, b""),
            replace(services, policy=policy),
        )

    @property
    def text(self) -> str:
        """The document; raises FailedPrecondition if the text has expired."""
        if self._text is None:
            self._text = self._object(self.text_object).decode()
        return self._text

    @property
    def plan(self) -> Plan:
        """The plan; raises FailedPrecondition if the plan has expired."""
        if self._plan is None:
            self._plan = Plan.of_json(json.loads(self._object(plan_object(self.job_id))))
        return self._plan

    def keep_plan(self, plan: Plan) -> None:
        self._plan = plan
        content = compact_json(plan.as_json()).encode()
        self.services.blobs.write(plan_object(self.job_id), content)

    @property
    def made_ids(self) -> Sequence[str]:
        """The ids of the topics that a model has made, in the order of their making."""
        return self._ids(made_object(self.job_id))

    @property
    def fed_ids(self) -> Sequence[str]:
        """The ids of the topics to which a model has added facts."""
        return self._ids(fed_object(self.job_id))

    def keep_ids(self, *, made: Sequence[str] = (), fed: Sequence[str] = ()) -> None:
        """Add to the kept ids."""
        self._add(made_object(self.job_id), made)
        self._add(fed_object(self.job_id), fed)

    def is_known(self, digest: str, job: Job) -> bool:
        """Whether an earlier study with a model has finished a passage with the digest."""
        if self._known is None:
            store = self.services.topics
            found = store.find_document(_known_name(job), job.scope)
            self._known = found or Checkpoint({"passages": []}, 0)
        return digest in self._known.progress["passages"]

    def keep_known(self, digests: Sequence[str], job: Job) -> None:
        """Keep the digests of the passages of this edition for later studies."""
        store, name = self.services.topics, _known_name(job)
        found = store.find_document(name, job.scope)
        if found is None and not digests:
            return
        store.keep_document(name, job.scope, {"passages": sorted(set(digests))}, found)

    def _add(self, name: str, ids: Sequence[str]) -> None:
        known = self._ids(name)
        every = [*dict.fromkeys([*known, *ids])]
        if len(every) > len(known):
            self.services.blobs.write(name, compact_json(every).encode())

    def _ids(self, name: str) -> Sequence[str]:
        content = self.services.blobs.get(name)
        return [] if content is None else list(json.loads(content))

    def _object(self, name: str) -> bytes:
        content = self.services.blobs.get(name)
        if content is None:
            raise FailedPrecondition(GONE)
        return content


def _known_name(job: Job) -> str:
    """The name under which the scope keeps the digests of the document's passages."""
    return f"studied-{job.document}"
