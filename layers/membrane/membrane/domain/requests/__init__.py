"""What callers send, by what they ask for."""
