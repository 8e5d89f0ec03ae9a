"""Authenticate with a cache of the keys lately seen, as API Gateway caches an authorizer."""

from collections import OrderedDict

from membrane.domain.access.principals import Principal
from membrane.usecases.access.api_keys import authenticate, digest_of
from membrane.usecases.ports.services import Services

KnownPrincipals = OrderedDict[str, tuple[Principal, float]]
"""By the digest of a header: the principal, and the end in seconds of the monotonic clock."""

KEPT_S = 300
"""The seconds after which a revoked key is refused; equal to the authorizer's."""

MAX_KEYS = 1_000


def known_principal(
    authorization: str, kept: KnownPrincipals, services: Services
) -> Principal | None:
    """The principal of an `Authorization` header; None for an invalid key, which is not kept."""
    digest, now_s = digest_of(authorization), services.elapsed_s()
    principal, end_s = kept.get(digest, (None, 0.0))
    if principal is not None and now_s < end_s:
        return principal
    found = authenticate(authorization, keys=services.keys, now=services.now())
    if found is None:
        kept.pop(digest, None)
        return None
    kept[digest] = (found, now_s + KEPT_S)
    kept.move_to_end(digest)
    while len(kept) > MAX_KEYS:
        kept.popitem(last=False)
    return found
