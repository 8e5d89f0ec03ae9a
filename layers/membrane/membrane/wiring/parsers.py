"""Parsers of settings that have a form of their own, or that other settings restrict.

What few functions read is imported by the parser. The ValueError of a parser names the permitted
values.
"""

from collections.abc import Callable, Sequence
from datetime import timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from membrane.domain.access.principals import Principal, Source, principal_of
from membrane.domain.language.fields import MAX_SALIENCE, VANISHING
from membrane.domain.language.json_text import parse_json
from membrane.domain.language.names import folded_name
from membrane.domain.language.vocabulary import ConflictPolicy, DecayCurve, MemoryType
from membrane.domain.salience.decay_defaults import PolicyDefaults, implied_classes
from membrane.domain.salience.function import CurvePoints
from membrane.wiring import environment

if TYPE_CHECKING:
    from membrane.domain.access.token_rules import TokenRule
    from membrane.domain.search.score import Weights

MAX_RETENTION_DAYS = 36_500
MAX_CURVE_HALF_LIVES = 1e6
MAX_WEIGHT = 1_000.0
USUAL_SUMMARY_HISTORY = 20
"""Of topics, if fewer revisions are not the most."""

LONGEST_CALL_S = 29
"""Seconds between the look at the fences and the last write of a call, at most."""

_ISSUER = f"{environment.PREFIX}OIDC_ISSUER"

salience = environment.number(0, MAX_SALIENCE)
share = environment.number(0.0, 1.0)


class given(NamedTuple):  # noqa: N801 - a decorator
    """A parser that depends on the fields of the same section that were read before."""

    parse: Callable[[str, Any], Any]


def days(value: str) -> timedelta:
    return timedelta(days=environment.whole(0, MAX_RETENTION_DAYS)(value))


@given
def tombstone_days(value: str, read: Any) -> timedelta:
    """A tombstone lasts as long as a record can be restored."""
    period = days(value)
    if period < max(read.restore, timedelta(days=1)):
        raise ValueError("must be at least 1 and at least RestoreDays")
    return period


def fence_wait_s(value: str) -> float:
    if value:
        return environment.number(0.0, 300.0)(value)
    from membrane.adapters.dynamodb.erasure.fences import FENCE_PERIOD_S

    return FENCE_PERIOD_S + LONGEST_CALL_S


def lasting_salience(value: str) -> float:
    """A salience below VANISHING counts as gone, and nothing fades further."""
    threshold = salience(value)
    if threshold < VANISHING:
        raise ValueError(f"must be at least {VANISHING:g}")
    return threshold


@given
def prune_threshold(value: str, read: Any) -> float:
    """At or above the initial salience, the next sweep would prune every new record."""
    threshold = lasting_salience(value)
    if threshold >= read.initial_salience:
        raise ValueError("must be less than DefaultInitialSalience")
    return threshold


@given
def detach_below(value: str, read: Any) -> float:
    """The order of the ladder: a topic is summarised, then detached, then archived."""
    return _at_most(read.summarise_below, "TopicSummariseBelow", lasting_salience(value))


@given
def archive_below(value: str, read: Any) -> float:
    return _at_most(read.detach_below, "TopicDetachBelow", lasting_salience(value))


@given
def summary_history(value: str, read: Any) -> int:
    most = read.max_history
    return environment.whole(1, most)(value) if value else min(USUAL_SUMMARY_HISTORY, most)


@given
def dimensions(value: str, read: Any) -> int:
    return _dimensions(value, read.embedder, environment.DIMENSIONS[read.embedder][0])


@given
def former_dimensions(value: str, read: Any) -> int:
    return _dimensions(value, read.former_embedder, read.dimensions)


@given
def former_embedder(value: str, read: Any) -> environment.EmbedderKind:
    return environment.word(environment.EmbedderKind)(value or read.embedder)


def _at_most(above: float, name: str, threshold: float) -> float:
    if threshold > above:
        raise ValueError(f"must not be more than {name}")
    return threshold


def _dimensions(value: str, embedder: environment.EmbedderKind, default: int) -> int:
    made = {str(each): each for each in environment.DIMENSIONS[embedder]}
    found = made.get(value or str(default))
    if found is None:
        raise ValueError(f"must be {' or '.join(made)} with the embedder {embedder}")
    return found


def principal(value: str) -> Principal | None:
    """`{"actor_id", "permissions", "scopes", "max_sensitivity"}`; empty closes the source.

    `user_prefix` and `user_required` are optional.
    """
    if not value:
        return None
    try:
        return principal_of(**parse_json(value))
    except TypeError as error:
        raise ValueError(
            "must be a JSON object of actor_id, permissions, scopes and max_sensitivity, "
            "with user_prefix and user_required where its requests name users"
        ) from error


def weights(value: str) -> "Weights":
    """`{"lexical": 1, ...}`; an absent name has the default weight."""
    from dataclasses import fields

    from membrane.domain.search.score import Weights

    given = parse_json(value)
    names = [each.name for each in fields(Weights)]
    if not isinstance(given, dict):
        raise ValueError("must be a JSON object of weights by name")  # noqa: TRY004 - a setting
    if unknown := sorted(given.keys() - set(names)):
        listed = ", ".join(names)
        raise ValueError(f"there is no weight {unknown[0]!r}; the weights are: {listed}")
    return Weights(**{name: _weight(name, weight) for name, weight in given.items()})


