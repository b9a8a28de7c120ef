"""The GitHub Action: inputs and event in; outputs, annotations, summary, SARIF and check run out.

The verdict is stored before anything is sent anywhere, so that no trouble of the platform can change it.
"""

import os
from collections.abc import Iterable, Mapping

from trainproof_ci.adapters.changed_files import of_event
from trainproof_ci.adapters.checks_api import Published, publish
from trainproof_ci.adapters.context import Context, context_of, settings_of, without_baselines
from trainproof_ci.adapters.files import write_atomically
from trainproof_ci.adapters.inputs import Inputs, inside
from trainproof_ci.adapters.placement import on_github
from trainproof_ci.adapters.runner import Runner
from trainproof_ci.changes import Changes
from trainproof_ci.config import Settings
from trainproof_ci.errors import UsageError
from trainproof_ci.model import ExitCode, Policy, Report
from trainproof_ci.reports import github, markdown, sarif, text
from trainproof_ci.reports import json as json_report
from trainproof_ci.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from trainproof_ci.session import Session


def run(environment: Mapping[str, str]) -> int:
    """Do the Action's one step. Returns 0 once the outputs hold the verdict; the gate makes the job's colour of it."""
    runner = Runner(environment)
    try:
        context = context_of(environment, runner)
        report, told = _judged(context)
    except UsageError as error:
        runner.say("error", str(error))
        runner.outputs({"exit-code": str(int(ExitCode.USAGE)), "gate": str(int(ExitCode.USAGE))})
        return int(ExitCode.USAGE)
    gate = _gate(report, context.wanted)
    stored = runner.outputs({**_verdict(report), "gate": str(gate)})
    runner.log(text.render(report))
    placed = on_github(report, context.prefix)
    runner.outputs(_write_files(context, report, placed, told))
    published = _publish(context, placed)
    _annotate(context, placed, published)
    if context.wanted.summary and not context.wanted.shard:
        runner.summary(_summary(report, published))
    for trouble in runner.troubles:
        runner.say("warning", trouble)
    return 0 if stored else gate


def _judged(context: Context) -> tuple[Report, Iterable[str]]:
    """The report, and the JSON that is written of it, in pieces."""
    wanted = context.wanted
    policy = Policy(wanted.fail_on, wanted.not_checked)
    if wanted.merge:
        from trainproof_ci.commands.merge import merged

        report = merged([wanted.merge], policy)
        return report, json_report.pieces(report)
    from trainproof_ci.session import Request, judged
    from trainproof_ci.shards import parse

    settings = settings_of(context)._replace(policy=policy, jobs=os.cpu_count() or 1)
    shard = parse(wanted.shard) if wanted.shard else None
    session = judged(
        Request(wanted.paths, changes=_changes(context), shard=shard), without_baselines(settings, context)
    )
    if shard is not None:
        return session.report, (session.shard_report(shard),)
    report = _compared(session, settings, context)
    return report, json_report.pieces(report)


def _compared(session: "Session", settings: Settings, context: Context) -> Report:
    """The report, and the runs beside their baselines; where the base's rights are at stake, those of the base."""
    asked = context.wanted.baseline
    configured = context.event.base_rights and any(entry.baseline for entry in settings.runs)
    if not asked and not configured:
        return session.report
    from trainproof_ci.adapters.baselines import BASE, Base, compared  # most runs compare nothing

    if asked and asked != BASE and not context.event.base_rights:
        inside(asked, os.environ.get("GITHUB_WORKSPACE", "."))
    base = Base(context.event, context.api, context.prefix, context.runner.folder)
    return compared(session, lambda run: asked or settings.run(run.path).baseline, base)


def _changes(context: Context) -> Changes | str | None:
    """The selection: by default on pull requests, but not where SARIF is uploaded, which closes what it does not name."""
    chosen = context.wanted.changed_only
    if chosen == "false" or (chosen == "auto" and (not context.event.selects_a_change or context.wanted.upload_sarif)):
        return None
    return of_event(context.event, context.prefix, context.api)


def _gate(report: Report, wanted: Inputs) -> int:
    """What the job ends with: a shard leaves it to the merge, and NOT-CHECKED fails only when asked to."""
    if wanted.shard:
        return 0
    if report.exit_code is ExitCode.NOT_CHECKED and wanted.not_checked != "fail":
        return 0
    return int(report.exit_code)


def _verdict(report: Report) -> dict[str, str]:
    counts = {name.replace("_", "-"): str(count) for name, count in report.counts.items()}
    code = str(int(report.exit_code))
    return {"verdict": report.verdict.value, "exit-code": code, "conclusion": report.conclusion, **counts}


def _write_files(context: Context, report: Report, placed: Report, told: Iterable[str]) -> dict[str, str]:
    """Write the JSON report and the SARIF; returns the outputs that name them, without those that failed."""
    folder, wanted = context.runner.folder, context.wanted
    files: dict[str, tuple[str, Iterable[str]]] = {"report-json": (os.path.join(folder, "report.json"), told)}
    files["sarif-file"] = (
        wanted.sarif_file or os.path.join(folder, "trainproof.sarif"),
        (whole := sarif.render(placed),),
    )
    if wanted.upload_sarif and any(target.judged for target in report.targets):  # an empty run closes every alert
        large = _too_large(context, report)
        uploaded = sarif.render(placed, left_out=large) if large else whole
        files["upload-file"] = (os.path.join(folder, "upload.sarif"), (uploaded,))
    written: dict[str, str] = {}
    for name, (path, content) in files.items():
        try:
            inside(path, os.environ.get("GITHUB_WORKSPACE", "."), folder)
            os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
            write_atomically(path, (piece.encode("utf-8", "replace") for piece in content))
            written[name] = os.path.abspath(path)
        except (UsageError, OSError) as error:
            context.runner.troubles.append(f"{name} was not written: {error}")
    return written


def _too_large(context: Context, report: Report) -> frozenset[str]:
    """The files that would keep the upload busy for minutes: it hashes every file that a result names."""
    large = set()
    for target in report.targets:
        for path in {finding.location.path for finding in target.findings}:
            if os.path.isfile(path) and os.path.getsize(path) > sarif.LARGEST_FILE:
                large.add(context.prefix + path)
    return frozenset(large)


def _publish(context: Context, placed: Report) -> Published:
    wanted = context.wanted
    if wanted.check_run == "never" or wanted.shard:
        return Published()
    if context.api is None:
        return Published(problem="no check run: there is no token")
    place = "" if wanted.working_directory == "." else f" ({wanted.working_directory})"
    name = wanted.check_name or f"trainproof-ci / {context.event.job}{place}"
    return publish(placed, context.event, context.api, name[:200])


def _annotate(context: Context, placed: Report, published: Published) -> None:
    """Annotations on the check run where it holds them all, else in the log; and why there is no check run."""
    if published.problem is not None:
        context.runner.say("warning" if context.wanted.check_run == "always" else "notice", published.problem)
    if not context.wanted.annotations or context.wanted.shard:
        return
    if published.complete:
        context.runner.log(github.pointers(placed, published.url or ""))
    else:
        context.runner.log(github.render(placed))


def _summary(report: Report, published: Published) -> str:
    from trainproof_ci.reports.escape import markdown as escaped

    if published.problem is not None:
        return f"{markdown.render(report)}\n> {escaped(published.problem)}\n"
    return markdown.render(report)
