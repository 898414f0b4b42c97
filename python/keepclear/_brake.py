# SPDX-License-Identifier: BSD-3-Clause
"""How a robot stops: plain values, read by Guard()."""
from __future__ import annotations

import math
from dataclasses import dataclass, field

__all__ = ["BrakeModel", "JointBrake"]


@dataclass
class JointBrake:
    """What is known of how one number of a configuration moves and stops: radians or metres, and
    seconds. Of the position of a planar or floating joint the numbers hold for the speed of all its
    directions together, and of a quaternion for the angle that it turns by.

    max_acceleration: at most this does its velocity change by, a second, until braking takes hold.
    brake_deceleration: at least this does braking slow it down, until it stands. Positive.
    brake_deceleration_most: at most this; where it is known, the braking motion can be followed in
        time.
    position_uncertainty, velocity_uncertainty: what a measured position and velocity may be off by,
        either way.
    acceleration_uncertainty: with a command that is known, what the acceleration may be off it by,
        either way.
    max_velocity: a measured velocity beyond this is not believed. Infinite: the limit of the URDF,
        where there is one, and velocity_uncertainty.
    stops: mechanical stops stand at the limits of the joint; it goes no farther, however fast.
    """

    max_acceleration: float = 0.0
    brake_deceleration: float = 0.0
    brake_deceleration_most: float = math.inf
    position_uncertainty: float = 0.0
    velocity_uncertainty: float = 0.0
    acceleration_uncertainty: float = 0.0
    max_velocity: float = math.inf
    stops: bool = False


@dataclass
class BrakeModel:
    """How a robot stops. Proofs: docs/theory/braking.md.

    latency: seconds from the measurement of a state until braking takes hold, should the answer to
        it be *brake*: the age of the state, a whole cycle (the next answer is as late as that), all
        communication, the reaction of the brakes.
    joints: one for each number of a configuration, in the order of World.variables.
    """

    latency: float = 0.0
    joints: list[JointBrake] = field(default_factory=list)
