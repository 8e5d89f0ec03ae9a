"""A secret of AWS Secrets Manager that goes into a header."""

import re
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from botocore.exceptions import BotoCoreError, ClientError

from membrane.domain.model_failures import NotAsked

_HEADER_TEXT = re.compile(r"[!-~]{1,4096}", re.ASCII)


class SecretsClient(Protocol):
    """The used part of a client of Secrets Manager."""

    def get_secret_value(self, *, SecretId: str) -> Mapping[str, Any]:  # noqa: N803 - AWS's name
        """The newest version of the secret."""


def read_secret(
    client: Callable[[], SecretsClient], arn: str, named: str = "the interpreter"
) -> str:
    """The secret text, without white space around; no error repeats the secret.

    `named` is the model in the errors. Raises NotAsked, also for a secret that is no text of
    visible ASCII characters.
    """
    try:
        found = client().get_secret_value(SecretId=arn)
    except BotoCoreError as error:
        raise NotAsked("Secrets Manager did not answer") from error
    except ClientError as error:
        code = error.response["Error"]["Code"]
        raise NotAsked(f"the secret of {named} cannot be read: {code}") from error
    secret = str(found.get("SecretString", "")).strip()
    if _HEADER_TEXT.fullmatch(secret) is None:
        raise NotAsked(f"the secret of {named} is no text of visible ASCII characters")
    return secret
