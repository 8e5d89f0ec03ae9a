"""Access tokens of an OpenID Connect issuer."""
