"""The settings of an operator: one table, of which a function reads the sections that it needs.

A setting is a variable of the function. Where the template has a parameter for the setting, the
name of the parameter is the name of the setting in camel case. A tuned setting has no variable: the
name in camel case is a key of the JSON object in the variable TUNING, the parameter `Tuning`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cache, lru_cache, partial
from importlib import import_module
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

from membrane.domain.access.guards import Guarding
from membrane.domain.access.principals import Source, SourcePrincipals
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import compact_json, parse_json
from membrane.domain.language.vocabulary import DeletionPolicy, Sensitivity
from membrane.domain.learning.policy import LearningPolicy
from membrane.domain.lifecycle.pruning import Retention
from membrane.domain.salience.decay_defaults import PolicyDefaults
from membrane.domain.salience.lifecycle import MAX_HALF_LIFE_S
from membrane.wiring import parsers
from membrane.wiring.environment import (
    BEDROCK_MODEL,
    PREFIX,
    EmbedderKind,
    InterpreterKind,
    SettingError,
    VectorFilters,
    present,
    shards,
    switch,
    whole,
    word,
)

if TYPE_CHECKING:
    from membrane.domain.access.token_rules import TokenRule
    from membrane.domain.search.score import Weights

TUNING = f"{PREFIX}TUNING"

MOST_TOKENS = 1_000_000_000_000
LEAST_CHAT_TOKENS = 110_000
"""More than the longest question with the answer takes: less would refuse the question for ever."""

LEAST_INTERPRETER_TOKENS = 100_000
"""A limit below the tokens of a single long question would refuse the question for ever."""


class StackSettings(NamedTuple):
    """Names of the stack's resources: a function has an empty name for what it does not use."""

    table: str = ""
    bucket: str = ""
    stack: str = ""
    """The name of the CloudFormation stack; empty outside of a stack."""
    authorizer: Guarding = Guarding.KEY
    rank_shards: int = 1
    due_shards: int = 16
    signing_key: str = ""
    """The key of AWS KMS that signs."""
    export_function: str = ""
    consolidate_function: str = ""
    interpreter_queue: str = ""
    topic_queue: str = ""
    index_queue: str = ""
    """The queue for sources that could not be indexed."""
    study_machine: str = ""
    """The ARN of the state machine."""


class SearchSettings(NamedTuple):
    """Embedder, vector index, and weights of the score."""

    weights: "Weights"
    embedder: EmbedderKind = EmbedderKind.ENCODER
    model: str = BEDROCK_MODEL
    """The id of the model on Bedrock."""
    dimensions: int = 0
    former_embedder: EmbedderKind = EmbedderKind.ENCODER
    """In use until a re-index is done, if the dimensions have changed."""
    former_dimensions: int = 0
    former_model: str = BEDROCK_MODEL
    concurrency: int = 8
    """Texts that Bedrock embeds at once."""
    shards: int = 1
    filters: VectorFilters = VectorFilters.EQUALITY
    score_floor: float = 0.1
    """The least score of an answer to a task; tuned on one fold of the data sets of `tests/bench`:
    few wanted records score lower."""


class ErasureSettings(NamedTuple):
    """The function and the periods of erasures."""

    function: str = ""
    recovery_days: int = 35
    fence_wait_s: float = 0.0
    dead_letters: tuple[str, ...] = ()
    """The addresses of the dead-letter queues."""


@dataclass(frozen=True, slots=True, repr=False)
class ModelSettings:
    """A model that leads conversations or interprets; the representation hides the address."""

    model: str
    """The id of a model or of an inference profile on Bedrock, or the endpoint's model; empty for
    no model."""
    url: str
    """The address of the endpoint's chat completions; empty for Bedrock."""
    secret_arn: str
    """The secret with the bearer token; empty = the endpoint needs no token."""


@dataclass(frozen=True, slots=True, repr=False)
class InterpreterSettings(ModelSettings):
    """The model that interprets captures."""

    kind: InterpreterKind
    most_tries: int
    """The deliveries of a message, before the queue moves the message to the dead letters."""
    daily_tokens: int
    """The most tokens of a day, of questions and answers together."""


