"""Real git repositories with small specifications in them, for tests of the gate as its users meet it."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

USERS = """\
openapi: 3.0.3
info: {title: Users, version: "1.0.0"}
paths:
  /users/{id}:
    get:
      parameters:
        - {name: id, in: path, required: true, schema: {type: string}}
      responses:
        "200":
          description: one user
          content:
            application/json:
              schema: {$ref: "#/components/schemas/User"}
components:
  schemas:
    User:
      type: object
      required: [id, email]
      properties:
        id: {type: string}
        email: {type: string}
        nickname: {type: string}
"""
"""A service of one operation."""

USERS_RENAMED = USERS.replace("email", "mail")
"""The same after a required field was renamed: breaks whoever reads it."""

BILLING = """\
consumer: billing
owner: team-billing
uses:
  - service: users
    operation: GET /users/{id}
    reads: [id, email]
"""
"""A manifest of somebody who reads the field that ``USERS_RENAMED`` takes away."""

SEARCH = BILLING.replace("billing", "search").replace("[id, email]", "[id]")
"""A manifest of somebody who does not."""

CONFIG = """\
version: 1
services:
  users: {spec: specs/users.yaml, owner: team-identity}
consumers: [consumers/*.yaml]
"""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def report(self) -> Any:
        """The JSON report on standard output."""
        return json.loads(self.out)

    @property
    def changes(self) -> list[Any]:
        """Its changes."""
        return list(self.report["changes"])

    @property
    def rules(self) -> list[str]:
        """The rules of its changes, in their order, without the remark on versions that every break comes with."""
        return [change["rule"] for change in self.changes if change["rule"] != "version-not-bumped"]

    @property
    def services(self) -> set[str]:
        """The services of its changes."""
        return {change["service"] for change in self.changes}

    def only(self, rule: str) -> Any:
        """The one change of a rule."""
        found = [change for change in self.changes if change["rule"] == rule]
        assert len(found) == 1, f"{rule}: {len(found)} of {self.rules}"
        return found[0]


class Folder:
    """A folder to write files into."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def write(self, path: str, text: str | bytes) -> Path:
        """Write a file, its folder made where it is missing."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        return file

    def replace(self, path: str, what: str, by: str) -> None:
        """Edit a file; what is replaced must be there."""
        text = (self.folder / path).read_text()
        assert what in text, f"{path} does not say {what}"
        self.write(path, text.replace(what, by))

    def remove(self, path: str) -> None:
        """Delete a file."""
        (self.folder / path).unlink()


class Repo(Folder):
    """A git repository on branch main."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.git("init", "--quiet", "--template=", "-b", "main")

    def git(self, *args: str) -> str:
        """What git prints."""
        done = subprocess.run(["git", *args], cwd=self.folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"git {' '.join(args)}: {done.stderr}"
        return done.stdout.strip()

    def commit(self, message: str = "a commit") -> str:
        """Commit everything; the commit's hash."""
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        return self.git("rev-parse", "HEAD")

    def branch(self, name: str) -> None:
        """Make a branch here and go to it."""
        self.git("checkout", "--quiet", "-b", name)

    def never_had(self, path: str) -> None:
        """Take a file away on main as well, which then is where this branch begins."""
        branch = self.git("branch", "--show-current")
        self.git("checkout", "--quiet", "main")
        self.git("rm", "--quiet", path)
        self.commit(f"no {path}")
        self.git("checkout", "--quiet", "-B", branch)

    @classmethod
    def copy(cls, repo: Repo, folder: Path) -> Repo:
        """The same repository elsewhere: much quicker than to make it again."""
        shutil.copytree(repo.folder, folder, symlinks=True)
        copied = object.__new__(cls)
        copied.folder = folder
        return copied

    def clone(self, folder: Path, *args: str) -> Repo:
        """A clone of this repository over a real transport, so that it may be shallow."""
        done = subprocess.run(
            ["git", "clone", "--quiet", *args, self.folder.as_uri(), str(folder)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        cloned = object.__new__(Repo)
        cloned.folder = folder
        return cloned

    def state(self) -> dict[str, Any]:
        """Everything a check must leave as it is: the index byte for byte, the work tree, what lies in .git."""
        files = {
            path.relative_to(self.folder).as_posix(): (path.stat().st_mtime_ns, path.read_bytes())
            for path in sorted(self.folder.rglob("*"))
            if path.is_file()
        }
        return {"files": files, "status": self.git("--no-optional-locks", "status", "--porcelain")}
