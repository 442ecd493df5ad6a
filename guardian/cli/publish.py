"""``guardian publish``: this repository's manifests into a contracts repository that others read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from guardian.cli.app import new_app
from guardian.cli.manifest_files import refuse_alike, word
from guardian.cli.output import plain, remark, write_stdout
from guardian.cli.questions import asked
from guardian.errors import GuardianError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from guardian.cli.settings import Run

app = new_app()


@app.command()
def publish(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILE]...", help="Manifests, pacts and the like. Default: `consumers` of guardian.yaml."
        ),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            metavar="URL[#BRANCH]",
            help="The shared repository, and the branch that others read. Default: the one git+ entry of `consumers`.",
        ),
    ] = None,
    branch: Annotated[
        str | None, typer.Option(metavar="NAME", help="The branch to push to. Default: guardian/CONSUMER.")
    ] = None,
    folder: Annotated[str, typer.Option(metavar="DIR", help="The folder there.")] = "consumers",
    message: Annotated[str | None, typer.Option(metavar="TEXT", help="The first line of the commit's message.")] = None,
    config: Annotated[str | None, typer.Option(metavar="FILE", help="Default: guardian.yaml here or above.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would change, and change nothing.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No remarks.")] = False,
) -> None:
    """Put this repository's manifest into a shared contracts repository.

    It goes to a branch that the owners of that repository merge. A manifest is copied as it is; everything else becomes one, as by `guardian import`. The branch is added to and
    never overwritten. Git's own credentials are used, and nothing is asked. Exit codes: 0 pushed, or nothing to do;
    2 wrong usage; 3 something could not be read, reached or pushed.
    """
    from guardian.graph.consumers.elsewhere import GIT, is_elsewhere, parse_git
    from guardian.graph.consumers.publish import publish as push
    from guardian.spec.remote_git import NOBODY, identity, shown

    here = Path.cwd()
    run = asked(head=None, config=config, service=None, consumers=files, quiet=quiet)
    place = parse_git(to.removeprefix(GIT) if to else _shared(run))
    local = [each for each in run.request.consumers if not is_elsewhere(each)]
    if not local:
        raise UsageError("there is no manifest to publish", hint="name it: guardian publish FILE --to URL")
    manifests = _manifests(local, run)
    names = ", ".join(sorted(manifests))
    branch = branch or f"guardian/{word(next(iter(manifests)) if len(manifests) == 1 else here.name)}"
    paths = {name: f"{folder.strip('/')}/{word(name)}.yaml".lstrip("/") for name in manifests}
    refuse_alike(paths, shown(place.url))
    done = push(
        place.url,
        {paths[name]: text for name, text in manifests.items()},
        branch,
        f"{message or f'Declare what {names} uses'}\n\n{_provenance(here, local)}\n",
        onto=place.revision,
        whose={path: name for name, path in paths.items()},
        who=here,
        dry_run=dry_run,
    )
    if not done.diff:
        remark("note", f"{shown(place.url)} has this already")
    elif dry_run:
        write_stdout("".join(f"{plain(line)}\n" for line in done.diff.splitlines()))
        remark("note", f"this would be pushed to {done.branch} of {shown(place.url)}")
    else:
        into = f", to be merged into {done.target}" if done.target else ""
        remark("pushed", f"{(done.commit or '')[:12]} to {done.branch} of {shown(place.url)}{into}")
        if not quiet and identity(here) is None:
            said = f"git knows nobody here, so {NOBODY[0]} <{NOBODY[1]}> has made the commit"
            remark(
                "note",
                said,
                "`git config user.name NAME` and `user.email ADDRESS`, or GIT_COMMITTER_NAME and the like, say who",
            )


def _shared(run: Run) -> str:
    """The one shared repository that guardian.yaml names.

    Raises:
        UsageError: it names none, or several.
    """
    from guardian.graph.consumers.elsewhere import GIT

    found = sorted({each for each in run.request.config.consumers if each.startswith(GIT)})
    if len(found) != 1:
        several = "several repositories" if found else "no repository"
        raise UsageError(f"`consumers` of guardian.yaml names {several} to publish to", hint="name it by --to URL")
    return found[0]


def _manifests(patterns: Sequence[str], run: Run) -> Mapping[str, bytes]:
    """The manifest of each consumer: the file that it is, or what all its sources together say.

    Raises:
        ReadError: a source cannot be read.
        UsageError: none of them says who uses what.
    """
    from guardian.check.state import declarations
    from guardian.graph.consumers.write import to_yaml

    declared = declarations(patterns, run.request)
    for note in () if run.quiet else declared.notes:
        remark(note.level, f"{note.file}: {note.message}" if note.file else note.message)
    found: dict[str, bytes] = {}
    for consumer in declared.consumers:
        sources = {(use.tool, use.origin.file) for use in consumer.uses}
        tool, file = next(iter(sources), ("", ""))
        alone = len(sources) == 1 and tool == "manifest"
        if consumer.uses:
            found[consumer.name] = declared.files[file] if alone else to_yaml(consumer).encode()
    if not found:
        raise UsageError("nothing in these files says who uses what")
    return found


def _provenance(here: Path, patterns: Sequence[str]) -> str:
    """Where a manifest comes from: repository, commit and files, without credentials."""
    from guardian.spec import git, revisions
    from guardian.spec.remote_git import redacted

    lines = [f"Files: {', '.join(patterns)}"]
    try:
        root = git.find_root(here)
        if root is not None:
            commit = revisions.try_resolve(root, "HEAD")
            dirty = bool(git.ask(root, "status", "--porcelain").strip())
            remotes = git.ask(root, "remote").decode().split()
            origin = "origin" if "origin" in remotes else next(iter(remotes), None)
            if origin:
                lines.insert(0, f"Source: {redacted(git.ask(root, 'remote', 'get-url', origin).decode().strip())}")
            if commit:
                lines.append(f"Commit: {commit}{', with changes that are not committed' if dirty else ''}")
    except (git.GitRefusal, GuardianError):
        pass  # not a repository, or one that git does not read: then nothing is known of it
    return "\n".join(lines)
