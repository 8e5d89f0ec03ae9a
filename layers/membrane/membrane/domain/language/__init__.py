"""What every capability speaks: vocabulary, errors, field types, JSON, timestamps, digests."""
