"""The command line: one module a command, and the only room that prints or exits."""
