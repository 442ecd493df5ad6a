"""Consumers out of their own source: which operations a client calls, and which fields it reads and sends.

``python_source`` and ``typescript_source`` lower a file, read by its language's own parser, to the small language of
``syntax``; ``flow`` follows values through it; ``http`` knows what a call of an HTTP library means; ``result`` turns
what was found into uses. ``scan`` is the door.
"""
