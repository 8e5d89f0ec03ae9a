"""What the use cases need of the world, as Protocols; adapters and fakes provide it."""
