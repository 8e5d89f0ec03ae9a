"""The errors that reach a caller; the message of an error is a sentence for the caller.

    DomainError
    ├── InvalidArgument          the request is not well formed, or breaks a rule
    │   ├── TooLarge             ... because of its size
    │   └── TooManyProfiles      ... because the scope has the most decay profiles allowed
    ├── PermissionDenied         the principal, or the trust of the request, may not do this
    ├── NotFound                 absent, or outside what the principal may see
    ├── FailedPrecondition       the state of the record does not allow the operation
    │   ├── ScopeFenced          an erasure of the scope is under way
    │   ├── VersionMismatch      the document has another version than the caller expects
    │   └── WrongEmbedder        the search index was made by a different embedder
    ├── AlreadyExists            the id is taken, or an idempotency key was reused
    ├── Aborted                  every retry lost a write race; nothing was changed
    ├── ResourceExhausted        throttled, or an allowance is used up
    └── Unavailable              the store did not answer
        └── NotConfigured        the operator has not turned on what the request needs

Any exception outside this tree is a defect or a damaged store and stays uncaught.
"""

from collections.abc import Sequence
from typing import NamedTuple, Self


class Violation(NamedTuple):
    """A rule that a field of the request breaks. The message never repeats the value."""

    field: str
    message: str


class DomainError(Exception):
    """A refusal; `str(error)` is the sentence for the caller."""


class InvalidArgument(DomainError):
    """The request breaks a rule; `violations` name the fields, if the rule is about fields."""

    def __init__(self, message: str, violations: Sequence[Violation] = ()) -> None:
        super().__init__(message)
        self.violations = tuple(violations)

    def at(self, field: str) -> Self:
        """The same error with a violation that names the field."""
        return type(self)(str(self), [Violation(field, str(self))])


class TooLarge(InvalidArgument):
    """The request, or the reply to the request, passes a size limit."""


class TooManyProfiles(InvalidArgument):
    """The scope would get more decay profiles for a type than allowed."""


class PermissionDenied(DomainError):
    """The principal may not do this, or the trust of the request excludes the record."""


class NotFound(DomainError):
    """Absent, or invisible to the principal; the message is the same for both."""


class FailedPrecondition(DomainError):
    """The state of the record does not allow the operation."""


class ScopeFenced(FailedPrecondition):
    """An erasure of the scope is under way; a later retry helps."""


class VersionMismatch(FailedPrecondition):
    """The document has another version; the message names the present version."""


class WrongEmbedder(FailedPrecondition):
    """The search index was made by a different embedder; the message names the repair command."""


class AlreadyExists(DomainError):
    """The record id is taken, or an idempotency key was reused with a different body."""


class Aborted(DomainError):
    """Concurrent writers won every attempt; nothing was changed."""


class ResourceExhausted(DomainError):
    """The store throttles, or an allowance is used up; a later retry helps."""

    def __init__(self, message: str, retry_after_s: int = 0) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s
        """Seconds until a retry may help; 0 = not known."""


class Unavailable(DomainError):
    """The store did not answer; a write may or may not have happened."""


class NotConfigured(Unavailable):
    """The operator has not turned on what the request needs; no retry helps until then."""
