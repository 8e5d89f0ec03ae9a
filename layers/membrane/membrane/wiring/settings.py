"""Settings from environment variables, validated when a function starts."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from itertools import pairwise
from typing import Any, NamedTuple

from membrane.domain.access.guards import Guard, Guarding
from membrane.domain.access.principals import Principal, SourcePrincipals, principal_of
from membrane.domain.language.fields import MAX_SALIENCE, VANISHING
from membrane.domain.language.json_text import parse_json
from membrane.domain.language.vocabulary import (
    ConflictPolicy,
    DecayCurve,
    DeletionPolicy,
    MemoryType,
    Sensitivity,
)
from membrane.domain.learning.policy import LearningPolicy
from membrane.domain.lifecycle.retention import Retention
from membrane.domain.salience.decay_defaults import PolicyDefaults, implied_classes
from membrane.domain.salience.function import CurvePoints
from membrane.domain.salience.lifecycle import MAX_HALF_LIFE_S
from membrane.wiring.environment import PREFIX, Reader, number, present, shards, switch, whole, word

MAX_RETENTION_DAYS = 36_500
MAX_CURVE_HALF_LIVES = 1e6
MAX_QUIET_MINUTES = 1_440

_half_life_s = whole(1, MAX_HALF_LIFE_S)
_salience = number(0, MAX_SALIENCE)


class Settings(NamedTuple):
    """The operator's settings, except for the search: see `search_settings`."""

    table: str
    bucket: str
    stack: str
    """The name of the CloudFormation stack; empty outside of a stack."""
    policy: PolicyDefaults
    retention: Retention
    learning: LearningPolicy
    sources: SourcePrincipals
    guard: Guard
    rank_shards: int
    due_shards: int
    signing_key: str
    """The key of AWS KMS that signs; empty in functions that sign and verify nothing."""
    export_function: str = ""
    """The name of the function that writes exports; empty for functions that start no export."""
    consolidate_function: str = ""
    """The name of the function that consolidates; empty for functions that end no thread."""
    interpreter_queue: str = ""
    """The queue of captures for a model; empty without a model, and in functions that send none."""


def read_settings(environment: Mapping[str, str]) -> Settings:
    """Raises SettingError."""
    reader = Reader(environment)
    return Settings(
        table=reader.read("TABLE", "", present),
        bucket=reader.read("BUCKET", "", present),
        stack=reader.read("STACK", "", str),
        policy=_policy(reader),
        retention=_retention(reader),
        learning=_learning(reader),
        sources=SourcePrincipals(
            bus=reader.read("BUS_PRINCIPAL", "", _principal),
            queue=reader.read("QUEUE_PRINCIPAL", "", _principal),
            direct=reader.read("DIRECT_PRINCIPAL", "", _principal),
            imports=reader.read("IMPORT_PRINCIPAL", "", _principal),
        ),
        guard=_guard(reader),
        rank_shards=reader.read("RANK_SHARDS", "1", shards),
        due_shards=reader.read("DUE_SHARDS", "16", shards),
        signing_key=reader.read("SIGNING_KEY", "", str),
        export_function=reader.read("EXPORT_FUNCTION", "", str),
        consolidate_function=reader.read("CONSOLIDATE_FUNCTION", "", str),
        interpreter_queue=reader.read("INTERPRETER_QUEUE", "", str),
    )


def _guard(reader: Reader) -> Guard:
    """The guard of the build; the rules are imported where a build has rules."""
    by = reader.read("AUTHORIZER", Guarding.KEY, word(Guarding))
    if by is Guarding.KEY:
        return Guard()
    from membrane.wiring.token_settings import read_iam_rights, read_token_settings

    if by is Guarding.IAM:
        return Guard(by, read_iam_rights(reader.environment))
    return Guard(by, read_token_settings(reader.environment).rules)


def _policy(reader: Reader) -> PolicyDefaults:
    usual = PolicyDefaults()
    initial_salience = reader.read("DEFAULT_INITIAL_SALIENCE", usual.initial_salience, _salience)
    policy = PolicyDefaults(
        sensitivity=reader.read("DEFAULT_SENSITIVITY", usual.sensitivity, word(Sensitivity)),
        episodic_half_life_s=reader.read(
            "EPISODIC_HALF_LIFE_SECONDS", usual.episodic_half_life_s, _half_life_s
        ),
        semantic_half_life_s=reader.read(
            "SEMANTIC_HALF_LIFE_SECONDS", usual.semantic_half_life_s, _half_life_s
        ),
        working_half_life_s=reader.read(
            "WORKING_HALF_LIFE_SECONDS", usual.working_half_life_s, _half_life_s
        ),
        message_half_life_s=reader.read(
            "MESSAGE_HALF_LIFE_SECONDS", usual.message_half_life_s, _half_life_s
        ),
        trace_max_age_s=86_400 * reader.read("TRACE_DAYS", "90", whole(1, MAX_RETENTION_DAYS)),
        initial_salience=initial_salience,
        deletion_policy=reader.read(
            "DEFAULT_DELETION_POLICY", usual.deletion_policy, word(DeletionPolicy)
        ),
        reinforcement_gain=reader.read("REINFORCEMENT_GAIN", usual.reinforcement_gain, _salience),
        prune_threshold=reader.read(
            "PRUNE_THRESHOLD", usual.prune_threshold, _threshold_below(initial_salience)
        ),
        decay_curve=reader.read("DECAY_CURVE", usual.decay_curve, word(DecayCurve)),
        custom_curve=reader.read("CUSTOM_CURVE", usual.custom_curve, str),
        custom_curves=reader.read("CUSTOM_CURVES", "{}", _curves),
        conflicts=reader.read("CONFLICT_POLICIES", "{}", _conflicts),
    )
    if policy.decay_curve is DecayCurve.CUSTOM or policy.custom_curve:
        reader.read("DECAY_CURVE", usual.decay_curve, lambda _: _usable(policy))
    return policy


