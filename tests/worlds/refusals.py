"""What the layer refuses with, by the code that callers see."""

import pytest

from membrane.adapters.aws_lambda.http.problems import KINDS
from membrane.domain.language.errors import DomainError
from membrane.wiring.environment import SettingError

_ERRORS: dict[str, type[DomainError]] = {}
for error, kind in KINDS.items():
    _ERRORS.setdefault(kind.code, error)


def an_error(code: str, words: str) -> DomainError:
    """An error to raise or to answer with."""
    return _ERRORS[code](words)


def refuses(code: str = "", match: str | None = None) -> pytest.RaisesExc[DomainError]:
    """Expect a refusal with the code; without a code, any refusal."""
    return pytest.raises(_ERRORS[code] if code else DomainError, match=match)


def refuses_setting(match: str | None = None) -> pytest.RaisesExc[SettingError]:
    """Expect that a setting is refused."""
    return pytest.raises(SettingError, match=match)
