"""A job of studying a document, or of taking a document back: state, progress and counts.

preparing    the document is divided into parts
studying     part by part becomes topics
linking      the topics of a model are brought together with what is known; names are linked
tidying      what the document no longer says is taken back; nothing stays in the sandbox
removing     everything that rests on the document alone is taken back, or is counted
done, cancelled, failed
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from membrane.domain.access.principals import Principal, Source, principal_of
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.records.stored import id_within
from membrane.domain.study.hierarchy import Span
from membrane.domain.study.origins import SHOWN_OF_JOB, Origin
from membrane.domain.topics.titles import OF_DOCUMENT, OF_SESSION

STUDIES = "studies/"
"""The prefix of the objects of studies in the bucket."""

PLAN = "plan"
"""The object of a job with the parts of the document."""
MADE = "made"
"""The object with the ids of topics that a model has made, with the digests of the passages."""
FED = "fed"
"""The object with the ids of topics to which a model has added facts."""
BATCHES = "batches"
"""The object with the digests of passages, joined by spaces, by the digest of a batch."""


class Purpose(StrEnum):
    """What a job does with a document."""

    STUDY = "study"
    REMOVAL = "removal"


class StudyStage(StrEnum):
    """The step at which a job is, or its end."""

    PREPARING = "preparing"
    STUDYING = "studying"
    LINKING = "linking"
    TIDYING = "tidying"
    REMOVING = "removing"
    DONE = "done"
    CANCELLED = "cancelled"
    FAILED = "failed"


ENDS = frozenset({StudyStage.DONE, StudyStage.CANCELLED, StudyStage.FAILED})

Counts = Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One version of a job. Timestamps are RFC 3339, in UTC."""

    id: str
    purpose: Purpose
    document: str
    """The id of the document's topic."""
    title: str
    source: str = ""
    scope: str
    sensitivity: Sensitivity
    principal: Principal
    """The caller, under whose rights the job writes."""
    fingerprint: str = ""
    """SHA-256 of the request, in hex; empty without an idempotency key."""
    with_model: bool = False
    is_dry_run: bool = False
    sha256: str = ""
    """SHA-256 of the document's text in UTF-8, in hex."""
    characters: int = 0
    started_at: str
    updated_at: str
    expires_at_s: int
    """When the job and its objects go, in seconds since 1970."""
    stage: StudyStage
    stopped_at: StudyStage | None = None
    """The stage in which a failed job stopped."""
    attempt: int = 1
    """Counts the executions; only the newest goes on."""
    is_cancelling: bool = False
    failure: str = ""
    waits_until: str | None = None
    """When the allowance of tokens is renewed; None unless the job waits."""
    place: int = 0
    """How many parts, or topics, of the present stage are finished."""
    after: str = ""
    """The id of the last finished topic of a stage that goes through topics by id."""
    has_claimed: bool = False
    """Whether the job has had the claim on the document."""
    is_first: bool = False
    """Whether the job made the document's topic."""
    begun: int = -1
    """The place of the passage that a model last began to study."""
    cut: int = -1
    """The place of the passage that the time of a run last did not suffice for."""
    partial: tuple[str, ...] = ()
    """The digests of passages that the model could not finish."""
    waits: int = 0
    """Waits in a row without a finished passage between."""
    in_section: int = 0
    """The paragraphs of the present section that are finished; while linking, the last piece."""
    counted: str = ""
    """The id of the last topic whose removal is counted."""
    must_scan: bool = False
    """Whether a killed step may have left topics in the sandbox whose ids were not kept."""
    units: Counts = field(default_factory=dict)
    """The number of units of the document: `sections`, `paragraphs`, `sentences`."""
    units_done: Counts = field(default_factory=dict)
    made: Counts = field(default_factory=dict)
    removed: Counts = field(default_factory=dict)
    tokens: int = 0
    questions: int = 0
    said: str = ""
    """What a model said of the newest parts."""

    @property
    def is_ended(self) -> bool:
        return self.stage in ENDS

    @property
    def stage_at_work(self) -> StudyStage:
        """The stage; of a failed job the stage in which the job stopped."""
        return self.stopped_at if self.stopped_at is not None else self.stage

    @property
    def kind(self) -> str:
        """The kind of the topics in the sandbox."""
        return f"{OF_SESSION}{self.id}"

    @property
    def objects(self) -> tuple[str, ...]:
        """The names of all objects of the job in the bucket."""
        if self.purpose is Purpose.REMOVAL:
            return ()
        names = (PLAN, MADE, FED, BATCHES) if self.with_model else (PLAN,)
        return self.text_object, *map(self.object_named, names)

    def object_named(self, name: str) -> str:
        return f"{STUDIES}{self.id}/{name}"

    @property
    def text_object(self) -> str:
        """The object with the document, another for another document under the key."""
        return f"{STUDIES}{self.id}/{self.sha256}"

    def origin(self, section: int, span: Span, passage: str = "") -> Origin:
        """Where a value of the document comes from."""
        job = self.id[-SHOWN_OF_JOB:]
        return Origin(self.document, job, section, span, self.with_model, passage)

    def has_written(self, origin: Origin | None) -> bool:
        """Whether a value with the origin was written by this job."""
        return (
            origin is not None
            and origin.document == self.document
            and origin.job == self.id[-SHOWN_OF_JOB:]
        )

    def counting(
        self,
        *,
        units: Counts | None = None,
        made: Counts | None = None,
        removed: Counts | None = None,
    ) -> "Job":
        """The job with the counts added."""
        return replace(
            self,
            units_done=_sum(self.units_done, units),
            made=_sum(self.made, made),
            removed=_sum(self.removed, removed),
        )

    def as_json(self) -> JsonObject:
        plain = {name: getattr(self, name) for name in self.__slots__}
        partial = list(self.partial)
        principal = self.principal.as_json() | {"source": self.principal.source}
        return plain | {"principal": principal, "partial": partial}

    @classmethod
    def of_json(cls, kept: JsonObject) -> "Job":
        stopped_at = kept["stopped_at"]
        return cls(
            **{
                **kept,
                "purpose": Purpose(kept["purpose"]),
                "sensitivity": Sensitivity(kept["sensitivity"]),
                "principal": _principal_of_json(kept["principal"]),
                "stage": StudyStage(kept["stage"]),
                "partial": tuple(kept["partial"]),
                "stopped_at": None if stopped_at is None else StudyStage(stopped_at),
            }
        )


def document_id(scope: str, sensitivity: Sensitivity, name: str, generation: int = 0) -> str:
    """The id of a document's topic; `name` is the source, or the title without a source.

    A caller with a lower ceiling, who may not see the topic, never meets the id. `generation`
    counts the erasures of the topic.
    """
    return id_within("document", scope, sensitivity, name, *["erased"] * generation)


def document_kind(document: str) -> str:
    """The kind of the topics made of a document."""
    return f"{OF_DOCUMENT}{document[:12]}"


def _sum(known: Counts, more: Counts | None) -> Counts:
    return dict(Counter(known) + Counter(more)) if more else known


def _principal_of_json(kept: JsonObject) -> Principal:
    """The identity depends on source, actor, scopes and ceiling alone."""
    rights = {name: value for name, value in kept.items() if name != "source"}
    return principal_of(**rights)._replace(source=Source(kept["source"]))
