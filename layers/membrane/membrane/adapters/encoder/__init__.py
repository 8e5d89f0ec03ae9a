"""The sentence encoder, run inside the function."""
