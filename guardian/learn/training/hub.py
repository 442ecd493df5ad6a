"""Publishing an adapter on a model hub, with the credentials that its own client finds."""

from __future__ import annotations

from pathlib import Path

from guardian.errors import UsageError


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
