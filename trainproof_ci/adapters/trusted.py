"""Files of the base ref, for events that run with its rights: a fork's configuration decides nothing."""

import os
from base64 import b64decode
from urllib.parse import quote

from trainproof_ci import git
from trainproof_ci.errors import UsageError
from trainproof_ci.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from trainproof_ci.adapters.api import Api
    from trainproof_ci.adapters.event import Event


def read(path: str, event: "Event", api: "Api | None") -> bytes:
    """The bytes of `path` (from the repository's root) at the trusted commit, empty where it has no such file.

    Raises `UsageError` where neither git nor the API can say: to go on without would be to obey the fork.
    """
    if event.trusted is not None:
        found = git.show(event.trusted, path)
        if found is not None:
            return found
        if api is not None and event.repository is not None:
            return _asked(path, event, api)
    raise UsageError(
        f"{event.name} runs with the rights of the base, and its configuration cannot be read: "
        "fetch the base (`fetch-depth: 0`) or give the action a token"
    )


def _asked(path: str, event: "Event", api: "Api") -> bytes:
    from trainproof_ci.adapters.api import ApiTrouble

    try:
        found = contents(path, str(event.repository), str(event.trusted), api)
    except ApiTrouble as trouble:
        if trouble.status == 404:
            return b""
        raise UsageError(f"the configuration of the base cannot be read: {trouble.reason}") from None
    if found is None:
        raise UsageError("the configuration of the base cannot be read: GitHub's API sent no file")
    return found


def contents(path: str, repository: str, reference: str, api: "Api") -> bytes | None:
    """The bytes of a file as GitHub's API sends them, None where what it sends is no file. Raises `ApiTrouble`."""
    where = f"/repos/{repository}/contents/{quote(os.fsencode(path))}?ref={quote(reference, safe='')}"
    answer = api.call("GET", where)
    blob = answer.get("sha") if isinstance(answer, dict) and answer.get("encoding") == "none" else None
    if isinstance(blob, str) and blob.isalnum():  # more than a megabyte
        answer = api.call("GET", f"/repos/{repository}/git/blobs/{blob}")
    if not isinstance(answer, dict) or answer.get("encoding") != "base64":
        return None
    try:
        return b64decode(str(answer.get("content")))
    except ValueError:
        return None
