"""The pull request that a check runs for: GitHub's event, its runner's files, its comments, and the base to compare with.

This room needs the standard library alone, and git: it works before guardian's dependencies are installed. The check
itself runs as a command of its own, without the token.
"""
