"""The check of a certificate that was saved: the entries against the part that is signed.

The signature covers `signed_bytes`. AWS KMS, or OpenSSL with the public key, checks the signature.
"""

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from membrane_client.errors import InvalidCertificate
from membrane_client.value import Value


def check_certificate(saved: Mapping[str, Any] | Value) -> None:
    """Raises InvalidCertificate unless the entries have the number and SHA-256 of the certificate.

    `saved` is a certificate with all entries: the result of `certificate`, or the JSON of the file.
    """
    whole = saved.raw if isinstance(saved, Value) else saved
    try:
        entries, signed = whole["entries"], whole["certificate"]
        expected, digest = signed["entries"], signed["entries_sha256"]
        lines = b"".join(_canonical_json(entry) + b"\n" for entry in entries)
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidCertificate("a part of the certificate is missing or malformed") from error
    if len(entries) != expected:
        raise InvalidCertificate(f"the certificate has {len(entries)} entries of {expected}")
    if sha256(lines).hexdigest() != digest:
        raise InvalidCertificate("the entries differ from the entries that the certificate names")


def signed_bytes(saved: Mapping[str, Any] | Value) -> bytes:
    """The bytes that the signature covers: the certificate without entries, as canonical JSON.

    Raises InvalidCertificate for a value without a certificate.
    """
    whole = saved.raw if isinstance(saved, Value) else saved
    try:
        return _canonical_json(whole["certificate"])
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidCertificate("a part of the certificate is missing or malformed") from error


def _canonical_json(value: Any) -> bytes:
    """JSON in UTF-8 with sorted keys and without spaces."""
    return json.dumps(
        value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
    ).encode()
