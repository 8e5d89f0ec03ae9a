"""The AWS account, the Region and the owner of the local stack."""

from membrane.domain.access.principals import Principal
from membrane.domain.access.trust import ALL_SCOPES
from membrane.domain.language.vocabulary import Permission, Sensitivity

ACCOUNT, REGION = "000000000000", "us-east-1"
OWNER = Principal(
    "local", frozenset(Permission), (ALL_SCOPES,), Sensitivity.HYPER, user_prefix="user:"
)
"""The principal of the printed key, and of every caller where keys are off."""
