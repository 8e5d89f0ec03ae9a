"""Why a question to a language model failed.

ResourceExhausted
├── OutOfTokens              the tokens of the day are spent
└── BusyModel                the model throttles, perhaps with a time to wait
Unavailable                  the model did not answer, and may have taken tokens
├── GarbledAnswer            the answer calls a tool in a form that cannot be read
└── NotAsked                 the question reached no model, or was refused, and took no tokens
"""

from membrane.domain.language.errors import ResourceExhausted, Unavailable


class OutOfTokens(ResourceExhausted):
    """The tokens of the day are spent; tokens of the next day help."""


class BusyModel(ResourceExhausted):
    """The model takes no question now; `retry_after_s` is the wait that the endpoint asks for."""


class NotAsked(Unavailable):
    """The question reached no model, or was refused before an answer: no tokens were taken."""


class GarbledAnswer(Unavailable):
    """The model called a tool in a form that the endpoint could not read; a repeat may help."""
