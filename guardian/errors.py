"""What can go wrong, as values: every error names a file, a line and a remedy where there is one.

Findings are never errors. An error means that guardian could not answer; its ``exit_code`` says which kind:
2 wrong usage or configuration, 3 an input that could not be read, 4 a fault in guardian itself.
"""

from __future__ import annotations


class GuardianError(Exception):
    """Root of all expected failures.

    Args:
        message: one sentence: what is wrong.
        file: the file it is wrong in, as the user knows it.
        line: 1-based line in that file.
        column: 1-based column in that line.
        hint: what to do about it, as a sentence or a command to run.
    """

    exit_code = 4

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.file = file
        self.line = line
        self.column = column
        self.hint = hint

    @property
    def where(self) -> str:
        """``file:line:column`` as far as it is known, else an empty string."""
        return ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)

    def __str__(self) -> str:
        head = f"{self.where}: {self.message}" if self.file else self.message
        return f"{head}\n  {self.hint}" if self.hint else head


class UsageError(GuardianError):
    """Wrong flags or an impossible combination of them."""

    exit_code = 2


class ConfigError(GuardianError):
    """guardian.yaml or the exceptions file says something that it cannot say."""

    exit_code = 2


class ReadError(GuardianError):
    """A specification, manifest or revision could not be read; never a pass.

    Attributes:
        pointer: JSON pointer (RFC 6901) of the place in ``file``, where its line is not known yet.
    """

    exit_code = 3
    pointer: str | None = None


class RefError(ReadError):
    """A ``$ref`` that leads nowhere, out of the root, or to the network."""


class RuleError(GuardianError):
    """A rule raised: a fault in guardian, named by the rule's id."""

    exit_code = 4
