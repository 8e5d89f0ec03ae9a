"""Each signer: signatures of the content alone, by the own key alone."""

import base64
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import botocore.session
import pytest
from moto import mock_aws

from membrane.adapters.kms import KmsSigner
from membrane.domain.language.errors import ResourceExhausted, Unavailable
from membrane.usecases.ports.surroundings import Signer
from membrane.wiring import clients
from membrane_local.storage.bucket_endpoint import LocalSigner
from tests.fakes.clock import FakeSigner
from tests.worlds.faults import Answer, response

if TYPE_CHECKING:
    from types_boto3_kms import KMSClient

CONTENT = b"content" * 10_000


def client() -> "KMSClient":
    made = botocore.session.get_session().create_client("kms", config=clients.CLIENT_CONFIG)
    return cast("KMSClient", made)


def kms_signer() -> KmsSigner:
    made = client()
    key = made.create_key(KeySpec="ECC_NIST_P256", KeyUsage="SIGN_VERIFY")
    return KmsSigner(lambda: made, key["KeyMetadata"]["KeyId"])


MAKERS: dict[str, Callable[[], Signer]] = {
    "kms": kms_signer,
    "local": LocalSigner.of_new_key,
    "fake": FakeSigner,
}


@pytest.fixture(params=MAKERS)
def make(request: pytest.FixtureRequest) -> Iterator[Callable[[], Signer]]:
    with mock_aws():
        yield MAKERS[request.param]


def test_a_signature_is_of_the_content_alone(make: Callable[[], Signer]) -> None:
    signer = make()

    signature = signer.sign(CONTENT)

    assert signer.verify(CONTENT, signature)
    assert not signer.verify(CONTENT + b" ", signature)
    assert base64.b64decode(signature.value, validate=True)


@pytest.mark.parametrize("value", ["", "no base64", "AAAA"])
def test_what_is_no_signature_does_not_verify(make: Callable[[], Signer], value: str) -> None:
    signer = make()

    signature = signer.sign(CONTENT)

    assert not signer.verify(CONTENT, signature._replace(value=value))
    assert not signer.verify(CONTENT, signature._replace(algorithm="none"))


@pytest.mark.parametrize("maker", ["kms", "local"])
def test_another_key_does_not_verify(maker: str) -> None:
    with mock_aws():
        signature = MAKERS[maker]().sign(CONTENT)

        assert not MAKERS[maker]().verify(CONTENT, signature)


def test_the_local_key_lives_as_long_as_its_file(tmp_path: Path) -> None:
    file = tmp_path / "new" / "signing-key.pem"
    signature = LocalSigner.of_file(file).sign(CONTENT)

    assert LocalSigner.of_file(file).verify(CONTENT, signature)
    assert file.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("status", "code", "error"),
    [
        (400, "ThrottlingException", ResourceExhausted),
        (500, "InternalError", Unavailable),
    ],
)
def test_a_failure_of_kms_is_an_error_of_ours(
    status: int, code: str, error: type[Exception]
) -> None:
    made = client()

    def fail(**_: object) -> Answer:
        return response(status, f'{{"__type": "{code}"}}')

    hooks: Any = made.meta.events
    hooks.register("before-send.kms.Sign", fail)
    hooks.register_first("needs-retry.kms", lambda **_: False)
    with pytest.raises(error):
        KmsSigner(lambda: made, "key").sign(CONTENT)
