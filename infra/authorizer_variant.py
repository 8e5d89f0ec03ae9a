"""Changes template.yaml from API keys to AWS's signatures or an issuer's tokens, for `make build`.

`authorizer_variant.py (iam | jwt)` reads the template from its input and prints the variant.
"""

import sys
from collections.abc import Sequence

KEYS = """\
        DefaultAuthorizer: ApiKey
        Authorizers:
          ApiKey:
            FunctionArn: !GetAtt AuthorizerFunction.Arn
            EnableFunctionDefaultPermissions: true
            AuthorizerPayloadFormatVersion: "2.0"
            EnableSimpleResponses: true
            Identity: {Headers: [Authorization], ReauthorizeEvery: 300}
"""
VARIABLES = """\
        MEMBRANE_STACK: !Ref AWS::StackName
"""
CALLER = "$context.authorizer.actor_id"
TOKENS = """\
          OidcIssuer, OidcAudience, OidcRights]
"""
PARAMETER = """\
  # Events carry no API key"""
RULE = """\
  AudienceOfIssuer:
"""

BOUND = """\
    AllowedPattern: \\[[\\s\\S]{0,1500}\\] # a function's variables have 4 KB together
    ConstraintDescription: must be a JSON array of at most 1502 characters
"""
HALF = BOUND.replace("1500", "700").replace("1502", "702")

IAM = [
    (KEYS, "        EnableIamAuthorizer: true\n        DefaultAuthorizer: AWS_IAM\n"),
    (
        VARIABLES,
        f"""\
{VARIABLES}\
        MEMBRANE_AUTHORIZER: iam
        MEMBRANE_IAM_RIGHTS: !Ref IamRights
""",
    ),
    (BOUND, HALF),
    (CALLER, "$context.identity.userArn"),
    (TOKENS, TOKENS.replace("OidcRights]", "OidcRights, IamRights]")),
    (
        PARAMETER,
        f"""\
  IamRights:
    Description: Rules from the ARN of a role or user to rights, as a JSON array; [] refuses all
    Type: String
    Default: "[]"
{HALF}
{PARAMETER}""",
    ),
]
JWT = [
    (
        KEYS,
        """\
        DefaultAuthorizer: Jwt
        Authorizers:
          Jwt:
            IdentitySource: $request.header.Authorization
            JwtConfiguration: {issuer: !Ref OidcIssuer, audience: [!Ref OidcAudience]}
""",
    ),
    (
        VARIABLES,
        f"""\
{VARIABLES}\
        MEMBRANE_AUTHORIZER: jwt
        MEMBRANE_OIDC_ISSUER: !Ref OidcIssuer
        MEMBRANE_OIDC_AUDIENCE: !Ref OidcAudience
        MEMBRANE_OIDC_RIGHTS: !Ref OidcRights
""",
    ),
    (CALLER, "$context.authorizer.claims.sub"),
    (
        RULE,
        f"""\
  IssuerOfAuthorizer:
    Assertions:
      - Assert: !Not [!Equals [!Ref OidcIssuer, ""]]
        AssertDescription: A build with AUTHORIZER=jwt needs OidcIssuer
{RULE}""",
    ),
]


def variant(template: str, changes: Sequence[tuple[str, str]]) -> str:
    """The template with each text replaced; raises ValueError where a text does not stand once."""
    for before, after in changes:
        if template.count(before) != 1:
            raise ValueError(f"template.yaml has {template.count(before)} times: {before}")
        template = template.replace(before, after)
    return template


if __name__ == "__main__":
    sys.stdout.write(variant(sys.stdin.read(), {"iam": IAM, "jwt": JWT}[sys.argv[1]]))
