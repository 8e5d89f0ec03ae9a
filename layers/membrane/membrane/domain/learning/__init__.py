"""What episodes teach: traces, groups of like traces, skills, plans, facts."""
