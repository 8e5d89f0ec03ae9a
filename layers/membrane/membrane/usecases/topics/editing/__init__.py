"""Editing topics, one verb a module: what editors ask for, each as one change."""
