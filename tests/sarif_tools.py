"""SARIF held against its JSON schema and Microsoft's multitool with the rules for GitHub."""

import json
import subprocess
from collections import Counter
from pathlib import Path

import outside

GITHUB_RULES = (
    "GH1001.ProvideRequiredLocationProperties",
    "GH1002.InlineThreadFlowLocations",
    "GH1003.ProvideRequiredRegionProperties",
    "GH1005.LocationsMustBeRelativeUrisOrFilePaths",
    "GH1006.ProvideCheckoutPath",
    "GH1007.ProvideFullyFormattedMessageStrings",
)
"""Switched off unless a configuration names them."""
NEVER_MET = ("SARIF2010.ProvideCodeSnippets", "SARIF2011.ProvideContextRegion")
"""Notes that every result without a piece of the file's content gets, which ours never has."""
PACKAGE = "@microsoft/sarif-multitool-linux"


def faults(sarif: Path, scratch: Path) -> list[str]:
    """Errors and warnings; a file on which no rule ran at all is a fault too (the tool exits 0 on what it cannot read)."""
    schema = outside.node_module(f"{PACKAGE}/sarif-2.1.0.json")
    done = subprocess.run(
        [outside.program("check-jsonschema"), "--schemafile", schema, str(sarif)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        return [done.stdout[:2000]]
    configuration = scratch / "github.xml"
    states = {**dict.fromkeys(GITHUB_RULES, "Error"), **dict.fromkeys(NEVER_MET, "Disabled")}
    entries = "".join(
        f'<Properties Key="{rule}.Options"><Property Key="RuleEnabled" Value="{state}" Type="Driver.RuleEnabledState" /></Properties>'
        for rule, state in states.items()
    )
    configuration.write_text(f'<?xml version="1.0" encoding="utf-8"?><Properties>{entries}</Properties>')
    out = scratch / "validated.sarif"
    subprocess.run(
        [
            outside.node_module(f"{PACKAGE}/Sarif.Multitool"), "validate", str(sarif), "--rule-kind", "Sarif;Ghas",
            "-c", str(configuration), "-o", str(out), "--log", "ForceOverwrite", "--level", "Error;Warning;Note", "--kind", "Fail",
        ],
        capture_output=True, check=True,
    )  # fmt: skip
    results = json.loads(out.read_text("utf-8-sig"))["runs"][0].get("results", [])
    counted = Counter((result.get("level", "warning"), result["ruleId"]) for result in results)
    if not any(rule in {"SARIF2002", "SARIF2006"} for _, rule in counted):
        return ["no rule ran: the multitool could not read the file"]
    return [f"{level} {rule} x {count}" for (level, rule), count in counted.items() if level in {"error", "warning"}]
