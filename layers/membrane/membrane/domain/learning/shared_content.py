"""What several scopes share, which is all that a skill or plan of several scopes shows.

Every key reads an unscoped skill. So the words of tasks, the constant arguments and the errors in
the skill are those that traces of at least MIN_SCOPES scopes have, and arguments that vary have no
examples.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, TypeVar

from membrane.domain.language.json_text import JsonObject, canonical_json
from membrane.domain.language.vocabulary import OutcomeStatus
from membrane.domain.learning.likeness import Intent, intent_of, normalised_tool
from membrane.domain.learning.recipes import is_constant, properties_of, without_values
from membrane.domain.learning.traces import failure_modes, fallbacks
from membrane.domain.records.payloads import EpisodicPayload, RecipeStep

MIN_SCOPES = 2


def party_of(scope: str, reporter: str) -> tuple[str, str]:
    """Who answers for a trace: the scopes of a prefix are one party if one principal wrote there.

    A key with a user prefix has as many scopes as it likes.
    """
    return scope[: scope.find(":") + 1] or scope, reporter


T = TypeVar("T")

Constant = tuple[str, str, bytes]
"""The normalised tool, the argument, and the value as canonical JSON."""


@dataclass(frozen=True, slots=True)
class SharedContent:
    """What the traces of several scopes share."""

    words: frozenset[str] = frozenset()
    """The stems of words of the successful tasks."""
    spellings: frozenset[tuple[str, str]] = frozenset()
    """The stems with the words as spelled."""
    errors: frozenset[str] = frozenset()
    """Failure modes and fallbacks."""
    constants: frozenset[Constant] = frozenset()

    def of_intent(self, intent: Intent) -> Intent:
        """The intent with shared words alone; a word without a shared spelling is its stem."""
        words = {
            stemmed: word if (stemmed, word) in self.spellings else stemmed
            for stemmed, word in intent.words.items()
            if stemmed in self.words
        }
        return replace(intent, words=words)

    def of_errors(self, found: Sequence[str]) -> Sequence[str]:
        return [each for each in found if each in self.errors]

    def of_recipe(self, recipe: Sequence[RecipeStep]) -> tuple[RecipeStep, ...]:
        return tuple(
            step.model_copy(update={"args_schema": self.of_schema(step.tool, step.args_schema)})
            for step in recipe
        )

    def of_schema(self, tool: str, schema: Any) -> JsonObject:
        """The schema of a tool's arguments with shared constants alone, and without examples."""
        named = normalised_tool(tool)
        kept = [
            argument
            for argument, each in properties_of(schema).items()
            if is_constant(each)
            and (named, argument, canonical_json(each["const"])) in self.constants
        ]
        return without_values(schema, kept)


def content_of_several(by_scope: Sequence[Sequence[EpisodicPayload]]) -> SharedContent:
    """What the traces of at least MIN_SCOPES scopes have; `by_scope` has the traces of a scope."""
    return SharedContent(
        words=_shared_by_scopes(by_scope, _words),
        spellings=_shared_by_scopes(by_scope, _spellings),
        errors=_shared_by_scopes(by_scope, _errors),
        constants=_shared_by_scopes(by_scope, _values),
    )


def constants_of(schemas: Iterable[tuple[str, Any]]) -> frozenset[Constant]:
    """The constants in the schemas of the arguments of tools."""
    return frozenset(
        (normalised_tool(tool), argument, canonical_json(each["const"]))
        for tool, schema in schemas
        for argument, each in properties_of(schema).items()
        if is_constant(each)
    )


def _shared_by_scopes(
    by_scope: Sequence[Sequence[EpisodicPayload]],
    found_in: Callable[[EpisodicPayload], Iterable[T]],
) -> frozenset[T]:
    of_scopes = [frozenset(chain.from_iterable(map(found_in, traces))) for traces in by_scope]
    scopes = Counter(chain.from_iterable(of_scopes))
    return frozenset(each for each, count in scopes.items() if count >= MIN_SCOPES)


def _words(trace: EpisodicPayload) -> Iterable[str]:
    return intent_of(trace).words if _is_success(trace) else ()


def _spellings(trace: EpisodicPayload) -> Iterable[tuple[str, str]]:
    return intent_of(trace).words.items() if _is_success(trace) else ()


def _errors(trace: EpisodicPayload) -> Iterable[str]:
    return fallbacks(trace) if _is_success(trace) else failure_modes(trace)


def _values(trace: EpisodicPayload) -> Iterator[Constant]:
    for call in trace.tool_graph if _is_success(trace) else ():
        named = call.args.items() if isinstance(call.args, dict) else ()
        for argument, value in named:
            yield normalised_tool(call.tool), argument, canonical_json(value)


def _is_success(trace: EpisodicPayload) -> bool:
    return trace.outcome is OutcomeStatus.SUCCESS
