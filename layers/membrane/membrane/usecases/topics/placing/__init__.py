"""Taking what is told of topics, and finding where it belongs."""
