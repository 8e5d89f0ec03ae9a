"""Settings from environment variables: what each does, and that a wrong one is named."""

import json
from collections.abc import Mapping, Sequence
from operator import attrgetter
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

from membrane.wiring.environment import SettingError
from membrane.wiring.settings import read_settings, tuned_names
from membrane.wiring.world import World
from tests.builders.requests import RULE

Environment = Mapping[str, str]
LEAST = {"MEMBRANE_TABLE": "memory", "MEMBRANE_BUCKET": "blobs"}
DAY_S = 86_400
ARN = "arn:aws:secretsmanager:eu-central-1:111122223333:secret:key"
URL = "https://models.example/v1/chat/completions"
OPENAI = {"INTERPRETER": "openai", "INTERPRETER_MODEL": "some-model", "INTERPRETER_URL": URL}
BEDROCK = {"INTERPRETER": "bedrock", "INTERPRETER_MODEL": "some.model"}
CHAT = {"CHAT_MODEL": "llama", "CHAT_URL": URL}
ISSUER = {
    "OIDC_ISSUER": "https://id.example/tenant/",
    "OIDC_AUDIENCE": "https://memory.example/mcp",
}
CURVE = "[[0, 1], [1, 0.5], [2, 0]]"


class Area(NamedTuple):
    """Sections of the table that are read together; an area of one section is the section."""

    sections: Sequence[str]
    least: Environment = {}

    def settings(self, variables: Environment, **options: bool) -> Any:
        """By variables without the prefix that all have."""
        environment = {**self.least, **prefixed(variables)}
        found = [read_settings(each, environment, **options) for each in self.sections]
        return SimpleNamespace(**dict(zip(self.sections, found, strict=True)))


def prefixed(variables: Environment) -> Environment:
    """The environment of settings by name; the tuned settings are keys of one variable."""
    tuned = {camel(name): value for name, value in variables.items() if camel(name) in TUNED}
    others = {f"MEMBRANE_{n}": value for n, value in variables.items() if camel(n) not in TUNED}
    return {**others, "MEMBRANE_TUNING": json.dumps(tuned)}


def camel(name: str) -> str:
    return "".join(map(str.capitalize, name.split("_")))


def place_of(name: str) -> str:
    """How a refusal names the setting."""
    return f"MEMBRANE_TUNING: {camel(name)}" if camel(name) in TUNED else f"MEMBRANE_{name}"


TUNED = tuned_names()
STACK = Area(["stack", "policy", "retention", "learning", "sources"], LEAST)
SEARCH = Area(["search"])
TOPICS = Area(["topics"])
INTERPRETER = Area(["interpreter"])
CHATS = Area(["chat", "chat_limits"])
TOKENS = Area(["tokens"])


def complaint(area: Area, variables: Environment, **options: bool) -> str:
    """What is said of an environment that cannot be used."""
    with pytest.raises(SettingError) as caught:
        area.settings(variables, **options)
    return str(caught.value)


def a_principal(**fields: Any) -> str:
    usual = {"actor_id": "bus", "permissions": ["ingest"], "scopes": ["events"]}
    return json.dumps({**usual, "max_sensitivity": "low"} | fields)


