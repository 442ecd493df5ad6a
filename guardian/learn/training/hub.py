"""Publishing an adapter on a model hub, with the credentials that its own client finds."""

from __future__ import annotations

from pathlib import Path

from guardian.errors import UsageError


def check_upload(repository: str) -> None:
    """See, before a run, that its adapter can be offered to a hub: a name that one takes, and somebody logged in.

    Raises:
        UsageError: it cannot.
    """
    try:
        from huggingface_hub import get_token
        from huggingface_hub.errors import HFValidationError
        from huggingface_hub.utils._validators import validate_repo_id
    except ImportError as error:
        raise UsageError(f"--push needs {error.name}", hint="pip install 'contract-guardian[train]'") from None
    try:
        validate_repo_id(repository)
    except HFValidationError as error:
        raise UsageError(f"--push {repository}: {error}", hint="for example --push somebody/adapter") from None
    if get_token() is None:
        raise UsageError("--push needs somebody who is logged in", hint="log in with `hf auth login`, or set HF_TOKEN")


def upload(adapter: Path, repository: str) -> None:
    """Upload an adapter's folder.

    Raises:
        UsageError: the hub refuses, or nobody is logged in.
    """
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HfHubHTTPError, LocalTokenNotFoundError

    try:
        api = HfApi()
        api.create_repo(repository, exist_ok=True)
        api.upload_folder(repo_id=repository, folder_path=str(adapter))
    except (HfHubHTTPError, LocalTokenNotFoundError, OSError) as error:
        raise UsageError(f"{repository} cannot be uploaded: {error}", hint="log in with `hf auth login`") from None