def _weight(name: str, weight: object) -> float:
    if (
        isinstance(weight, bool)
        or not isinstance(weight, int | float)
        or not 0 <= weight <= MAX_WEIGHT
    ):
        raise ValueError(f"{name} must be a number from 0 to {MAX_WEIGHT:g}")
    return float(weight)


def conflicts(value: str) -> dict[str, ConflictPolicy]:
    """`{"predicate": "replace", "*": "keep", ...}` by folded predicate; `*`: all others."""
    policies = parse_json(value)
    if not isinstance(policies, dict):
        raise ValueError("must be a JSON object of words by predicate")  # noqa: TRY004 - a setting
    written: dict[str, str] = {}
    for predicate in policies:
        first = written.setdefault(folded_name(predicate), predicate)
        if first != predicate:
            raise ValueError(f"names one predicate twice, as {first!r} and {predicate!r}")
    return {each: _conflict_word(policies[predicate]) for each, predicate in written.items()}


def _conflict_word(name: Any) -> ConflictPolicy:
    if not isinstance(name, str):
        raise ValueError("a predicate's policy is a word")  # noqa: TRY004 - a setting
    return environment.word(ConflictPolicy)(name)


def curves(value: str) -> dict[str, CurvePoints]:
    """`{"name": [[0, 1], [age in half-lives, share left], ...], ...}`."""
    named = parse_json(value)
    if not isinstance(named, dict):
        raise ValueError("must be a JSON object of curves by name")  # noqa: TRY004 - a setting
    return {name: _points(points) for name, points in named.items() if _curve_name(name)}


def _curve_name(name: str) -> str:
    if not name.replace("_", "").replace("-", "").isalnum() or not name.isascii():
        raise ValueError("a curve's name is made of letters, digits, - and _")
    return name


def _points(points: Any) -> CurvePoints:
    try:
        listed = tuple((_coordinate(age), _coordinate(left)) for age, left in points)
    except (TypeError, ValueError, OverflowError):
        raise ValueError("a curve is a list of pairs [age in half-lives, share left]") from None
    falls = all(a[0] < b[0] and a[1] >= b[1] >= 0 for a, b in pairwise(listed))
    if listed[:1] != ((0.0, 1.0),) or not listed[1:] or not falls:
        raise ValueError("a curve begins at [0, 1], and its shares fall as its ages rise")
    if listed[-1][0] > MAX_CURVE_HALF_LIVES:
        raise ValueError(f"a curve ends within {MAX_CURVE_HALF_LIVES:g} half-lives")
    return listed


def _coordinate(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError
    return float(value)


@given
def decay_curve(value: str, read: Any) -> DecayCurve:
    """Raises InvalidArgument if the default curve is custom and not among the custom curves."""
    curve = environment.word(DecayCurve)(value)
    if curve is DecayCurve.CUSTOM or read.custom_curve:
        chosen = PolicyDefaults(
            decay_curve=curve, custom_curve=read.custom_curve, custom_curves=read.custom_curves
        )
        for memory_type in MemoryType:
            implied_classes(memory_type, chosen)
    return curve


@given
def interpreter_model(value: str, read: Any) -> str:
    if read.kind is environment.InterpreterKind.NONE:
        return _empty(value, f"with the interpreter {read.kind}")
    return _set(value, read)


@given
def interpreter_url(value: str, read: Any) -> str:
    if read.kind is not environment.InterpreterKind.OPENAI:
        return _empty(value, f"with the interpreter {read.kind}")
    return _endpoint(_set(value, read), read)


@given
def interpreter_secret(value: str, read: Any) -> str:
    is_used = read.kind is environment.InterpreterKind.OPENAI
    return value if is_used else _empty(value, f"with the interpreter {read.kind}")


def chat_model(value: str) -> str:
    return "" if value == "none" else value


@given
def chat_url(value: str, read: Any) -> str:
    if not read.model:
        return _empty(value, "without a chat model")
    return value and _endpoint(value, read)


@given
def chat_secret(value: str, read: Any) -> str:
    return value if read.url else _empty(value, "without the URL of an endpoint")


@given
def issuer(value: str, read: Any) -> str:
    if value:
        _endpoint(value, read)
    if "?" in value:
        raise ValueError("must be a URL without a query")
    return value


@given
def audience(value: str, read: Any) -> str:
    if not read.issuer:
        return _empty(value, f"without {_ISSUER}")
    if not value:
        raise ValueError(f"must be set with {_ISSUER}")
    return value


@given
def oidc_rights(value: str, read: Any) -> "Sequence[TokenRule]":
    rules = rights_of(Source.TOKEN, value)
    if rules and not read.issuer:
        raise ValueError(f"must be [] without {_ISSUER}")
    return rules


def origins(value: str) -> frozenset[str]:
    return frozenset(value.split(",")) - {""}


def rights_of(source: Source, value: str) -> "Sequence[TokenRule]":
    from membrane.wiring.token_rules import token_rules

    return token_rules(parse_json(value), source)


def _endpoint(value: str, read: Any) -> str:
    """The address, see `endpoint_at`."""
    from membrane.adapters.https import endpoint_at

    endpoint_at(value, allows_loopback=read.allows_loopback)
    return value


def _empty(value: str, condition: str) -> str:
    """Refuse a value that nothing uses."""
    if value:
        raise ValueError(f"must be empty {condition}")
    return value


def _set(value: str, read: Any) -> str:
    if not value.strip():
        raise ValueError(f"must be set with the interpreter {read.kind}")
    return value