@pytest.mark.parametrize(
    ("area", "variable", "value", "attribute", "setting"),
    [
        (STACK, "TABLE", "another", "stack.table", "another"),
        (STACK, "BUCKET", "another", "stack.bucket", "another"),
        (STACK, "DEFAULT_SENSITIVITY", "high", "policy.sensitivity", "high"),
        (STACK, "EPISODIC_HALF_LIFE_SECONDS", "60", "policy.episodic_half_life_s", 60),
        (STACK, "SEMANTIC_HALF_LIFE_SECONDS", "1", "policy.semantic_half_life_s", 1),
        (STACK, "MESSAGE_HALF_LIFE_SECONDS", "7", "policy.message_half_life_s", 7),
        (STACK, "WORKING_HALF_LIFE_SECONDS", "7", "policy.working_half_life_s", 7),
        (STACK, "DEFAULT_INITIAL_SALIENCE", "0.5", "policy.initial_salience", 0.5),
        (STACK, "DEFAULT_DELETION_POLICY", "never", "policy.deletion_policy", "never"),
        (STACK, "REINFORCEMENT_GAIN", "1e-1", "policy.reinforcement_gain", 0.1),
        (STACK, "PRUNE_THRESHOLD", "1e-100", "policy.prune_threshold", 1e-100),
        (STACK, "DECAY_CURVE", "linear", "policy.decay_curve", "linear"),
        (STACK, "RESTORE_DAYS", "7", "retention.restore.days", 7),
        (STACK, "TOMBSTONE_DAYS", "36500", "retention.tombstone.days", 36_500),
        (STACK, "EPISODIC_TOMBSTONE_DAYS", "30", "retention.episodic_tombstone.days", 30),
        (STACK, "TRACE_DAYS", "7", "policy.trace_max_age_s", 604_800),
        (STACK, "THREAD_QUIET_MINUTES", "5", "learning.quiet_s", 300),
        (STACK, "STEP_HALF_LIFE_PERCENT", "50", "learning.step_fading", 0.5),
        (STACK, "INTERPRETS_TRACES", "true", "learning.interprets_traces", True),
        (STACK, "CONSOLIDATE_ACROSS_SCOPES", "true", "learning.crosses_scopes", True),
        (STACK, "RANK_SHARDS", "1024", "stack.rank_shards", 1_024),
        (STACK, "DUE_SHARDS", "1", "stack.due_shards", 1),
        *(
            (STACK, f"{name}_PRINCIPAL", a_principal(), f"sources.{source}.actor_id", "bus")
            for name, source in (
                ("BUS", "bus"),
                ("QUEUE", "queue"),
                ("DIRECT", "direct"),
                ("IMPORT", "imports"),
            )
        ),
        (SEARCH, "EMBEDDER", "bedrock", "search.embedder", "bedrock"),
        (SEARCH, "EMBEDDER", "bedrock", "search.dimensions", 256),
        (SEARCH, "EMBEDDING_MODEL", "another", "search.model", "another"),
        (SEARCH, "EMBEDDING_DIMENSIONS", "384", "search.dimensions", 384),
        (SEARCH, "EMBEDDING_CONCURRENCY", "64", "search.concurrency", 64),
        (SEARCH, "FORMER_EMBEDDING_MODEL", "another", "search.former_model", "another"),
        (SEARCH, "VECTOR_FILTERS", "in", "search.filters", "in"),
        (SEARCH, "SCORE_FLOOR", "0", "search.score_floor", 0.0),
        (SEARCH, "SEARCH_SHARDS", "1024", "search.shards", 1_024),
        (SEARCH, "RANKING_WEIGHTS", '{"dense": 2, "marks": 0}', "search.weights.dense", 2.0),
        (STACK, "INDEX_QUEUE", "https://queue", "stack.index_queue", "https://queue"),
        (STACK, "TOPIC_QUEUE", "https://queue", "stack.topic_queue", "https://queue"),
        (TOPICS, "TOPIC_HALF_LIFE_SECONDS", "60", "topics.half_life_s", 60),
        (TOPICS, "TOPIC_MAX_HISTORY", "50", "topics.max_history", 50),
        (TOPICS, "TOPIC_MAX_HISTORY", "3", "topics.summary_history", 3),
        (TOPICS, "TOPIC_SIMILARITY", "1", "topics.similarity", 1.0),
        (TOPICS, "TOPIC_DUPLICATE_SIMILARITY", "0.5", "topics.duplicate_similarity", 0.5),
        (TOPICS, "TOPIC_AGREEMENT", "0", "topics.agreement", 0.0),
        (TOPICS, "TOPIC_SUMMARISE_BELOW", "2", "topics.summarise_below", 2.0),
        (TOPICS, "TOPIC_DETACH_BELOW", "0.3", "topics.detach_below", 0.3),
        (TOPICS, "TOPIC_ARCHIVE_BELOW", "0.1", "topics.archive_below", 0.1),
        (TOPICS, "TOPIC_SUMMARY_HISTORY", "500", "topics.summary_history", 500),
        (TOPICS, "TOPIC_BUMP", "0", "topics.bump", 0.0),
        (TOPICS, "TOPIC_MAX_ACCESS", "1.5", "topics.max_access", 1.5),
        (TOPICS, "TOPIC_DEBOUNCE_SECONDS", "900", "topics.debounce_s", 900),
        (INTERPRETER, "INTERPRETER_DAILY_TOKENS", "250000", "interpreter.daily_tokens", 250_000),
        (INTERPRETER, "INTERPRETER_TRIES", "7", "interpreter.most_tries", 7),
        (CHATS, "CHAT_MODEL", "eu.some.model-v1:0", "chat.model", "eu.some.model-v1:0"),
        (CHATS, "CHAT_MODEL", "none", "chat.model", ""),
        (CHATS, "CHAT_DAILY_TOKENS", "400000", "chat_limits.of_stack", 400_000),
        (CHATS, "CHAT_DAILY_TOKENS_OF_KEY", "200000", "chat_limits.of_key", 200_000),
    ],
)  # fmt: skip
def test_each_variable_sets_what_it_names_and_an_empty_one_nothing(
    area: Area, variable: str, value: str, *, attribute: str, setting: object
) -> None:
    settings = area.settings({variable: value})

    assert attrgetter(attribute)(settings) == setting
    if variable not in {"TABLE", "BUCKET"}:
        assert area.settings({variable: ""}) == area.settings({})


