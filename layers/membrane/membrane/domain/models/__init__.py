"""Language models outside of the package: why a question to a model failed."""
