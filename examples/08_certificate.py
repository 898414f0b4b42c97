#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""A motion that is free, and the proof of it as a file that keepclear-verify checks on its own.

  08_certificate.py [FILE.kcert]
"""
import sys

import numpy as np

import keepclear


def main(arguments):
    world = keepclear.load("six_axis_arm")
    path = keepclear.line_path(np.zeros(world.dof), np.full(world.dof, 0.4), 2.0)
    found = world.certify(path, margin=0.005)
    if found.verdict != keepclear.Verdict.free:
        print("the motion is not free")
        return 1

    certificate = keepclear.path_certificate(world, path, found, margin=0.005)
    if not certificate:
        print(f"free, but without a certificate: {certificate.why}")
        return 1
    print("clearance %.4f m, of which the certificate proves %.4f m in %d cells" % (
        found.clearance, certificate.clearance, certificate.cells))
    file = arguments[0] if arguments else "motion.kcert"
    certificate.write(file)
    print(f"keepclear-verify {file}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except keepclear.Error as error:
        print(error, file=sys.stderr)
        sys.exit(error.exit_code)
