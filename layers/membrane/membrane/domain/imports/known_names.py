"""Keep names that a sender invented out of error messages."""

from functools import cache
from itertools import takewhile

from pydantic import ValidationError

from membrane.domain.language.errors import DomainError
from membrane.domain.language.fields import Part
from membrane.domain.language.json_text import LONE_SURROGATE
from membrane.domain.language.vocabulary import MemoryType


def in_known_names(refusal: DomainError) -> str:
    """The sentence of a refusal, without names of fields that no model has.

    For readers who may learn why a request was refused, but not the content of the request.
    """
    if isinstance(refusal.__cause__, UnicodeEncodeError):
        return f"the request has {LONE_SURROGATE}"
    if not isinstance(refusal.__cause__, ValidationError):
        return str(refusal)
    finding = refusal.__cause__.errors(include_url=False, include_input=False)[0]
    known = list(takewhile(_is_known, finding["loc"]))
    if len(known) == len(finding["loc"]):
        return str(refusal)
    place = ".".join(map(str, known)) or "the request"
    what = (
        "an unknown field" if finding["type"] == "extra_forbidden" else "a value that is not valid"
    )
    return f"{place} has {what}"


def _is_known(step: str | int) -> bool:
    return isinstance(step, int) or step in _field_names() or step in set(MemoryType)


@cache
def _field_names(part: type[Part] = Part) -> frozenset[str]:
    own = (field.alias or name for name, field in part.model_fields.items())
    return frozenset(own).union(*map(_field_names, part.__subclasses__()))
