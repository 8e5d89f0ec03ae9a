"""Learn from episodes: traces of steps, skills and plans of traces."""
