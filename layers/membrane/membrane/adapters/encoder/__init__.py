"""The sentence encoder, which runs inside the function."""
