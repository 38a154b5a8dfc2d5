"""What the SAM transform makes of a template, as JSON: run in the environment of SAM's own tool.

`python translate.py template.yaml '{"Canary": "true"}'`
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


template = yaml_parse(Path(sys.argv[1]).read_text("utf-8"))
template["Globals"]["Function"]["CodeUri"] = "s3://built/code.zip"  # as `sam package` leaves it
made = transform(template, json.loads(sys.argv[2]), _NoManagedPolicies())
sys.stdout.write(json.dumps(made))
