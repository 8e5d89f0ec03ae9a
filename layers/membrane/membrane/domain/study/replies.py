"""The replies about studies of documents."""

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from membrane.domain.language.fields import Count, Timestamp
from membrane.domain.study.jobs import Purpose, StudyStage

State = Literal["running", "waiting", "cancelling", "done", "cancelled", "failed"]


class DoneOfTotal(TypedDict):
    """How many of a kind are finished."""

    done: Count
    """The number that is finished."""
    total: Count
    """The number in the document; 0 until the document is divided."""


class StudyProgress(TypedDict):
    """The progress of a study, by unit."""

    sections: DoneOfTotal
    """Sections, as headings make them; a document without headings is one section."""
    paragraphs: DoneOfTotal
    """Paragraphs in the sections."""
    sentences: DoneOfTotal
    """Sentences in the paragraphs."""


class StudyMade(TypedDict):
    """What a study has written."""

    topics: Count
    """New topics."""
    fields: Count
    """New fields."""
    revisions: Count
    """New values of fields that there were."""
    unchanged: Count
    """Fields that had the value already."""
    withdrawn: Count
    """Fields and topics that the document no longer has."""
    links: Count
    """Links between topics by names and references."""
    partial: Count
    """Passages that the model could not finish in the time of two steps; the next study of the
    document reads them again."""


class StudyRemoved(TypedDict):
    """What was taken back, or would be by a removal without `dry_run`."""

    topics: Count
    """Topics that rest on the document alone."""
    revisions: Count
    """Values of fields that the document brought."""
    kept: Count
    """Topics that lose values of the document, and stay for what others wrote."""


class StudyCost(TypedDict):
    """What the model took; nothing without a model."""

    questions: Count
    """Questions to the model."""
    tokens: Count
    """Tokens of questions and answers."""


class StudyReply(TypedDict):
    """A study of a document, or a removal."""

    id: str
    """Id of the job."""
    purpose: Purpose
    """`study`, or `removal`."""
    state: State
    """`running`, `waiting` for an allowance of tokens, `cancelling`, `done`, `cancelled` or
    `failed`."""
    stage: StudyStage
    """The present step of the job: `preparing`, `studying`, `linking`, `tidying` or `removing`, or
    its end; of a failed job the step that failed."""
    document_id: str
    """Id of the document's topic. The topic is there from the stage `studying` on."""
    title: str
    """Title of the document."""
    source: str
    """Where the document comes from; empty if not said."""
    scope: str
    """Scope of the topics; empty for unscoped ones."""
    sensitivity: str
    """Sensitivity of the topics."""
    characters: Count
    """The length of the document."""
    sha256: str
    """SHA-256 of the document's text in UTF-8, in hex; empty for a removal."""
    dry_run: bool
    """Whether a removal only counts; false for a study."""
    with_model: bool
    """Whether a model studies the document; without a model the sections become topics, the
    paragraphs fields, and names and links are recognised by their form."""
    progress: StudyProgress
    """How far the study is."""
    made: StudyMade
    """What the study has written so far."""
    removed: StudyRemoved
    """What was taken back, by a removal or by a cancelled study."""
    cost: StudyCost
    """What the model took."""
    reason: NotRequired[str]
    """Why the job failed; absent otherwise."""
    waits_until: NotRequired[Timestamp]
    """When a waiting job goes on."""
    started_at: Timestamp
    """When the request came."""
    updated_at: Timestamp
    """When the job last made progress."""
    expires_at: Timestamp
    """When the service forgets the job; the topics stay."""
