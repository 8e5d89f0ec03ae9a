"""What the service does with topics by itself: merging, forgetting, finding communities."""
