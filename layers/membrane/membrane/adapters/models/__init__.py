"""Models outside of the package: of Amazon Bedrock, or behind a compatible endpoint."""
