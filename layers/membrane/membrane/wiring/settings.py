"""The settings of an operator: one table, of which a function reads the sections that it needs.

A setting is a variable of the function. Where the template has a parameter for the setting, the
name of the parameter is the name of the setting in camel case.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from importlib import import_module
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

from membrane.domain.access.guards import Guarding
from membrane.domain.access.principals import SourcePrincipals
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.vocabulary import DeletionPolicy, Sensitivity
from membrane.domain.learning.policy import LearningPolicy
from membrane.domain.lifecycle.retention import Retention
from membrane.domain.salience.decay_defaults import PolicyDefaults
from membrane.domain.salience.lifecycle import MAX_HALF_LIFE_S
from membrane.wiring import parsers
from membrane.wiring.choices import BEDROCK_MODEL, EmbedderKind, InterpreterKind, VectorFilters
from membrane.wiring.environment import (
    PREFIX,
    SettingError,
    present,
    shards,
    switch,
    whole,
    word,
)

if TYPE_CHECKING:
    from membrane.domain.access.token_rules import TokenRule
    from membrane.domain.search.score import Weights

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


_half_life_s = whole(1, MAX_HALF_LIFE_S)
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
        Setting("sensitivity", "DEFAULT_SENSITIVITY", word(Sensitivity)),
        Setting("episodic_half_life_s", "EPISODIC_HALF_LIFE_SECONDS", _half_life_s),
        Setting("semantic_half_life_s", "SEMANTIC_HALF_LIFE_SECONDS", _half_life_s),
        Setting("working_half_life_s", "WORKING_HALF_LIFE_SECONDS", _half_life_s),
        Setting("message_half_life_s", "MESSAGE_HALF_LIFE_SECONDS", _half_life_s),
        Setting("trace_max_age_s", "TRACE_DAYS", parsers.days_in_seconds, "90"),
        Setting("initial_salience", "DEFAULT_INITIAL_SALIENCE", parsers.salience),
        Setting("deletion_policy", "DEFAULT_DELETION_POLICY", word(DeletionPolicy)),
        Setting("reinforcement_gain", "REINFORCEMENT_GAIN", parsers.salience),
        Setting("prune_threshold", "PRUNE_THRESHOLD", parsers.prune_threshold),
        Setting("custom_curve", "CUSTOM_CURVE", str),
        Setting("custom_curves", "CUSTOM_CURVES", parsers.curves, "{}"),
        Setting("decay_curve", "DECAY_CURVE", parsers.decay_curve),
        Setting("conflicts", "CONFLICT_POLICIES", parsers.conflicts, "{}"),
    )),
    "retention": (Retention, (
        Setting("restore", "RESTORE_DAYS", parsers.days),
        Setting("tombstone", "TOMBSTONE_DAYS", parsers.tombstone_days),
        Setting("episodic_tombstone", "EPISODIC_TOMBSTONE_DAYS", parsers.tombstone_days),
        Setting("retracted", "RETRACTED_DAYS", parsers.days),
        Setting("export", "EXPORT_DAYS", parsers.days_of_exports),
    )),
    "learning": (LearningPolicy, (
        Setting("quiet_s", "THREAD_QUIET_MINUTES", parsers.minutes_in_seconds, "30"),
        Setting("step_fading", "STEP_HALF_LIFE_PERCENT", parsers.percent, "100"),
        Setting("interprets_traces", "INTERPRETS_TRACES", switch, "false"),
        Setting("crosses_scopes", "CONSOLIDATE_ACROSS_SCOPES", switch, "false"),
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
        Setting("concurrency", "EMBEDDING_CONCURRENCY", whole(1, 64)),
        Setting("shards", "SEARCH_SHARDS", shards),
        Setting("filters", "VECTOR_FILTERS", word(VectorFilters)),
        Setting("weights", "RANKING_WEIGHTS", parsers.weights, "{}"),
        Setting("score_floor", "SCORE_FLOOR", parsers.share),
    )),
    "topics": ("membrane.domain.topics.policy.TopicPolicy", (
        Setting("half_life_s", "TOPIC_HALF_LIFE_SECONDS", whole(1, 36_500 * 86_400)),
        Setting("max_history", "TOPIC_MAX_HISTORY", whole(1, 10_000)),
        Setting("similarity", "TOPIC_SIMILARITY", parsers.share),
        Setting("duplicate_similarity", "TOPIC_DUPLICATE_SIMILARITY", parsers.share),
        Setting("agreement", "TOPIC_AGREEMENT", parsers.share),
        Setting("summarise_below", "TOPIC_SUMMARISE_BELOW", parsers.lasting_salience),
        Setting("detach_below", "TOPIC_DETACH_BELOW", parsers.detach_below),
        Setting("archive_below", "TOPIC_ARCHIVE_BELOW", parsers.archive_below),
        Setting("summary_history", "TOPIC_SUMMARY_HISTORY", parsers.summary_history, ""),
        Setting("bump", "TOPIC_BUMP", parsers.salience),
        Setting("max_access", "TOPIC_MAX_ACCESS", parsers.salience),
        Setting("debounce_s", "TOPIC_DEBOUNCE_SECONDS", whole(0, 900)),  # the longest of SQS
        Setting("feeds", "TOPIC_FEEDS", switch, "false"),
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
        Setting("rules", "IAM_RIGHTS", parsers.iam_rights, "[]"),
    )),
}
# fmt: on


def read_settings(
    section: str, environment: Mapping[str, str], *, allows_loopback: bool = False
) -> Any:
    """The value of a section; raises SettingError.

    With `allows_loopback`, a model or an issuer on the same machine may be reached over HTTP.
    """
    named, settings = TABLE[section]
    kind = named if isinstance(named, type) else _imported(named)
    read = SimpleNamespace(allows_loopback=allows_loopback)
    for each in settings:
        usual = _usual(kind, each.field) if each.default is None else each.default
        text = environment.get(PREFIX + each.name) or usual
        try:
            parse = each.parse
            value = parse.parse(text, read) if isinstance(parse, parsers.given) else parse(text)
        except (ValueError, InvalidArgument) as error:
            raise SettingError(f"{PREFIX}{each.name}: {error}") from error
        setattr(read, each.field, value)
    return kind(**{each.field: getattr(read, each.field) for each in settings})


def _imported(path: str) -> Any:
    module, name = path.rsplit(".", 1)
    return getattr(import_module(module), name)


def _usual(kind: Any, field: str) -> str:
    """The default of a field, as the text of a variable."""
    usual = kind._field_defaults[field] if issubclass(kind, tuple) else getattr(kind(), field)
    return str(usual.days if isinstance(usual, timedelta) else usual)