class TokenSettings(NamedTuple):
    """Access tokens; all are empty if API keys alone authenticate."""

    issuer: str
    """The address of the OpenID Connect issuer, exactly as in the claim `iss`."""
    audience: str
    """The value that the claim `aud` must have."""
    rules: "Sequence[TokenRule]"
    web_origins: frozenset[str] = frozenset()
    """Origins of the web pages that may call, such as `https://app.example.com`."""


class SignerSettings(NamedTuple):
    """Callers whom AWS's signature names."""

    rules: "Sequence[TokenRule]"


class Setting(NamedTuple):
    """A row of the table."""

    field: str
    """The field of the section's value that the setting fills."""
    name: str
    parse: Callable[[str], Any] | parsers.given
    default: str | None = None
    """As text; None = the default of the field."""

    @property
    def parameter(self) -> str:
        """The name in camel case."""
        return "".join(map(str.capitalize, self.name.split("_")))


class Tuned(Setting):
    """A row of a weight, a curve, a period or another number that few operators change."""


_half_life_s = whole(1, MAX_HALF_LIFE_S)
_days, _minutes, _percent = whole(1, parsers.MAX_RETENTION_DAYS), whole(1, 1_440), whole(1, 100)
_chat_tokens = whole(LEAST_CHAT_TOKENS, MOST_TOKENS)
_interpreter_tokens = whole(LEAST_INTERPRETER_TOKENS, MOST_TOKENS)

