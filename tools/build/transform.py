"""What the SAM transform makes of a template: run in the environment of SAM's own tool.

`python transform.py template.yaml`; standard input has a JSON list of parameters, one mapping for
each wanted expansion, and standard output a list of the expanded templates.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from samtranslator.translator.transform import transform  # type: ignore[import-not-found]
from samtranslator.yaml_helper import yaml_parse  # type: ignore[import-not-found]


class _NoManagedPolicies:
    def load(self) -> dict[str, str]:
        return {}


text = Path(sys.argv[1]).read_text("utf-8")
made = []
for parameters in json.load(sys.stdin):
    template = yaml_parse(text)
    template["Globals"]["Function"]["CodeUri"] = "s3://built/code.zip"  # as `sam package` leaves it
    made.append(transform(template, parameters, _NoManagedPolicies()))
json.dump(made, sys.stdout)
