"""Why a try of a model to interpret a capture failed.

ResourceExhausted
├── OutOfTokens              the tokens of the day are spent
└── BusyModel                the model throttles, perhaps with a time to wait
Unavailable                  the model did not answer, and may have taken tokens
└── NotAsked                 the question reached no model, or was refused, and took no tokens
"""

from membrane.domain.capture.proposals import MalformedProposal
from membrane.domain.language.errors import DomainError, ResourceExhausted, Unavailable
from membrane.domain.records.interpretation import InterpretationFailure


class OutOfTokens(ResourceExhausted):
    """The tokens of the day are spent; tokens of the next day help."""


class BusyModel(ResourceExhausted):
    """The model takes no question now."""

    def __init__(self, message: str, retry_after_s: int = 0) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s
        """Seconds that the endpoint asks to wait; 0 = not said."""


class NotAsked(Unavailable):
    """The question reached no model, or was refused before an answer: no tokens were taken."""


def failure_of(error: Exception) -> InterpretationFailure:
    """The reason code of a failed try, without a word of the model."""
    match error:
        case OutOfTokens():
            return InterpretationFailure.OUT_OF_TOKENS
        case ResourceExhausted():
            return InterpretationFailure.BUSY
        case Unavailable():
            return InterpretationFailure.UNAVAILABLE
        case MalformedProposal():
            return InterpretationFailure.MALFORMED
        case DomainError():
            return InterpretationFailure.NOT_WRITTEN
        case _:
            return InterpretationFailure.FAULT
