# SPDX-License-Identifier: BSD-3-Clause
#
# The module as users see it. Classes and functions of the library stand in _keepclear.pyi, what they
# list in _facts.pyi, guard, watch, sweep, toleranced motions and proofs in _more.pyi, scenes in _scene.py, batches in
# _batches.py; batch.py, on Dask, is imported by itself: `import keepclear.batch`.
from ._batches import (
    Certificates as Certificates,
    CheckBatch as CheckBatch,
    NearestBatch as NearestBatch,
    Verdicts as Verdicts,
)
from ._brake import BrakeDelays as BrakeDelays, BrakeModel as BrakeModel, JointBrake as JointBrake
from ._error import Error as Error
from ._keepclear import *
from ._report import report as report
from ._scene import (
    Attachment as Attachment,
    BodyModel as BodyModel,
    IntendedContact as IntendedContact,
    ModelBody as ModelBody,
    NamedPair as NamedPair,
    Origin as Origin,
    PairMargin as PairMargin,
    Scene as Scene,
    SceneObject as SceneObject,
    SceneRobot as SceneRobot,
    Shape as Shape,
)

__version__: str
