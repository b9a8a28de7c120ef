"""GitHub's REST API over the standard library: a bounded number of tries, and never the same change made twice."""

import json
import time
from collections.abc import Callable, Mapping
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from trainproof_ci.typed import Any, NamedTuple

TRIES = 5
SECONDS = 120.0
"""What all calls of one run may take together, waiting included."""
ONE_CALL_SECONDS = 20.0
LARGEST_ANSWER = 16 << 20


class ApiTrouble(Exception):  # noqa: N818 - the platform's trouble, which never becomes ours
    """A call that did not succeed, said in one sentence; `status` is 0 where no answer came."""

    def __init__(self, reason: str, status: int = 0) -> None:
        super().__init__(reason)
        self.reason, self.status = reason, status


class Answer(NamedTuple):
    """What came back: `status` 0 means that nothing did, and the request may or may not have been carried out."""

    status: int
    body: Any
    headers: Mapping[str, str] = {}

    @property
    def good(self) -> bool:
        """Whether the request was carried out and its answer read."""
        return 200 <= self.status < 300 and self.body is not None

    @property
    def uncertain(self) -> bool:
        """Whether the request may have been carried out although no good answer came."""
        return self.status == 0 or self.status >= 500 or (200 <= self.status < 300 and self.body is None)


class _NoRedirect(HTTPRedirectHandler):
    """The token must not follow a redirect to another host."""

    def redirect_request(self, *_: object, **__: object) -> None:
        return None


class Api:
    """The API at `url`; `sleep` and `now` are the clock, so that tests need not wait."""

    def __init__(
        self,
        url: str,
        token: str,
        *,
        sleep: Callable[[float], None] = time.sleep,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.url, self._token, self._sleep, self._now = url, token, sleep, now
        self._end = now() + SECONDS
        self._open = build_opener(_NoRedirect).open

    def call(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        settled: Callable[[], Any] | None = None,
    ) -> Any:
        """The answer's JSON. Raises `ApiTrouble` after `TRIES` tries or when waiting would take too long.

        `settled` is asked after an answer was lost and before the request is sent again: it returns what the
        request would have returned when it was carried out after all, else None.
        """
        answer = Answer(0, None)
        for attempt in range(TRIES):
            answer = self._once(method, path, body)
            if answer.good:
                return answer.body
            pause = _pause(answer, attempt)
            if pause is None:
                break
            last = attempt == TRIES - 1
            if not last:
                self._wait(pause, answer)
            if answer.uncertain and settled is not None and (found := settled()) is not None:
                return found
        raise ApiTrouble(_sentence(answer), answer.status)

    def _wait(self, pause: float, answer: Answer) -> None:
        if self._now() + pause > self._end:
            raise ApiTrouble(f"{_sentence(answer)}; waiting {pause:.0f} s more would take too long", answer.status)
        self._sleep(pause)

    def _once(self, method: str, path: str, body: Mapping[str, Any] | None) -> Answer:
        left = self._end - self._now()
        if left <= 0:
            raise ApiTrouble(f"GitHub's API took longer than {SECONDS:.0f} s")
        request = Request(  # noqa: S310 - the scheme is that of GITHUB_API_URL, which the runner sets
            self.url + path,
            data=None if body is None else json.dumps(body).encode(),
            method=method,
            headers={
                "Accept": "application/vnd.github+json",
                "Content-Type": "application/json",
                "User-Agent": "trainproof-ci",
                "X-GitHub-Api-Version": "2022-11-28",
            },
        )
        request.add_unredirected_header("Authorization", f"Bearer {self._token}")
        try:
            with self._open(request, timeout=min(ONE_CALL_SECONDS, left)) as response:
                return Answer(response.status, self._read(response), _lower(response.headers))
        except HTTPError as error:
            with error:
                return Answer(error.code, self._read(error), _lower(error.headers))
        except (OSError, HTTPException):
            return Answer(0, None)

    def _read(self, response: Any) -> Any:
        """The JSON of an answer, None where it is cut, slow, too large or no JSON."""
        end = min(self._now() + ONE_CALL_SECONDS, self._end)
        data = b""
        try:
            while chunk := response.read1(1 << 16):
                data += chunk
                if len(data) > LARGEST_ANSWER or self._now() > end:
                    return None
            return json.loads(data)
        except (OSError, HTTPException, ValueError):
            return None


def _lower(headers: Any) -> dict[str, str]:
    return {str(key).lower(): str(value) for key, value in headers.items()}


def _pause(answer: Answer, attempt: int) -> float | None:
    """Seconds to wait before another try; None where another try is useless."""
    if answer.status in {403, 429}:
        told = _told_to_wait(answer)
        if told is not None:
            return told
        if answer.status == 429 or "secondary rate limit" in _message(answer).lower():
            return float(15 << attempt)
        return None
    return float(1 << attempt) if answer.uncertain else None


def _told_to_wait(answer: Answer) -> float | None:
    after = answer.headers.get("retry-after", "")
    if after.isdigit() and len(after) < 9:
        return float(after)
    reset = answer.headers.get("x-ratelimit-reset", "")
    if answer.headers.get("x-ratelimit-remaining") == "0" and reset.isdigit() and len(reset) < 12:
        return max(0.0, float(reset) - time.time()) + 1
    return None


def _message(answer: Answer) -> str:
    said = answer.body.get("message") if isinstance(answer.body, dict) else None
    return said if isinstance(said, str) else ""


def _sentence(answer: Answer) -> str:
    """What to tell people; GitHub's own words are cut short and escaped by the sink."""
    if answer.status == 0:
        return "GitHub's API gave no answer"
    said = _message(answer)[:200]
    return f"GitHub's API answered {answer.status}" + (f" ({said})" if said else "")
