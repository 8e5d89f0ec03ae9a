"""The daily tokens of keys and of the stack."""

from datetime import UTC, datetime

from membrane.domain.chat.allowances import Limits, allowances_of, out_of_tokens
from tests.worlds.tools import key

NOON = datetime(2026, 3, 1, 12, 0, 0, 500_000, UTC)
LIMITS = Limits(of_key=10, of_stack=100)


def test_a_question_counts_toward_the_key_and_toward_the_stack() -> None:
    of_key, of_stack = allowances_of(key(), NOON, LIMITS)

    assert (of_stack.account, of_stack.limit) == ("2026-03-01", 100)
    assert (of_key.account[:11], of_key.limit) == ("2026-03-01 ", 10)


def test_the_users_of_a_key_share_its_tokens() -> None:
    prefixed = key(scopes=("user:*",), user_prefix="user:")
    one, other = (allowances_of(prefixed.acting_for(user), NOON, LIMITS)[0] for user in "ab")

    assert one == other
    assert one != allowances_of(key()._replace(actor_id="other"), NOON, LIMITS)[0]


def test_keys_of_one_actor_with_different_scopes_share_nothing() -> None:
    one, other = (allowances_of(key(scopes=(scope,)), NOON, LIMITS)[0] for scope in "ab")

    assert one.account != other.account


def test_a_refusal_names_the_limit_and_the_next_day() -> None:
    refusal = out_of_tokens(allowances_of(key(), NOON, LIMITS)[1], NOON)

    assert "the stack has too few of its 100 chat tokens left today" in str(refusal)
    assert "2026-03-02T00:00:00Z" in str(refusal)
    assert refusal.retry_after_s == 12 * 3_600
