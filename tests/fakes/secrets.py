"""AWS Secrets Manager in memory."""


class SecretsManager:
    """A client that counts how often the secret is read."""

    def __init__(self) -> None:
        self.reads = 0

    def get_secret_value(self, *, SecretId: str) -> dict[str, str]:  # noqa: N803 - AWS's name
        """See SecretsClient."""
        self.reads += 1
        return {"SecretString": f"key of {SecretId}".replace(" ", "-")}
