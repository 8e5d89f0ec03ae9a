"""What can go wrong for a caller, each with a sentence that the caller may read.

    DomainError
    ├── InvalidArgument          the request is not well formed, or breaks a rule
    │   ├── TooLarge             ... because of its size
    │   └── TooManyProfiles      ... because its scope has as many decay profiles as it may
    ├── PermissionDenied         the principal, or the trust it asked for, may not do this
    ├── NotFound                 absent, or outside what the principal may see
    ├── FailedPrecondition       the record is not in a state that allows it
    │   └── WrongEmbedder        the search index was made by another embedder
    ├── AlreadyExists            the id is taken, or an idempotency key was reused
    ├── Aborted                  every retry lost a write race; nothing was changed
    ├── ResourceExhausted        throttled
    └── Unavailable              the store did not answer

Everything else that is raised is a defect or a damaged store and stays uncaught.
"""

from collections.abc import Sequence
from typing import NamedTuple, Self


class Violation(NamedTuple):
    """One rule that one field breaks. The message never repeats the value."""

    field: str
    message: str


class DomainError(Exception):
    """A refusal; `str(error)` is the sentence for the caller."""


class InvalidArgument(DomainError):
    """The request breaks a rule; `violations` name the fields, where there are any."""

    def __init__(self, message: str, violations: Sequence[Violation] = ()) -> None:
        super().__init__(message)
        self.violations = tuple(violations)

    def at(self, field: str) -> Self:
        """The same refusal, which names the field."""
        return type(self)(str(self), [Violation(field, str(self))])


class TooLarge(InvalidArgument):
    """The request, or the reply that it would need, passes a size limit."""


class TooManyProfiles(InvalidArgument):
    """One decay profile more than a scope may have for a type."""


class PermissionDenied(DomainError):
    """The principal may not act so, or the request's own trust excludes the record."""


class NotFound(DomainError):
    """Absent, or outside what the principal may see: the same words for both."""


class FailedPrecondition(DomainError):
    """The record is not in a state that allows the operation."""


class WrongEmbedder(FailedPrecondition):
    """The search index was made by another embedder; the message names the command that helps."""


class AlreadyExists(DomainError):
    """The record id is taken, or an idempotency key came back with another body."""


class Aborted(DomainError):
    """Other writers won every race; nothing was changed."""


class ResourceExhausted(DomainError):
    """The store throttles; trying again later helps."""


class Unavailable(DomainError):
    """The store did not answer; whether the write happened is not known."""
