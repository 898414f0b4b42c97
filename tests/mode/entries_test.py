# SPDX-License-Identifier: BSD-3-Clause
"""The table of entries against the public headers: every function that they declare is in the table
or in the list below, and neither has one that is not declared."""
from __future__ import annotations

import pathlib
import re
import sys

# Computes nothing that a proof rests on, with the reason.
EXEMPT = {
    "no arithmetic: hands out what was computed before": """
        World::* Volume::point Body::volume Body::radius Body::point_count Body::centre Body::bounding_radius
        Body::tables Sweep::volumes Sweep::point_count MotionQuery::last_tests
        MotionQuery::last_parts TolerancedQuery::metric TolerancedQuery::moving
        TolerancedQuery::bodies TolerancedQuery::planes Path::dof Path::begin Path::end
        Path::piece_count Path::degree Path::data Path::Path Polyhedron::vertices
        Polyhedron::edges Polyhedron::face_count Polyhedron::triangles_of Polyhedron::radius
        Polyhedron::error Polyhedron::solid Polyhedron::data Polyhedron::Polyhedron Body::Body
        DisplacementMetric::barycentre DisplacementMetric::axes DisplacementMetric::moments
        DisplacementCurve::begin DisplacementCurve::end Watch::counters Guard::last Guard::changed
        Guard::work_bound Guard::counters Guard::hash Guard::memory_size RecordedCycle::state
        builtin_worlds swept_joints Error::*""",
    "forgets what is known, which is safe in any mode": """
        DistanceQuery::reset Watch::reset Guard::reset""",
    "keeps a time; step() asks for the mode": "Guard::confirm_world",
    "copies bytes": """
        Guard::save FlightRecorder::* is_recording same_finding encode decode state_bytes
        world_tag sha256_of""",
    "writes texts and names, without arithmetic": """
        to_string name_of to_text write_model is_object_motion latency_rule
        latency_warning""",
    "an approximation that claims no bound": """
        DisplacementMetric::distance DisplacementMetric::distortion
        DisplacementMetric::coordinates affine""",
}
# Values of the caller, and plain arithmetic on them.
LEFT_OUT_HEADERS = {"geometry.hpp", "eigen.hpp", "keepclear.hpp", "version.hpp",
                    # Asks a DistanceQuery and a MotionQuery, and takes undecided for invalid.
                    "ompl.hpp"}


def declared(text: str) -> set[str]:
    """The functions that a header declares, with their classes."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"^\s*#[^\n]*", "", text, flags=re.M)
    text = re.sub(r"std::function<[^;{}]*?\)>", "Callback", text)
    names: set[str] = set()
    scopes: list[tuple[str, str]] = []
    statement = ""
    for token in re.findall(r"[{};]|[^{};]+", text):
        if token not in "{};":
            statement += token
            # What comes after an access specifier is a statement of its own.
            statement = re.sub(r"\b(public|private|protected)\s*:", "", statement)
            continue
        plain = all(kind in ("namespace", "class") for kind, _ in scopes)
        scope = re.search(r"\b(namespace|class|struct|enum(?: class)?)\s+([\w:]+)", statement)
        function = re.search(r"(operator\s*\(\)|operator\s*\S+?|~?\w+)\s*\(", statement)
        kind = "code"
        if scope and not (function and function.start() < scope.start()):
            kind = {"struct": "class"}.get(scope[1], scope[1].split()[0])
        elif function and plain and "=" not in statement[: function.start()].replace("operator", ""):
            owner = scopes[-1][1] + "::" if scopes and scopes[-1][0] == "class" else ""
            # Constructors that copy and move, destructors, operators that compare.
            special = re.search(r"~|= default|&&\)|friend|operator\s*(==|=|\*)", statement)
            if not special:
                names.add(owner + re.sub(r"\s", "", function[1]))
        if token == "{":
            scopes.append((kind, scope[2] if kind in ("namespace", "class") and scope else ""))
        elif token == "}":
            scopes.pop()
        statement = ""
    return names


def main() -> None:
    headers, table = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    public: set[str] = set()
    for header in sorted(headers.glob("*.hpp")):
        if header.name not in LEFT_OUT_HEADERS:
            public |= declared(header.read_text())
    entries = set(re.findall(r"\{\s*\"([\w:()]+)\",", table.read_text()))
    exempt = {name for names in EXEMPT.values() for name in names.split()}
    whole = {name[:-1] for name in exempt if name.endswith("*")}

    def is_exempt(name: str) -> bool:
        return name in exempt or any(name.startswith(owner) for owner in whole)

    wrong = [f"{n}: neither in the table of tests/mode/entries.cpp nor exempt"
             for n in sorted(public - entries) if not is_exempt(n)]
    wrong += [f"{n}: in the table, but no header declares it" for n in sorted(entries - public)]
    wrong += [f"{n}: in the table and exempt" for n in sorted(entries) if is_exempt(n)]
    wrong += [f"{n}: exempt, but no header declares it" for n in sorted(exempt)
              if not n.endswith("*") and n not in public]
    print(f"{len(public)} functions are declared, {len(entries)} of them in the table")
    if len(public) < 100:
        wrong.append("the headers were not understood")
    if wrong:
        sys.exit("\n".join(wrong))


main()