# fmt: off
TABLE: Mapping[str, tuple[type | str, tuple[Setting, ...]]] = {
    "stack": (StackSettings, (
        Setting("table", "TABLE", present),
        Setting("bucket", "BUCKET", present),
        Setting("stack", "STACK", str),
        Setting("authorizer", "AUTHORIZER", word(Guarding)),
        Setting("rank_shards", "RANK_SHARDS", shards),
        Setting("due_shards", "DUE_SHARDS", shards),
        Setting("signing_key", "SIGNING_KEY", str),
        Setting("export_function", "EXPORT_FUNCTION", str),
        Setting("consolidate_function", "CONSOLIDATE_FUNCTION", str),
        Setting("interpreter_queue", "INTERPRETER_QUEUE", str),
        Setting("topic_queue", "TOPIC_QUEUE", str),
        Setting("index_queue", "INDEX_QUEUE", str),
        Setting("study_machine", "STUDY_MACHINE", str),
    )),
    "policy": (PolicyDefaults, (
        Tuned("sensitivity", "DEFAULT_SENSITIVITY", word(Sensitivity)),
        Tuned("episodic_half_life_s", "EPISODIC_HALF_LIFE_SECONDS", _half_life_s),
        Tuned("semantic_half_life_s", "SEMANTIC_HALF_LIFE_SECONDS", _half_life_s),
        Tuned("working_half_life_s", "WORKING_HALF_LIFE_SECONDS", _half_life_s),
        Tuned("message_half_life_s", "MESSAGE_HALF_LIFE_SECONDS", _half_life_s),
        Tuned("trace_max_age_s", "TRACE_DAYS", lambda days: 86_400 * _days(days), "90"),
        Tuned("initial_salience", "DEFAULT_INITIAL_SALIENCE", parsers.salience),
        Tuned("deletion_policy", "DEFAULT_DELETION_POLICY", word(DeletionPolicy)),
        Tuned("reinforcement_gain", "REINFORCEMENT_GAIN", parsers.salience),
        Tuned("prune_threshold", "PRUNE_THRESHOLD", parsers.prune_threshold),
        Tuned("custom_curve", "CUSTOM_CURVE", str),
        Tuned("custom_curves", "CUSTOM_CURVES", parsers.curves, "{}"),
        Tuned("decay_curve", "DECAY_CURVE", parsers.decay_curve),
        Tuned("conflicts", "CONFLICT_POLICIES", parsers.conflicts, "{}"),
    )),
    "retention": (Retention, (
        Tuned("restore", "RESTORE_DAYS", parsers.days),
        Tuned("tombstone", "TOMBSTONE_DAYS", parsers.tombstone_days),
        Tuned("episodic_tombstone", "EPISODIC_TOMBSTONE_DAYS", parsers.tombstone_days),
        Tuned("retracted", "RETRACTED_DAYS", parsers.days),
        Setting("export", "EXPORT_DAYS", lambda days: timedelta(days=_days(days))),
    )),
    "learning": (LearningPolicy, (
        Tuned("quiet_s", "THREAD_QUIET_MINUTES", lambda minutes: 60 * _minutes(minutes), "30"),
        Tuned("step_fading", "STEP_HALF_LIFE_PERCENT", lambda share: _percent(share) / 100, "100"),
        Setting("interprets_traces", "INTERPRETS_TRACES", switch, "false"),
        Tuned("crosses_scopes", "CONSOLIDATE_ACROSS_SCOPES", switch, "false"),
    )),
    "sources": (SourcePrincipals, (
        Setting("bus", "BUS_PRINCIPAL", parsers.principal, ""),
        Setting("queue", "QUEUE_PRINCIPAL", parsers.principal, ""),
        Setting("direct", "DIRECT_PRINCIPAL", parsers.principal, ""),
        Setting("imports", "IMPORT_PRINCIPAL", parsers.principal, ""),
    )),
    "search": (SearchSettings, (
        Setting("embedder", "EMBEDDER", word(EmbedderKind)),
        Setting("model", "EMBEDDING_MODEL", str),
        Setting("dimensions", "EMBEDDING_DIMENSIONS", parsers.dimensions, ""),
        Setting("former_embedder", "FORMER_EMBEDDER", parsers.former_embedder, ""),
        Setting("former_dimensions", "FORMER_EMBEDDING_DIMENSIONS", parsers.former_dimensions, ""),
        Setting("former_model", "FORMER_EMBEDDING_MODEL", str),
        Tuned("concurrency", "EMBEDDING_CONCURRENCY", whole(1, 64)),
        Setting("shards", "SEARCH_SHARDS", shards),
        Tuned("filters", "VECTOR_FILTERS", word(VectorFilters)),
        Tuned("weights", "RANKING_WEIGHTS", parsers.weights, "{}"),
        Tuned("score_floor", "SCORE_FLOOR", parsers.share),
    )),
    "topics": ("membrane.domain.topics.salience.TopicPolicy", (
        Tuned("half_life_s", "TOPIC_HALF_LIFE_SECONDS", whole(1, 36_500 * 86_400)),
        Tuned("max_history", "TOPIC_MAX_HISTORY", whole(1, 10_000)),
        Tuned("similarity", "TOPIC_SIMILARITY", parsers.share),
        Tuned("duplicate_similarity", "TOPIC_DUPLICATE_SIMILARITY", parsers.share),
        Tuned("agreement", "TOPIC_AGREEMENT", parsers.share),
        Tuned("summarise_below", "TOPIC_SUMMARISE_BELOW", parsers.lasting_salience),
        Tuned("detach_below", "TOPIC_DETACH_BELOW", parsers.detach_below),
        Tuned("archive_below", "TOPIC_ARCHIVE_BELOW", parsers.archive_below),
        Tuned("summary_history", "TOPIC_SUMMARY_HISTORY", parsers.summary_history, ""),
        Tuned("bump", "TOPIC_BUMP", parsers.salience),
        Tuned("max_access", "TOPIC_MAX_ACCESS", parsers.salience),
        Tuned("debounce_s", "TOPIC_DEBOUNCE_SECONDS", whole(0, 900)),  # the longest of SQS
    )),
    "erasure": (ErasureSettings, (
        Setting("function", "ERASE_FUNCTION", str),
        Setting("recovery_days", "RECOVERY_DAYS", whole(1, 35)),
        Setting("fence_wait_s", "FENCE_WAIT_SECONDS", parsers.fence_wait_s, ""),
        Setting("dead_letters", "DEAD_LETTERS", lambda value: tuple(value.split()), ""),
    )),
    "interpreter": (InterpreterSettings, (
        Setting("kind", "INTERPRETER", word(InterpreterKind), InterpreterKind.NONE),
        Setting("model", "INTERPRETER_MODEL", parsers.interpreter_model, ""),
        Setting("url", "INTERPRETER_URL", parsers.interpreter_url, ""),
        Setting("secret_arn", "INTERPRETER_SECRET_ARN", parsers.interpreter_secret, ""),
        Setting("most_tries", "INTERPRETER_TRIES", whole(1, 1_000), "5"),
        Setting("daily_tokens", "INTERPRETER_DAILY_TOKENS", _interpreter_tokens, "1000000"),
    )),
    "chat": (ModelSettings, (
        Setting("model", "CHAT_MODEL", parsers.chat_model, ""),
        Setting("url", "CHAT_URL", parsers.chat_url, ""),
        Setting("secret_arn", "CHAT_SECRET_ARN", parsers.chat_secret, ""),
    )),
    "chat_limits": ("membrane.domain.chat.allowances.Limits", (
        Setting("of_key", "CHAT_DAILY_TOKENS_OF_KEY", _chat_tokens, "500000"),
        Setting("of_stack", "CHAT_DAILY_TOKENS", _chat_tokens, "2000000"),
    )),
    "tokens": (TokenSettings, (
        Setting("issuer", "OIDC_ISSUER", parsers.issuer, ""),
        Setting("audience", "OIDC_AUDIENCE", parsers.audience, ""),
        Setting("rules", "OIDC_RIGHTS", parsers.oidc_rights, "[]"),
        Setting("web_origins", "CORS_ORIGINS", parsers.origins, ""),
    )),
    "signers": (SignerSettings, (
        Setting("rules", "IAM_RIGHTS", partial(parsers.rights_of, Source.IAM), "[]"),
    )),
}
# fmt: on


