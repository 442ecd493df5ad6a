"""The truth test: guardian's verdict on schema pairs against an oracle that shares no code with it."""
