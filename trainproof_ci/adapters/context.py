"""What the Action works with: inputs, event and runner, and the settings that the event lets it trust."""

import os
from collections.abc import Mapping

from trainproof_ci.adapters.api import Api
from trainproof_ci.adapters.event import Event, event
from trainproof_ci.adapters.inputs import Inputs, inputs, inside
from trainproof_ci.adapters.runner import Runner
from trainproof_ci.config import DEFAULT_NAME, Settings, parsed, with_known_findings
from trainproof_ci.errors import UsageError
from trainproof_ci.git import repository_prefix
from trainproof_ci.typed import NamedTuple


class Context(NamedTuple):
    """Everything around the check: what was asked, what happened, where the results go."""

    wanted: Inputs
    event: Event
    runner: Runner
    api: Api | None
    prefix: str


def context_of(environment: Mapping[str, str], runner: Runner) -> Context:
    """Read inputs and event, and go to the working directory. Raises `UsageError`."""
    wanted = inputs(environment)
    workspace = environment.get("GITHUB_WORKSPACE") or "."
    folder = os.path.join(workspace, wanted.working_directory)
    if not os.path.isdir(inside(folder, workspace)):
        raise UsageError("the working-directory is no folder of the workspace")
    os.chdir(folder)
    happened = event(environment)
    api = Api(happened.api, wanted.token) if wanted.token else None
    return Context(wanted, happened, runner, api, repository_prefix())


def settings_of(context: Context) -> Settings:
    """The configuration and its known findings, of the base where the event carries the base's rights. Raises `UsageError`."""
    name = context.wanted.config or DEFAULT_NAME
    if context.event.base_rights:
        data = _trusted(name, context)
    elif os.path.lexists(name):
        with open(inside(name, os.environ.get("GITHUB_WORKSPACE", ".")), "rb") as file:
            data = file.read((64 << 10) + 1)
    elif context.wanted.config:
        raise UsageError("the configuration that the input config names is not there")
    else:
        data = b""
    if not data:
        return Settings()
    from trainproof_ci.adapters.pinned_yaml import provide

    provide(os.path.join(context.runner.folder, "python"))
    settings = parsed(data, os.path.basename(name))
    if not context.event.base_rights or settings.known_findings is None:
        return with_known_findings(settings)
    return with_known_findings(settings, _trusted(settings.known_findings, context))


def _trusted(name: str, context: Context) -> bytes:
    from trainproof_ci.adapters.trusted import read

    return read(os.path.normpath(context.prefix + name).replace(os.sep, "/"), context.event, context.api)


def without_baselines(settings: Settings, context: Context) -> Settings:
    """With the base's rights no file of the checkout stands as a baseline."""
    if not context.event.base_rights:
        return settings
    return settings._replace(runs=tuple(entry._replace(baseline=None) for entry in settings.runs))
