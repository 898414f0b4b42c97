# SPDX-License-Identifier: BSD-3-Clause
"""docs/scene.schema.json against the scenes of the corpus: what is good passes, and what expect.txt
says that the schema sees does not. Usage: schema_test.py SCHEMA CORPUS"""

import json
import pathlib
import sys

import jsonschema


def main(schema_file, corpus):
    schema = json.loads(pathlib.Path(schema_file).read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    faults = []
    good = bad = 0
    for file in sorted((corpus / "ok").glob("*.json")):
        good += 1
        for error in validator.iter_errors(json.loads(file.read_text(encoding="utf-8-sig"))):
            faults.append(f"{file.name}: {error.json_path}: {error.message}")
    for row in (corpus / "reject" / "expect.txt").read_text(encoding="utf-8").splitlines():
        if row.startswith("#"):
            continue
        name, _, _, who, _ = row.split(" ", 4)
        if who == "schema":
            bad += 1
            if validator.is_valid(json.loads((corpus / "reject" / name).read_text(encoding="utf-8"))):
                faults.append(f"{name}: the schema lets it pass")
    if good < 5 or bad < 50:
        faults.append(f"only {good} good and {bad} bad scenes in {corpus}")
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], pathlib.Path(sys.argv[2])))
