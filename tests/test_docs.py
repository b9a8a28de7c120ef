"""What stands twice agrees: README and action, rules and their documentation, examples and the schema."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import outside
import pytest
import readme_tables
import yaml

from trainproof_ci.commands.rules import document
from trainproof_ci.config import parsed

README = (outside.ROOT / "README.md").read_text("utf-8")
DOCUMENTS = [
    outside.ROOT / "README.md",
    outside.ROOT / "hooks/README.md",
    *sorted((outside.ROOT / "docs").rglob("*.md")),
]


def test_the_tables_of_the_readme_are_current() -> None:
    assert readme_tables.filled(README) == README, "run python3 tests/readme_tables.py"


def test_docs_rules_is_current() -> None:
    assert (outside.ROOT / "docs/rules.md").read_text("utf-8") == document(), (
        "trainproof-ci rules --format markdown > docs/rules.md"
    )


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(outside.ROOT)))
def test_links_lead_somewhere(path: Path) -> None:
    for link in re.findall(r"\]\((?!https?:|#)([^)#]+)", path.read_text("utf-8")):
        assert (path.parent / link).exists(), link


def test_configurations_in_the_documents_are_valid() -> None:
    blocks = [
        block for path in DOCUMENTS for block in re.findall(r"```yaml\n(.*?)```", path.read_text("utf-8"), re.DOTALL)
    ]
    configurations = [block for block in blocks if re.search(r"(?m)^version: 1$", block)]
    assert configurations
    for block in configurations:
        parsed(block.encode(), "README.md")
    for block in blocks:
        yaml.safe_load(block)


def test_the_first_command_needs_nothing_but_python() -> None:
    """The block under "Try it": judged with an isolated Python, without what is installed beside it."""
    first = re.search(r"```console\n\$ (python3 -m trainproof_ci check [^\n]*)\n", README)
    assert first is not None
    words = shlex.split(first[1])[3:]
    command = [sys.executable, "-S", "-E", "-s", "-m", "trainproof_ci", *words]
    done = subprocess.run(command, cwd=outside.ROOT, capture_output=True, check=False, env=outside.clean_environment())
    assert done.returncode == 1
    assert re.search(rb"(?m)^evidence/\S+:\d+: FAIL TP-", done.stdout)


def test_every_troubleshooting_message_is_one_that_is_said() -> None:
    section = README.split("## Troubleshooting", 1)[1].split("\n## ", 1)[0]
    source = "".join(path.read_text("utf-8") for path in sorted((outside.ROOT / "trainproof_ci").rglob("*.py")))
    source += (outside.ROOT / "action.yml").read_text("utf-8")
    joined = re.sub(r'"\s*\n\s*f?"', "", source)
    for message in re.findall(r"(?m)^- `([^`]+)`", section):
        assert message in joined, message


def test_the_published_schema_is_the_one_in_use() -> None:
    schema = json.loads((outside.ROOT / "trainproof_ci/config.schema.json").read_text("utf-8"))
    assert schema["properties"]["version"]["enum"] == [1]