def read_settings(
    section: str, environment: Mapping[str, str], *, allows_loopback: bool = False
) -> Any:
    """The value of a section; raises SettingError.

    With `allows_loopback`, a model or an issuer on the same machine may be reached over HTTP.
    """
    kind, settings = _kind_of(section), TABLE[section][1]
    read = SimpleNamespace(allows_loopback=allows_loopback)
    tuning = tuned_settings(environment.get(TUNING, ""))
    for each in settings:
        is_tuned = isinstance(each, Tuned)
        given = tuning.get(each.parameter) if is_tuned else environment.get(PREFIX + each.name)
        text = given or (_usual(kind, each.field) if each.default is None else each.default)
        try:
            parse = each.parse
            value = parse.parse(text, read) if isinstance(parse, parsers.given) else parse(text)
        except (ValueError, InvalidArgument) as error:
            name = f"{TUNING}: {each.parameter}" if is_tuned else PREFIX + each.name
            raise SettingError(f"{name}: {error}") from error
        setattr(read, each.field, value)
    return kind(**{each.field: getattr(read, each.field) for each in settings})


@lru_cache(maxsize=1)
def tuned_settings(tuning: str) -> Mapping[str, str]:
    """The tuned settings by key, as the text of a variable would be; raises SettingError."""
    try:
        given = parse_json(tuning or "{}")
    except (ValueError, InvalidArgument) as error:
        raise SettingError(f"{TUNING}: {error}") from error
    if not isinstance(given, dict):
        raise SettingError(f"{TUNING}: must be a JSON object of settings by name")
    for name in given:
        if name not in tuned_names():
            raise SettingError(f"{TUNING}: {name} is no setting of the parameter Tuning")
    return {
        name: value if isinstance(value, str) else compact_json(value)
        for name, value in given.items()
        if value is not None
    }


@cache
def tuned_names() -> tuple[str, ...]:
    return tuple(
        each.parameter
        for _, settings in TABLE.values()
        for each in settings
        if isinstance(each, Tuned)
    )


def usual_tuning() -> Mapping[str, str]:
    """The default of each tuned setting, as the text of a variable."""
    return {
        each.parameter: each.default or _usual(_kind_of(section), each.field)
        for section, (_, settings) in TABLE.items()
        for each in settings
        if isinstance(each, Tuned)
    }


def _usual(kind: Any, field: str) -> str:
    """The default of a field, as the text of a variable."""
    found = kind._field_defaults[field] if issubclass(kind, tuple) else getattr(kind(), field)
    return str(found.days if isinstance(found, timedelta) else found)


def _kind_of(section: str) -> Any:
    kind = TABLE[section][0]
    if isinstance(kind, type):
        return kind
    module, name = kind.rsplit(".", 1)
    return getattr(import_module(module), name)
