"""Studies of documents, and removals of documents."""

from membrane_client.values.value import (
    Value,
    count,
    flag,
    instant,
    optional_instant,
    optional_text,
    part,
    text,
)

ENDED = ("done", "cancelled", "failed")
"""The states in which a job ends."""


class DoneOfTotal(Value):
    done = count()
    total = count()
    """0 until the document is divided."""


class StudyProgress(Value):
    """How many units of the document are finished."""

    sections = part(DoneOfTotal)
    paragraphs = part(DoneOfTotal)
    sentences = part(DoneOfTotal)


class StudyMade(Value):
    """What a study has written."""

    topics = count()
    fields = count()
    revisions = count()
    """New values of fields that there were."""
    unchanged = count()
    """Fields that had the value already."""
    withdrawn = count()
    """Fields and topics that the document no longer has."""
    links = count()
    partial = count()
    """Passages that the model could not finish; the next study reads them again."""


class StudyRemoved(Value):
    """What was taken back, or would be by a removal without `dry_run`."""

    topics = count()
    revisions = count()
    kept = count()
    """Topics that lose values of the document, and stay for what others wrote."""


class StudyCost(Value):
    """What the model took; zeros without a model."""

    questions = count()
    tokens = count()


class Study(Value):
    """The state of a study or of a removal."""

    id = text()
    purpose = text()
    """`study` or `removal`."""
    state = text()
    """`running`, `waiting`, `cancelling`; at the end `done`, `cancelled` or `failed`."""
    stage = text()
    """The present step: `preparing`, `studying`, `linking`, `tidying` or `removing`."""
    document_id = text()
    """The id of the document's topic."""
    title = text()
    source = text()
    scope = text()
    sensitivity = text()
    characters = count()
    sha256 = text()
    """Of the text in UTF-8; empty for a removal."""
    dry_run = flag()
    with_model = flag()
    progress = part(StudyProgress)
    made = part(StudyMade)
    removed = part(StudyRemoved)
    cost = part(StudyCost)
    reason = optional_text()
    """Why the job failed."""
    waits_until = optional_instant()
    """When a job goes on that waits for an allowance of tokens."""
    started_at = instant()
    updated_at = instant()
    expires_at = instant()
    """When the service forgets the job; the topics stay."""

    @property
    def has_ended(self) -> bool:
        return self.state in ENDED