def _retention(reader: Reader) -> Retention:
    usual = Retention()
    restore = reader.read("RESTORE_DAYS", _in_days(usual.restore), _days)

    def lasting(value: str) -> timedelta:
        if _days(value) < max(restore, timedelta(days=1)):
            raise ValueError(f"must be at least 1 and at least {PREFIX}RESTORE_DAYS")
        return _days(value)

    return Retention(
        restore,
        tombstone=reader.read("TOMBSTONE_DAYS", _in_days(usual.tombstone), lasting),
        episodic_tombstone=reader.read(
            "EPISODIC_TOMBSTONE_DAYS", _in_days(usual.episodic_tombstone), lasting
        ),
        retracted=reader.read("RETRACTED_DAYS", _in_days(usual.retracted), _days),
        export=reader.read("EXPORT_DAYS", _in_days(usual.export), _days_of_exports),
    )


def _learning(reader: Reader) -> LearningPolicy:
    minutes = reader.read("THREAD_QUIET_MINUTES", "30", whole(1, MAX_QUIET_MINUTES))
    percent = reader.read("STEP_HALF_LIFE_PERCENT", "100", whole(1, 100))
    return LearningPolicy(
        quiet_s=60 * minutes,
        step_fading=percent / 100,
        interprets_traces=reader.read("INTERPRETS_TRACES", "false", switch),
        crosses_scopes=reader.read("CONSOLIDATE_ACROSS_SCOPES", "false", switch),
    )


def _usable(policy: PolicyDefaults) -> None:
    """Raises InvalidArgument if the default curve is custom and not among the custom curves."""
    for memory_type in MemoryType:
        implied_classes(memory_type, policy)


def _days(value: str) -> timedelta:
    return timedelta(days=whole(0, MAX_RETENTION_DAYS)(value))


def _days_of_exports(value: str) -> timedelta:
    return timedelta(days=whole(1, MAX_RETENTION_DAYS)(value))


def _in_days(period: timedelta) -> str:
    return str(period.days)


def _threshold_below(initial_salience: float) -> Callable[[str], float]:
    """At or above the initial salience, the next sweep would prune every new record."""

    def parse(value: str) -> float:
        threshold = _salience(value)
        if threshold < VANISHING:
            raise ValueError(f"must be at least {VANISHING:g}")
        if threshold >= initial_salience:
            raise ValueError(f"must be less than {PREFIX}DEFAULT_INITIAL_SALIENCE")
        return threshold

    return parse


def _principal(value: str) -> Principal | None:
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


def _curves(value: str) -> dict[str, CurvePoints]:
    """`{"name": [[0, 1], [age in half-lives, share left], ...], ...}`."""
    curves = parse_json(value)
    if not isinstance(curves, dict):
        raise ValueError("must be a JSON object of curves by name")  # noqa: TRY004 - a setting
    return {name: _points(points) for name, points in curves.items() if _curve_name(name)}


def _conflicts(value: str) -> dict[str, ConflictPolicy]:
    """`{"predicate": "replace", "*": "keep", ...}`; `*` means all other predicates."""
    policies = parse_json(value)
    if not isinstance(policies, dict):
        raise ValueError("must be a JSON object of words by predicate")  # noqa: TRY004 - a setting
    return {predicate: _conflict_word(name) for predicate, name in policies.items()}


def _conflict_word(name: Any) -> ConflictPolicy:
    if not isinstance(name, str):
        raise ValueError("a predicate's policy is a word")  # noqa: TRY004 - a setting
    return word(ConflictPolicy)(name)


def _curve_name(name: str) -> str:
    if not name.replace("_", "").replace("-", "").isalnum() or not name.isascii():
        raise ValueError("a curve's name is made of letters, digits, - and _")
    return name


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError
    return float(value)


def _points(points: Any) -> CurvePoints:
    try:
        listed = tuple((_number(age), _number(share)) for age, share in points)
    except (TypeError, ValueError, OverflowError):
        raise ValueError("a curve is a list of pairs [age in half-lives, share left]") from None
    falls = all(a[0] < b[0] and a[1] >= b[1] >= 0 for a, b in pairwise(listed))
    if listed[:1] != ((0.0, 1.0),) or not listed[1:] or not falls:
        raise ValueError("a curve begins at [0, 1], and its shares fall as its ages rise")
    if listed[-1][0] > MAX_CURVE_HALF_LIVES:
        raise ValueError(f"a curve ends within {MAX_CURVE_HALF_LIVES:g} half-lives")
    return listed
