# SPDX-License-Identifier: BSD-3-Clause
"""Proves how far robots are from hitting themselves, each other and what stands around them.

    import keepclear

    world = keepclear.load("robot.urdf")
    nearest = world.distance(world.neutral())      # a pose: an object
    batch = world.check(poses)                     # many: arrays (N, dof) in, arrays (N,) out
    proof = world.certify("motion.yaml", margin=0.01)
    if proof.free:
        print(proof.clearance)

Lengths are metres, angles radians. Long work runs without the GIL, on all cores.
"""
from ._keepclear import *  # noqa: F401,F403
from ._keepclear import __version__  # noqa: F401
from ._batches import Certificates, CheckBatch, NearestBatch, Verdicts  # noqa: F401
from ._brake import BrakeDelays, BrakeModel, JointBrake  # noqa: F401
from ._error import Error  # noqa: F401
from ._report import report  # noqa: F401
from ._scene import (  # noqa: F401
    Attachment,
    BodyModel,
    IntendedContact,
    ModelBody,
    NamedPair,
    Origin,
    PairMargin,
    Scene,
    SceneObject,
    SceneRobot,
    Shape,
)

# They call themselves what users call them.
for _class in (CheckBatch, NearestBatch, BrakeDelays, BrakeModel, JointBrake, Error, Attachment, BodyModel,
               IntendedContact, ModelBody, NamedPair, Origin, PairMargin, Scene, SceneObject,
               SceneRobot, Shape):  # fmt: skip
    _class.__module__ = __name__
del _class