def test_the_defaults_are_those_of_the_contract() -> None:
    settings, search = STACK.settings({}), SEARCH.settings({}).search

    policy, retention = settings.policy, settings.retention
    assert (policy.sensitivity, policy.deletion_policy) == ("low", "auto_prune")
    assert (policy.initial_salience, policy.reinforcement_gain) == (1.0, 0.2)
    assert (policy.prune_threshold, policy.decay_curve) == (0.001, "exponential")
    assert (
        policy.episodic_half_life_s,
        policy.semantic_half_life_s,
        policy.working_half_life_s,
        policy.message_half_life_s,
    ) == (3_600, 2_592_000, 86_400, 2_592_000)
    assert (retention.restore.days, retention.tombstone.days) == (30, 400)
    assert (settings.stack.rank_shards, settings.stack.due_shards) == (1, 16)
    assert not any(settings.sources)
    assert (search.embedder, search.dimensions, search.former_embedder) == (
        "encoder",
        384,
        "encoder",
    )
    assert (search.model, search.filters) == ("amazon.titan-embed-text-v2:0", "equality")
    assert (search.concurrency, search.shards, search.score_floor) == (8, 1, 0.1)
    assert INTERPRETER.settings({}).interpreter.kind == "none"
    assert (CHATS.settings({}).chat.model, settings.stack.topic_queue) == ("", "")
    assert TOKENS.settings({}).tokens[:1] + TOKENS.settings({}).tokens[2:3] == ("", ())


WHOLE, NUMBER = "must be a whole number from", "must be a number from"
ONE_OF = "must be one of:"
NO_MORE = "must not be more than Topic"
DAYS_OF_TOMBSTONES = "must be at least 1 and at least RestoreDays"


