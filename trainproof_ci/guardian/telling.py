"""What a guardian puts into a GitHub job: the summary of the step, and annotations for whoever prints them."""

from collections.abc import Mapping

from trainproof_ci.model import Report


def tell_job(report: Report, environment: Mapping[str, str]) -> str:
    """Add the report to the job summary and return the annotations to print; nothing outside a GitHub job."""
    if environment.get("GITHUB_ACTIONS") != "true":
        return ""
    from trainproof_ci.adapters.runner import Runner  # only a GitHub job needs it
    from trainproof_ci.reports import renderer

    runner = Runner(environment)
    if environment.get("GITHUB_STEP_SUMMARY"):
        runner.summary(renderer("markdown")(report))
    return renderer("github")(report)
