"""Studies of documents, and removals of documents. Written by `make openapi`."""

from datetime import datetime

from membrane_client.pages import Job
from membrane_client.value import Value


class DoneOfTotal(Value):
    done: int  # The number that is finished
    total: int  # The number in the document; 0 until the document is divided


class StudyProgress(Value):
    sections: DoneOfTotal  # Sections, as headings make them
    paragraphs: DoneOfTotal  # Paragraphs in the sections
    sentences: DoneOfTotal  # Sentences in the paragraphs


class StudyMade(Value):
    topics: int  # New topics
    fields: int  # New fields
    revisions: int  # New values of fields that there were
    unchanged: int  # Fields that had the value already
    withdrawn: int  # Fields and topics that the document no longer has
    links: int  # Links between topics by names and references
    partial: int  # Passages that the model could not finish in the time of two steps


class StudyRemoved(Value):
    topics: int  # Topics that rest on the document alone
    revisions: int  # Values of fields that the document brought
    kept: int  # Topics that lose values of the document, and stay for what others wrote


class StudyCost(Value):
    questions: int  # Questions to the model
    tokens: int  # Tokens of questions and answers


class Study(Job):
    id: str  # Id of the job
    purpose: str  # `study`, or `removal`
    state: str
    stage: str
    document_id: str  # Id of the document's topic
    title: str  # Title of the document
    source: str  # Where the document comes from; empty if not said
    scope: str  # Scope of the topics; empty for unscoped ones
    sensitivity: str  # Sensitivity of the topics
    characters: int  # The length of the document
    sha256: str  # SHA-256 of the document's text in UTF-8, in hex; empty for a removal
    dry_run: bool  # Whether a removal only counts; false for a study
    with_model: bool  # Whether a model studies the document
    progress: StudyProgress  # How far the study is
    made: StudyMade  # What the study has written so far
    removed: StudyRemoved  # What was taken back, by a removal or by a cancelled study
    cost: StudyCost  # What the model took
    reason: str | None  # Why the job failed; absent otherwise
    waits_until: datetime | None  # When a waiting job goes on
    started_at: datetime  # When the request came
    updated_at: datetime  # When the job last made progress
    expires_at: datetime  # When the service forgets the job; the topics stay
