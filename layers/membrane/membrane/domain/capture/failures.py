"""Why a try of a model to interpret a capture failed."""

from membrane.domain.capture.proposals import MalformedProposal
from membrane.domain.language.errors import DomainError, ResourceExhausted, Unavailable
from membrane.domain.models.failures import OutOfTokens
from membrane.domain.records.interpretation import InterpretationFailure


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
