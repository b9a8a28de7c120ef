"""GitHub's API on a loopback port: it keeps check runs, holds every body against the OpenAPI document, plays faults."""

import json
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

import outside

TEMPLATES = {
    "POST": "/repos/{owner}/{repo}/check-runs",
    "PATCH": "/repos/{owner}/{repo}/check-runs/{check_run_id}",
}


class Fault(NamedTuple):
    """What happens to the `at`-th request (from 0) of `method`, `times` times in a row.

    `kind` is a status, or "drop" (no answer), "cut" (half an answer), "slow"; `done` whether it is carried out first.
    """

    method: str
    at: int
    kind: int | str
    headers: Mapping[str, str] = MappingProxyType({})
    message: str = "trouble"
    times: int = 1
    done: bool = False


@lru_cache(maxsize=1)
def document() -> dict[str, Any]:
    with open(outside.node_module("@octokit/openapi/generated/api.github.com.json"), "rb") as file:
        loaded: dict[str, Any] = json.load(file)
    return loaded


def _resolved(schema: Any) -> Any:
    if isinstance(schema, dict):
        if "$ref" in schema:
            target: Any = document()
            for part in schema["$ref"].removeprefix("#/").split("/"):
                target = target[part]
            return _resolved(target)
        return {key: _resolved(value) for key, value in schema.items()}
    return [_resolved(item) for item in schema] if isinstance(schema, list) else schema


@lru_cache(maxsize=4)
def body_schema(method: str) -> Any:
    operation = document()["paths"][TEMPLATES[method]][method.lower()]
    return _resolved(operation["requestBody"]["content"]["application/json"]["schema"])


def body_faults(method: str, body: Any) -> list[str]:
    """Why GitHub's OpenAPI document would refuse `body`."""
    from jsonschema import Draft202012Validator

    faults = [error.message[:200] for error in Draft202012Validator(body_schema(method)).iter_errors(body)]
    annotations = body.get("output", {}).get("annotations", [])
    faults += [f"{len(annotations)} annotations"] if len(annotations) > 50 else []
    for field in ("summary", "text"):
        if len(body.get("output", {}).get(field, "").encode()) > 65535:
            faults.append(f"output.{field} is too long")
    for one in annotations:
        if "start_column" in one and one["start_line"] != one["end_line"]:
            faults.append("columns over several lines")
        if len(one["message"].encode()) > 65536 or len(one.get("title", "")) > 255:
            faults.append("an annotation is too long")
    return faults


class Loopback:
    """The state of the platform: `runs` by id, `requests` as (method, path) in order, `faults` yet to be played."""

    def __init__(self, faults: tuple[Fault, ...] = (), *, validate: bool = True) -> None:
        self.faults, self.validate = faults, validate
        self.runs: dict[int, dict[str, Any]] = {}
        self.requests: list[tuple[str, str]] = []
        self.refused: list[str] = []
        self.seen: dict[str, int] = {}
        self.files: list[dict[str, Any]] = [{"filename": "data/train.jsonl", "status": "modified"}]
        self.contents: dict[str, bytes] = {}
        self.stop = threading.Event()
        self.lock = threading.Lock()

    @property
    def annotations(self) -> list[tuple[str, int, str]]:
        return [
            (one["path"], one["start_line"], one["title"]) for run in self.runs.values() for one in run["annotations"]
        ]

    def fault_for(self, method: str) -> Fault | None:
        number = self.seen.get(method, 0)
        self.seen[method] = number + 1
        return next((f for f in self.faults if f.method == method and f.at <= number < f.at + f.times), None)

    def carry_out(self, method: str, target: str, body: Any) -> tuple[int, Any]:
        path, query = urlsplit(target).path, parse_qs(urlsplit(target).query)
        page = int(query.get("page", ["1"])[0])
        if method in TEMPLATES and self.validate and (faults := body_faults(method, body)):
            self.refused += faults
            return 422, {"message": faults[0]}
        if method == "POST" and re.fullmatch(r"/repos/o/r/check-runs", path):
            number = 1000 + len(self.runs)
            output = dict(body["output"])
            self.runs[number] = {**body, "id": number, "annotations": output.pop("annotations", []), "output": output}
            return 201, self.told(number)
        if found := re.fullmatch(r"/repos/o/r/check-runs/(\d+)", path):
            number = int(found[1])
            if method == "PATCH":
                self.runs[number]["annotations"] += body["output"].get("annotations", [])
            return 200, self.told(number)
        if re.fullmatch(r"/repos/o/r/commits/[0-9a-f]{40}/check-runs", path):
            every = [self.told(number) for number in self.runs]
            return 200, {"total_count": len(every), "check_runs": every[(page - 1) * 100 : page * 100]}
        if re.fullmatch(r"/repos/o/r/pulls/\d+/files", path):
            return 200, self.files[(page - 1) * 100 : page * 100]
        if found := re.fullmatch(r"/repos/o/r/contents/(.+)", path):
            from base64 import b64encode

            data = self.contents.get(found[1])
            return (
                (404, {"message": "Not Found"})
                if data is None
                else (200, {"encoding": "base64", "content": b64encode(data).decode()})
            )
        return 404, {"message": "Not Found"}

    def told(self, number: int) -> dict[str, Any]:
        run = self.runs[number]
        return {
            "id": number,
            "external_id": run.get("external_id"),
            "html_url": f"https://github.com/o/r/runs/{number}",
            "output": {"annotations_count": len(run["annotations"])},
        }


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    platform: Loopback

    def answer(self) -> None:
        method = self.command
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = json.loads(data) if data else None
        with self.platform.lock:
            self.platform.requests.append((method, self.path))
            fault = self.platform.fault_for(method)
            if fault is None or fault.done:
                status, told = self.platform.carry_out(method, self.path, body)
            if fault is not None:
                status, told = (fault.kind if isinstance(fault.kind, int) else 200), {"message": fault.message}
        if fault is not None and fault.kind == "slow":
            self.platform.stop.wait(30)
        if fault is not None and fault.kind in {"drop", "slow"}:
            self.close_connection = True
            return
        payload = json.dumps(told).encode()
        self.send_response(status)
        for key, value in (fault.headers if fault else {}).items():
            self.send_header(key, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload[: len(payload) // 2] if fault is not None and fault.kind == "cut" else payload)
        self.close_connection = fault is not None and fault.kind == "cut"

    do_GET = do_POST = do_PATCH = answer  # noqa: N815 - the names that http.server calls

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving(platform: Loopback) -> Iterator[str]:
    """The address at which `platform` answers."""
    for method in TEMPLATES if platform.validate else ():
        body_schema(method)  # skip here, not in the thread, where the document is missing
    handler = type("Handler", (_Handler,), {"platform": platform})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        platform.stop.set()
        server.shutdown()
        server.server_close()
        thread.join()
