"""The known name that a misspelt one was probably meant to be."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, get_args

from pydantic import BaseModel

MAX_GUESSED_CHARACTERS = 64
"""A longer name gets no suggestion: comparing names takes quadratic time."""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The most similar of the known names, or None where none is similar."""
    import difflib  # noqa: PLC0415 - needed for a refusal alone

    if len(name) > MAX_GUESSED_CHARACTERS:
        return None
    folded = {each.casefold(): each for each in known}
    found = difflib.get_close_matches(name.casefold(), folded, n=1)
    return folded[found[0]] if found else None


def nearest_field(model: type[BaseModel], location: Sequence[str | int]) -> str | None:
    """The field that the last step of a location in `model` was probably meant to be."""
    models = {model}
    for step in location[:-1]:
        models = _models_below(models, step)
    return nearest(
        str(location[-1]), sorted({str(name) for each in models for name in _fields(each)})
    )


def _models_below(models: set[type[BaseModel]], step: str | int) -> set[type[BaseModel]]:
    """The models of a field, or the union's member of a tag; an index leads no deeper."""
    fields = {model: _fields(model) for model in models}
    if any(step in each for each in fields.values()):
        return set().union(*(_models_in(each[step]) for each in fields.values() if step in each))
    return {model for model in models if _is_tagged(fields[model], step)} or models


def _is_tagged(fields: Mapping[str | int, Any], tag: str | int) -> bool:
    return any(tag in get_args(annotation) for annotation in fields.values())


def _fields(model: type[BaseModel]) -> Mapping[str | int, Any]:
    """Annotations by the names that a caller writes."""
    fields = model.model_fields
    return {field.alias or name: field.annotation for name, field in fields.items()}


def _models_in(annotation: Any) -> set[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return {annotation}
    return set().union(*map(_models_in, get_args(annotation)))