@pytest.mark.parametrize(
    ("area", "variable", "values", "rule"),
    [
        *((STACK, each, [""], "must be set") for each in ("TABLE", "BUCKET")),
        (STACK, "DEFAULT_SENSITIVITY", ["secret", "LOW"], f"{ONE_OF} public, low, medium, hi"),
        (STACK, "DEFAULT_DELETION_POLICY", [" never"], f"{ONE_OF} auto_prune, manual_only, never"),
        (STACK, "DECAY_CURVE", ["secret"], f"{ONE_OF} exponential, linear, custom"),
        (STACK, "CONSOLIDATE_ACROSS_SCOPES", ["yes", "True", "1"], f"{ONE_OF} true, false"),
        *(
            (STACK, f"{each}_HALF_LIFE_SECONDS", ["0", "3162240001"], f"{WHOLE} 1 to 3162240000")
            for each in ("EPISODIC", "SEMANTIC", "WORKING", "MESSAGE")
        ),
        (STACK, "RANK_SHARDS", ["0", "1.5", "x", "1e3", "0x10", " 7", "²"], f"{WHOLE} 1 to 1024"),
        (STACK, "DUE_SHARDS", ["0", "1025"], f"{WHOLE} 1 to 1024"),
        (STACK, "RESTORE_DAYS", ["-1", "36501"], f"{WHOLE} 0 to 36500"),
        (STACK, "TOMBSTONE_DAYS", ["-1", "36501"], f"{WHOLE} 0 to 36500"),
        (STACK, "TOMBSTONE_DAYS", ["0", "29"], DAYS_OF_TOMBSTONES),
        (STACK, "EPISODIC_TOMBSTONE_DAYS", ["0", "29"], DAYS_OF_TOMBSTONES),
        (STACK, "TRACE_DAYS", ["0", "36501"], f"{WHOLE} 1 to 36500"),
        (STACK, "THREAD_QUIET_MINUTES", ["0", "1441"], f"{WHOLE} 1 to 1440"),
        (STACK, "STEP_HALF_LIFE_PERCENT", ["0", "101"], f"{WHOLE} 1 to 100"),
        *(
            (STACK, each, ["-0.1", "nan", "inf", "1e101", "much", "0,5"], f"{NUMBER} 0 to 1e+100")
            for each in ("DEFAULT_INITIAL_SALIENCE", "REINFORCEMENT_GAIN", "PRUNE_THRESHOLD")
        ),
        (STACK, "PRUNE_THRESHOLD", ["0", "9e-101", "1e-400"], "must be at least 1e-100"),
        (STACK, "CONFLICT_POLICIES", ["[]", '"keep"', '{"a": "overwrite"}', '{"a": 1}', "{"], ""),
        (
            STACK,
            "CONFLICT_POLICIES",
            ['{"lives_in": "keep", "Lives In": "replace"}'],
            "names one predicate twice, as 'lives_in' and 'Lives In'",
        ),
        *((SEARCH, each, ["titan", " bedrock"], f"{ONE_OF} encoder, bedrock")
          for each in ("EMBEDDER", "FORMER_EMBEDDER")),
        (SEARCH, "VECTOR_FILTERS", ["TRUE"], f"{ONE_OF} equality, in"),
        (SEARCH, "EMBEDDING_CONCURRENCY", ["0", "65"], f"{WHOLE} 1 to 64"),
        (SEARCH, "SEARCH_SHARDS", ["0", "1025"], f"{WHOLE} 1 to 1024"),
        (SEARCH, "SCORE_FLOOR", ["-0.1", "1.1", "nan", "much"], ""),
        (SEARCH, "EMBEDDING_DIMENSIONS", ["0", "383", "512", "many"], "must be 384 with the em"),
        (SEARCH, "FORMER_EMBEDDING_DIMENSIONS", ["512"], "must be 384"),
        (
            SEARCH,
            "RANKING_WEIGHTS",
            ["x", "5", "[]", "null", '{"lexical": -0.1}', '{"lexical": 1000.5}', '{"lexical": NaN}',
             '{"lexical": 1e999}', '{"lexical": "1"}', '{"lexical": true}', '{"lexical": null}',
             '{"lexical": 1, "lexical": 2}'],
            "",
        ),
        (SEARCH, "RANKING_WEIGHTS", ['{"lexicl": 1}'],
         "there is no weight 'lexicl'; the weights are: "),
        (TOPICS, "TOPIC_HALF_LIFE_SECONDS", ["0"], f"{WHOLE} 1"),
        (TOPICS, "TOPIC_MAX_HISTORY", ["10001"], f"{WHOLE} 1 to 10000"),
        (TOPICS, "TOPIC_SIMILARITY", ["1.01"], f"{NUMBER} 0 to 1"),
        (TOPICS, "TOPIC_DUPLICATE_SIMILARITY", ["nan"], f"{NUMBER} 0 to 1"),
        (TOPICS, "TOPIC_AGREEMENT", ["half"], f"{NUMBER} 0 to 1"),
        (TOPICS, "TOPIC_SUMMARISE_BELOW", ["0"], "must be at least 1e-100"),
        (TOPICS, "TOPIC_DETACH_BELOW", ["1.1"], f"{NO_MORE}SummariseBelow"),
        (TOPICS, "TOPIC_ARCHIVE_BELOW", ["0.2"], f"{NO_MORE}DetachBelow"),
        (TOPICS, "TOPIC_SUMMARY_HISTORY", ["501"], f"{WHOLE} 1 to 500"),
        (TOPICS, "TOPIC_BUMP", ["-0.1"], f"{NUMBER} 0"),
        (TOPICS, "TOPIC_MAX_ACCESS", ["inf"], f"{NUMBER} 0"),
        (TOPICS, "TOPIC_DEBOUNCE_SECONDS", ["901"], f"{WHOLE} 0 to 900"),
        (INTERPRETER, "INTERPRETER", ["gpt", "scripted"], f"{ONE_OF} none, bedrock, openai"),
        *((INTERPRETER, each, ["x"], "must be empty with the interpreter none")
          for each in ("INTERPRETER_MODEL", "INTERPRETER_URL", "INTERPRETER_SECRET_ARN")),
        (INTERPRETER, "INTERPRETER_DAILY_TOKENS", ["99999", "-1"], f"{WHOLE} 100000 to"),
        (INTERPRETER, "INTERPRETER_TRIES", ["0"], f"{WHOLE} 1 to"),
        (CHATS, "CHAT_URL", ["https://models.example"], "must be empty"),
        (CHATS, "CHAT_DAILY_TOKENS", ["109999"], "must be"),
        (CHATS, "CHAT_DAILY_TOKENS_OF_KEY", ["-1"], ""),
        (TOKENS, "OIDC_ISSUER", ["https://id.example"], ""),
        (TOKENS, "OIDC_AUDIENCE", ["memory"], "must be empty without MEMBRANE_OIDC_ISSUER"),
        (TOKENS, "OIDC_RIGHTS", [json.dumps([dict(RULE)])], "must be [] without MEMBRANE_OIDC_ISS"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_named_with_what_it_must_be(
    area: Area, variable: str, values: list[str], rule: str
) -> None:
    for value in values:
        said = complaint(area, {variable: value})
        named = "OIDC_AUDIENCE" if variable == "OIDC_ISSUER" else variable
        assert said.startswith(f"{place_of(named)}: {rule}"), value


@pytest.mark.parametrize(
    ("area", "variables", "said"),
    [
        (INTERPRETER, BEDROCK | {"INTERPRETER_MODEL": " "}, "INTERPRETER_MODEL: must be set with"),
        (INTERPRETER, BEDROCK | {"INTERPRETER_URL": URL}, "INTERPRETER_URL: must be empty with"),
        (INTERPRETER, BEDROCK | {"INTERPRETER_SECRET_ARN": ARN}, "INTERPRETER_SECRET_ARN: must be"),
        (INTERPRETER, OPENAI | {"INTERPRETER_MODEL": ""}, "INTERPRETER_MODEL: must be set with"),
        (INTERPRETER, OPENAI | {"INTERPRETER_URL": ""}, "INTERPRETER_URL: must be set with"),
        (INTERPRETER, OPENAI | {"INTERPRETER_URL": "http://localhost/v1"}, "INTERPRETER_URL: must"),
        (CHATS, CHAT | {"CHAT_URL": "http://localhost:11434"}, "CHAT_URL: must be a URL that"),
        (CHATS, CHAT | {"CHAT_URL": "https://user:secret@models.example"}, "CHAT_URL: must be a"),
        (CHATS, {"CHAT_MODEL": "m", "CHAT_SECRET_ARN": "arn"}, "CHAT_SECRET_ARN: must be empty"),
        (TOKENS, ISSUER | {"OIDC_ISSUER": "http://127.0.0.1:1"},
         "OIDC_ISSUER: must be a URL that begins with https:// and has a host"),
        (TOKENS, ISSUER | {"OIDC_ISSUER": "https://id.example/?tenant=a"},
         "OIDC_ISSUER: must be a URL without a query"),
        (TOKENS, ISSUER | {"OIDC_RIGHTS": "{"}, "OIDC_RIGHTS: malformed JSON"),
        (TOKENS, ISSUER | {"OIDC_RIGHTS": "{}"}, "OIDC_RIGHTS: must be a JSON array"),
        (SEARCH, {"EMBEDDER": "bedrock", "EMBEDDING_DIMENSIONS": "384"},
         "EMBEDDING_DIMENSIONS: must be 256 or 512 or 1024 with the embedder bedrock"),
        (STACK, {"RESTORE_DAYS": "401"}, f"TOMBSTONE_DAYS: {DAYS_OF_TOMBSTONES}"),
        *(
            (STACK, curves, "DECAY_CURVE: ")
            for curves in (
                {"DECAY_CURVE": "custom"},
                {"DECAY_CURVE": "custom", "CUSTOM_CURVE": "slow"},
                {"CUSTOM_CURVE": "slow"},
                {"DECAY_CURVE": "linear", "CUSTOM_CURVE": "slow",
                 "CUSTOM_CURVES": f'{{"slow": {CURVE}}}'},
            )
        ),
    ],
)  # fmt: skip
def test_a_bad_combination_is_refused_by_the_name_of_the_variable(
    area: Area, variables: Environment, said: str
) -> None:
    told = complaint(area, variables)

    name, _, rest = said.partition(":")
    assert told.startswith(f"{place_of(name)}:{rest}")
    assert "secret@" not in told
    assert "DECAY_CURVE" not in said or "custom_curve" in told


@pytest.mark.parametrize(
    ("area", "usual", "variable", "field"),
    [
        (INTERPRETER, OPENAI, "INTERPRETER_URL", "interpreter.url"),
        (CHATS, CHAT, "CHAT_URL", "chat.url"),
        (TOKENS, ISSUER, "OIDC_ISSUER", "tokens.issuer"),
    ],
)
def test_http_on_the_same_machine_is_for_the_local_stack(
    area: Area, usual: Environment, variable: str, field: str
) -> None:
    near, far = (
        {**usual, variable: f"http://{host}:8123/v1"} for host in ("127.0.0.1", "models.example")
    )

    assert attrgetter(field)(area.settings(near, allows_loopback=True)) == near[variable]
    for refused, options in ((near, {}), (far, {}), (far, {"allows_loopback": True})):
        assert "begins with https://" in complaint(area, refused, **options)


def test_an_endpoint_has_an_address_and_perhaps_a_secret_and_is_not_printed() -> None:
    interpreter = INTERPRETER.settings({**OPENAI, "INTERPRETER_SECRET_ARN": ARN}).interpreter
    chat = CHATS.settings({**CHAT, "CHAT_SECRET_ARN": ARN}).chat

    for each in (interpreter, chat):
        assert (each.url, each.secret_arn) == (URL, ARN)
        assert URL not in repr(each)
    assert INTERPRETER.settings(OPENAI).interpreter.secret_arn == ""
    assert INTERPRETER.settings(BEDROCK).interpreter.model == "some.model"


def test_a_tombstone_may_last_longer_than_what_it_may_restore() -> None:
    for restore, tombstone in (("0", "1"), ("30", "30"), ("7", "36500")):
        found = STACK.settings({"RESTORE_DAYS": restore, "TOMBSTONE_DAYS": tombstone}).retention
        assert (found.restore.days, found.tombstone.days) == (int(restore), int(tombstone))


@pytest.mark.parametrize("dimensions", [256, 512, 1_024])
def test_bedrock_makes_the_size_that_is_asked_for_and_the_former_embedder_its_own(
    dimensions: int,
) -> None:
    size = str(dimensions)
    new = SEARCH.settings({"EMBEDDER": "bedrock", "EMBEDDING_DIMENSIONS": size}).search
    former = SEARCH.settings(
        {"FORMER_EMBEDDER": "bedrock", "FORMER_EMBEDDING_DIMENSIONS": size}
    ).search

    assert new.dimensions == dimensions
    assert (former.dimensions, former.former_dimensions) == (384, dimensions)
    assert former.former_embedder == "bedrock"


def test_a_weight_that_is_not_named_is_the_usual_one() -> None:
    usual = SEARCH.settings({}).search.weights

    weights = SEARCH.settings(
        {"RANKING_WEIGHTS": '{"salience": 0, "lexical": 1000}'}
    ).search.weights

    assert (weights.salience, weights.lexical) == (0.0, 1_000.0)
    assert (weights.dense, weights.marks) == (usual.dense, usual.marks)


def test_conflict_policies_are_words_by_predicate() -> None:
    conflicts = '{"likes": "replace", "said": "keep", "*": "contest"}'

    policy = STACK.settings({"CONFLICT_POLICIES": conflicts}).policy

    found = [policy.conflict_policy(each) for each in ("likes", "said", "is")]
    assert found == ["replace", "keep", "contest"]
    assert policy.conflict_policy("Likes ") == "replace"
    assert STACK.settings({}).policy.conflict_policy("likes") == "keep"


# --- principals ----------------------------------------------------------------------------------


def test_events_name_users_where_their_principal_has_a_user_prefix() -> None:
    users = {"scopes": ["events:*"], "user_prefix": "events:", "user_required": True}

    found = STACK.settings({"BUS_PRINCIPAL": a_principal(**users)}).sources.bus

    assert found.acting_for("ci").scopes == ("events:ci",)


@pytest.mark.parametrize(
    "value",
    [
        *("bus", "5", "[]", "{}", "null"),
        a_principal(actor_id=""),
        a_principal(actor_id=5),
        a_principal(scopes=[]),
        a_principal(scopes=None),
        a_principal(scopes=[["events"]]),
        a_principal(scopes="events"),
        a_principal(scopes={"events": True}),
        a_principal(scopes=[5]),
        a_principal(scopes=[""]),
        a_principal(permissions=["fly"]),
        a_principal(permissions="ingest"),
        a_principal(permissions=None),
        a_principal(max_sensitivity="secret"),
        a_principal(max_sensitivity=None),
        a_principal(extra=1),
        a_principal(user_prefix="events:"),
        a_principal(user_required=True),
    ],
)
def test_a_principal_that_cannot_be_one_is_refused(value: str) -> None:
    for variable in ("BUS_PRINCIPAL", "QUEUE_PRINCIPAL", "DIRECT_PRINCIPAL", "IMPORT_PRINCIPAL"):
        assert complaint(STACK, {variable: value}).startswith(f"MEMBRANE_{variable}: ")


# --- curves --------------------------------------------------------------------------------------


def test_curves_are_pairs_of_age_in_half_lives_and_share_left_and_one_may_be_the_default() -> None:
    curves = f'{{"slow-1": {CURVE}, "b_2": [[0, 1], [1000000, 1]]}}'
    chosen = {"DECAY_CURVE": "custom", "CUSTOM_CURVE": "slow-1", "CUSTOM_CURVES": curves}

    policy = STACK.settings(chosen).policy

    assert (policy.decay_curve, policy.custom_curve) == ("custom", "slow-1")
    assert policy.custom_curves == {
        "slow-1": ((0.0, 1.0), (1.0, 0.5), (2.0, 0.0)),
        "b_2": ((0.0, 1.0), (1e6, 1.0)),
    }


@pytest.mark.parametrize(
    "value",
    [
        *("x", "5", "[]", '{"slow": 5}', '{"slow": null}', '{"slow": []}', '{"slow": [[0, 1]]}'),
        *(
            f'{{"slow": [[0, 1], {points}]}}'
            for points in (
                "[1, 2]",
                "[0, 0]",
                "[2, 0], [1, 0]",
                "[1, -1]",
                '[1, "none"]',
                "[1e999, 0]",
                "[1000001, 0]",
                "[1e308, 0]",
                f"[1{'0' * 400}, 0]",
                '["inf", 0]',
                '["1", "0"]',
                "[true, false]",
                "[1, 0, 2]",
            )
        ),
        *('{"slow": [[1, 1], [2, 0]]}', '{"slow": [[0, 0.9], [2, 0]]}'),
        '{"slow": [[0, 1], [1, 0]], "slow": [[0, 1], [2, 0]]}',
        *(f'{{"{name}": [[0, 1], [1, 0]]}}' for name in ("", "a b", "a:b", "é")),
    ],
    ids=lambda value: value[:40],
)
def test_curves_that_cannot_be_any_are_refused(value: str) -> None:
    assert complaint(STACK, {"CUSTOM_CURVES": value}).startswith("MEMBRANE_TUNING: CustomCurves: ")


# --- rules of access tokens ----------------------------------------------------------------------


def with_rule(**changes: Any) -> dict[str, str]:
    """Settings with a rule that fits every token, and a changed rule."""
    return {**ISSUER, "OIDC_RIGHTS": json.dumps([{**RULE, "when": {}}, {**RULE, **changes}])}


def test_rules_are_read_in_their_order_and_the_issuer_keeps_its_final_slash() -> None:
    settings = TOKENS.settings(with_rule()).tokens

    assert (settings.issuer, settings.audience) == tuple(ISSUER.values())
    assert [rule.when for rule in settings.rules] == [{}, {"groups": "agents"}]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"when": []}, "when must be a JSON object of claims"),
        ({"when": {"age": 3}}, "when.age must be a text of 1 character or more, true or false"),
        ({"when": {"team": ""}}, "when.team must be a text"),
        ({"when": {"team": ["a"]}}, "when.team must be a text"),
        ({"when": {"scope": "a b"}}, "when.scope must be one word"),
        ({"when": {"scp": True}}, "when.scp must be one word"),
        ({"actor": 1}, "actor must be a text"),
        ({"actor": "consolidation"}, "actor must be a text, and not the name of an actor of the"),
        ({"actor": "{org}-{sub}"}, "actor: oidc:{org}-{sub} needs a : before each {claim}"),
        ({"actor": "{sub"}, "actor: oidc:{sub has a { or }"),
        ({"permissions": "read"}, "permissions must be a JSON array of texts"),
        ({"permissions": ["own"]}, "permissions has own; known are"),
        ({"permissions": ["{p}"]}, "permissions has {p}; known are"),
        ({"scopes": [""]}, "scopes must be a JSON array of texts"),
        ({"scopes": ["{sub}"]}, "scopes: {sub} needs a : before each {claim}"),
        ({"scopes": ["user-{sub}"]}, "scopes: user-{sub} needs a : before each {claim}"),
        ({"scopes": ["user:{a}{b}"]}, "scopes: user:{a}{b} needs a : before each {claim}"),
        ({"scopes": ["user:{ sub }"]}, "scopes: user:{ sub } has a { or }"),
        ({"scopes": ["user:{sub}*"]}, "scopes: user:{sub}* must end in :* to be a prefix"),
        ({"scopes": ["user:{{sub}}"]}, "scopes: user:{{sub}} has a { or }"),
        ({"max_sensitivity": "secret"}, "max_sensitivity must be one of: public, low"),
        ({"user_prefix": 1}, "user_prefix must be a text"),
        ({"user_prefix": "u:{sub}:"}, "user_prefix needs a prefix among the scopes"),
        ({"scopes": ["o:{a}:*"], "user_prefix": "o:{b}:"}, "user_prefix needs a prefix among"),
        ({"scopes": ["*"], "user_prefix": "u"}, "user_required needs a user_prefix"),
        ({"user_required": 1}, "user_required must be true or false"),
        ({"user_required": True}, "user_required needs a user_prefix"),
        ({"scope": "a"}, "must be a JSON object of when, actor, permissions, scopes"),
    ],
)
def test_a_malformed_rule_is_named_by_number_and_field(changes: dict[str, Any], said: str) -> None:
    told = complaint(TOKENS, with_rule(**changes))

    assert told.startswith(f"MEMBRANE_OIDC_RIGHTS: rule 2: {said}")


