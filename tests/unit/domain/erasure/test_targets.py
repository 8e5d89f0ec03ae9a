"""What belongs to a target, and which requests name the target."""

import json
from dataclasses import replace
from typing import Any

import pytest

from membrane.domain.access.principals import Principal
from membrane.domain.erasure.targets import Ground, Recognition, Target, TargetKind
from membrane.domain.language.vocabulary import Permission, Sensitivity

EVE = Target(TargetKind.SUBJECT, subject="Eve")
SCOPE = Target(TargetKind.SCOPE, scope="user:eve")
IDS = Target(TargetKind.IDS, ids=frozenset({"one"}))


@pytest.mark.parametrize(
    "value",
    [
        "eve",
        "I met Eve.",
        ["a", {"b": "EVE's"}],
        {"Eve": 1},
        "line\nEve",
        "\uff25ve",  # full width
    ],
)
def test_a_subject_is_mentioned_as_whole_words_whatever_the_spelling(value: Any) -> None:
    assert EVE.is_mentioned_in(value)


@pytest.mark.parametrize("value", ["evening", "sleeve", "Eve1", 5, None, [], "e v e"])
def test_a_part_of_a_word_is_no_mention(value: Any) -> None:
    assert not EVE.is_mentioned_in(value)


def test_only_a_subject_is_looked_for_in_texts() -> None:
    assert not SCOPE.is_mentioned_in("user:eve")
    assert not IDS.is_mentioned_in("one")


def test_scope_and_id_are_grounds_without_a_look_at_the_content() -> None:
    assert SCOPE.ground_of_record("one", "user:eve") is Ground.IS_OF
    assert SCOPE.ground_of_record("one", "user:eve2") is None
    assert IDS.ground_of_record("one", "") is Ground.NAMED
    assert IDS.ground_of_record("two", "") is None
    assert EVE.ground_of_record("Eve", "Eve") is None


def test_the_digest_of_a_target_depends_on_the_erasure_and_on_every_part() -> None:
    digests = {
        SCOPE.sha256("1"),
        SCOPE.sha256("2"),
        EVE.sha256("1"),
        Target(TargetKind.SUBJECT, scope="user:eve", subject="Eve").sha256("1"),
        IDS.sha256("1"),
        replace(EVE, spellings=frozenset({"eve"})).sha256("1"),
    }

    assert len(digests) == 6
    for each in (SCOPE, IDS, replace(EVE, spellings=frozenset({"eve", "EVE"}))):
        assert Target.of_json(json.loads(json.dumps(each.as_json()))) == each


def source(*scopes: str, prefix: str = "") -> Principal:
    rights = frozenset({Permission.INGEST})
    return Principal("source", rights, scopes, Sensitivity.LOW, user_prefix=prefix)


SENDERS = (source("events"), source("user:*", prefix="user:"))


@pytest.mark.parametrize(
    "body",
    [
        {"scope": "user:eve"},
        {"user": "eve", "source": "a"},
        {"requestPayload": {"detail": {"scope": "user:eve"}}},
        {"items": [{"scope": "a"}, {"scope": "user:eve"}]},
        {"body": json.dumps({"user": "eve"})},
    ],
)
def test_a_request_names_a_scope_by_scope_or_user_at_any_depth(body: Any) -> None:
    assert Recognition(SCOPE, SENDERS).is_named_in(json.dumps(body))


@pytest.mark.parametrize(
    "body", [{"scope": "user:adam"}, {"user": "adam"}, {"source": "a"}, {"scope": ""}, []]
)
def test_other_requests_do_not_name_the_scope(body: Any) -> None:
    assert not Recognition(SCOPE, SENDERS).is_named_in(json.dumps(body))


def test_a_request_without_a_scope_is_of_the_first_scope_of_its_source() -> None:
    events = Recognition(Target(TargetKind.SCOPE, scope="events"), SENDERS)

    assert events.is_named_in(json.dumps({"source": "a", "user": ""}))
    assert not events.is_named_in(json.dumps({"source": "a", "scope": "user:eve"}))


def test_a_text_that_is_no_json_names_nobody() -> None:
    assert not Recognition(SCOPE, SENDERS).is_named_in("lost: user:eve {")
    assert not Recognition(EVE, SENDERS).is_named_in("Eve {")


def test_a_scope_is_named_by_the_members_for_scopes_alone() -> None:
    assert not Recognition(SCOPE, SENDERS).is_named_in(json.dumps({"scope": "a", "x": "user:eve"}))
    assert not Recognition(EVE, SENDERS).is_named_in(json.dumps({"rpc": "Eve"}))
    assert not Recognition(IDS, SENDERS).is_named_in(json.dumps({"source": "one"}))


def test_a_subject_and_an_id_are_named_by_members_of_their_own() -> None:
    fact = json.dumps({"subject": "Eve", "target_record_id": "one"})

    assert Recognition(EVE, SENDERS).is_named_in(fact)
    assert Recognition(IDS, SENDERS).is_named_in(fact)
    assert not Recognition(EVE, SENDERS).is_named_in(json.dumps({"object": "a friend of Eve"}))


def test_a_request_names_a_subject_in_the_spellings_that_the_erasure_confirms() -> None:
    body = json.dumps({"subject": "EVE"})

    assert not Recognition(EVE, SENDERS).is_named_in(body)
    assert Recognition(replace(EVE, spellings=frozenset({"EVE"})), SENDERS).is_named_in(body)
