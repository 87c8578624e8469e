"""Judges a chart: python judge.py CHART, with a list of values on standard input.

Prints what `helm lint --strict` finds, and for each of the values either the objects that they make, each held against the
schema of Kubernetes, or why they are refused. Objects of others (ServiceMonitor) have no schema here.
"""

import json
import sys

import helm_python
import kubernetes_validate
import yaml

KUBERNETES = "1.30"


def judged(chart, values):
    try:
        rendered = chart.render(values, name="demo", namespace="prod")
    except helm_python.HelmError as error:
        return {"refused": str(error), "objects": [], "faults": []}
    objects, faults = [], []
    for path, text in rendered.items():
        if not path.endswith(".yaml"):
            continue
        for found in yaml.safe_load_all(text):
            if found is None:
                continue
            objects.append(found)
            try:
                kubernetes_validate.validate(found, KUBERNETES, strict=True)
            except kubernetes_validate.SchemaNotFoundError:
                if "k8s.io" in found["apiVersion"] or "." not in found["apiVersion"]:
                    faults.append(f"{path}: no schema for {found['kind']}")
            except kubernetes_validate.ValidationError as error:
                faults.append(f"{path}: {'.'.join(map(str, error.path))}: {error.message}")
    return {"refused": None, "objects": objects, "faults": faults}


folder = sys.argv[1]
lint = helm_python.lint(folder, strict=True)
with helm_python.Chart.load(folder) as chart:
    cases = [judged(chart, values) for values in json.load(sys.stdin)]
warnings = [message for message in lint["messages"] if message["severity"] > 1]
print(json.dumps({"lint": lint["errors"] + warnings, "cases": cases}))
