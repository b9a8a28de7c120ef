"""Files of the base ref, for events that run with its rights: a fork's configuration decides nothing."""

from base64 import b64decode
from typing import TYPE_CHECKING
from urllib.parse import quote

from trainproof_ci import git
from trainproof_ci.errors import UsageError

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
        answer = api.call("GET", f"/repos/{event.repository}/contents/{quote(path)}?ref={event.trusted}")
        if isinstance(answer, dict) and answer.get("encoding") == "base64":
            return b64decode(str(answer.get("content")))
    except ApiTrouble as trouble:
        if trouble.status == 404:
            return b""
        raise UsageError(f"the configuration of the base cannot be read: {trouble.reason}") from None
    except ValueError:
        pass
    raise UsageError("the configuration of the base cannot be read: GitHub's API sent no file")
