"""The `user` of a request, which narrows a key with a user prefix to the scope of the user."""

from membrane.domain.access.principals import Principal
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import JsonObject

USER = "user"
_NO_USER = "user must not be null with a key that has a user prefix; leave user out or name one"


def for_user(
    principal: Principal, asked: JsonObject, *, has_users_within: bool = False
) -> tuple[Principal, JsonObject]:
    """The principal narrowed to the user of a request, and the request without the user.

    `has_users_within`: parts of the request may name a user, so the request need not. Raises
    PermissionDenied and InvalidArgument as `acting_for`.
    """
    if USER not in asked and not principal.user_required:
        return principal, asked
    user = asked.get(USER)
    if user is not None or not has_users_within:
        principal = principal.acting_for(user)
    if USER in asked and user is None and principal.user_prefix:
        raise InvalidArgument(_NO_USER).at(
            USER
        )  # else a caller that lost the name would read the records of all users
    return principal, {name: asked[name] for name in asked if name != USER}