@pytest.mark.parametrize("missing", RULE)
def test_a_rule_without_a_field_is_refused(missing: str) -> None:
    rule = {name: RULE[name] for name in RULE if name != missing}

    told = complaint(TOKENS, {**ISSUER, "OIDC_RIGHTS": json.dumps([rule])})

    assert told.startswith("MEMBRANE_OIDC_RIGHTS: rule 1: must be a JSON object of when, actor")


# --- the parameter Tuning ------------------------------------------------------------------------


def test_null_in_the_tuning_is_a_setting_that_is_not_there() -> None:
    tuning = json.dumps(dict.fromkeys(tuned_names()))

    policy = World(environment={**LEAST, "MEMBRANE_TUNING": tuning}).policy

    assert policy == World(environment=LEAST).policy


def test_values_of_the_tuning_are_json_or_text() -> None:
    tuning = {
        "EpisodicHalfLifeSeconds": 60,
        "PruneThreshold": 1e-6,
        "ConsolidateAcrossScopes": True,
        "DefaultSensitivity": "high",
        "ConflictPolicies": {"*": "replace"},
        "CustomCurves": f'{{"slow": {CURVE}}}',
    }
    environment = {**LEAST, "MEMBRANE_TUNING": json.dumps(tuning)}

    policy, learning = (read_settings(each, environment) for each in ("policy", "learning"))

    assert (policy.episodic_half_life_s, policy.prune_threshold) == (60, 1e-6)
    assert (policy.sensitivity, policy.conflicts) == ("high", {"*": "replace"})
    assert list(policy.custom_curves) == ["slow"]
    assert learning.crosses_scopes


@pytest.mark.parametrize(
    ("tuning", "said"),
    [
        ("[]", "must be a JSON object of settings by name"),
        ("{", "malformed JSON"),
        ('{"TopicBump": 1, "TopicBump": 2}', ""),
        ('{"TopicBmp": 1}', "TopicBmp is no setting of the parameter Tuning"),
        ('{"Embedder": "bedrock"}', "Embedder is no setting of the parameter Tuning"),
        ('{"EpisodicHalfLifeSeconds": 1.5}', "EpisodicHalfLifeSeconds: must be a whole number"),
    ],
)
def test_a_tuning_that_cannot_be_read_stops_every_function_with_its_name(
    tuning: str, said: str
) -> None:
    with pytest.raises(SettingError) as caught:
        World(environment={**LEAST, "MEMBRANE_TUNING": tuning}).records  # noqa: B018 - made here

    assert str(caught.value).startswith(f"MEMBRANE_TUNING: {said}")
