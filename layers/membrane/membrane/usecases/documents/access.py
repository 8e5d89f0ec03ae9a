"""Who may see and change a document: as for records, a hidden document answers as absent."""

from typing import TYPE_CHECKING

from membrane.domain.access.principals import Principal
from membrane.domain.documents.document import Document
from membrane.domain.language.errors import AlreadyExists, NotFound, VersionMismatch
from membrane.domain.language.vocabulary import Permission, Sensitivity

if TYPE_CHECKING:
    from membrane.domain.documents.requests import DeleteDocument, PutDocument

NOT_FOUND = "document not found"
TAKEN = "namespace and key are taken by a document that the key may not see"


def visible(document: Document | None, principal: Principal, now_s: float) -> bool:
    """Whether the document is there for the principal: alive, in scope, and up to the ceiling."""
    return document is not None and document.is_alive(now_s) and sees(document, principal)


def require_visible(document: Document | None, principal: Principal, now_s: float) -> Document:
    """Raises NotFound for an absent, expired, deleted or hidden document."""
    if document is None or not visible(document, principal, now_s):
        raise NotFound(NOT_FOUND)
    return document


def require_not_hidden(document: Document | None, principal: Principal, now_s: float) -> None:
    """Raises AlreadyExists if a document that the principal may not see holds the place."""
    if document is not None and document.is_alive(now_s) and not sees(document, principal):
        raise AlreadyExists(TAKEN)


def require_own_or_revise(document: Document, principal: Principal) -> None:
    """Raises PermissionDenied for a value that another actor wrote, without `revise`."""
    if document.current.entry.principal != principal.actor_id:
        principal.require(Permission.REVISE)


def require_version(request: "PutDocument | DeleteDocument", present: Document | None) -> None:
    """Raises VersionMismatch if the document is not as the request expects.

    `present`: the document as the principal sees it; None for an absent, deleted or hidden one.
    """
    version = 0 if present is None else present.version
    is_missing = request.must_exist and present is None
    if not is_missing and request.expected_version in {None, version}:
        return
    if present is None:
        raise VersionMismatch("there is no document at namespace and key")
    raise VersionMismatch(
        f"the document has version {version}, not the expected version {request.expected_version}"
    )


def sensitivity_after(
    before: Document | None, asked: Sensitivity | None, usual: Sensitivity, principal: Principal
) -> Sensitivity:
    """The sensitivity of the next version; raises PermissionDenied to lower it without `admin`."""
    if before is None:
        return asked or usual
    if asked is None:
        return before.sensitivity
    if asked.level < before.sensitivity.level:
        principal.require(Permission.ADMIN)
    return asked


REFRESHED_FROM = 0.05
"""The part of its period after which a read begins the period of a document anew: earlier reads
would pay for a write that hardly moves the expiry."""


def may_refresh(document: Document, principal: Principal, now_s: float) -> bool:
    """Whether a read by the principal begins the document's period anew."""
    expiry = document.expires_at_s
    if expiry is None:
        return False
    period_s, age_s = expiry - document.refreshed_at_s, now_s - document.refreshed_at_s
    return (
        age_s >= REFRESHED_FROM * period_s
        and Permission.INGEST in principal.permissions
        and principal.may_write(document.place.scope, document.sensitivity)
    )


def sees(document: Document, principal: Principal) -> bool:
    """Whether scope and sensitivity are within the principal's, whatever state the document has."""
    return principal.trust.allows(document.place.scope, document.sensitivity)
