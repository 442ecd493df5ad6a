"""guardian: who breaks, can you prove it, and what change would not break them?"""

__version__ = "0.1.0"
