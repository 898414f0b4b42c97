# SPDX-License-Identifier: BSD-3-Clause
"""How a robot stops: plain values, read by Guard()."""
from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["BrakeDelays", "BrakeModel", "JointBrake"]


@dataclass
class JointBrake:
    """What is known of how one number of a configuration moves and stops: radians or metres, and
    seconds. Of the position of a planar or floating joint the numbers hold for the speed of all its
    directions together, and of a quaternion for the angle that it turns by.

    max_acceleration: at most this does its velocity change by, a second, until braking takes hold.
        0: nothing speeds it up.
    brake_deceleration: at least this does braking slow it down, until it stands. Positive.
    brake_deceleration_most: at most this; where it is known, the braking motion can be followed in
        time.
    position_uncertainty, velocity_uncertainty: what a measured position and velocity may be off by,
        either way.
    acceleration_uncertainty: with a command that is known, what the acceleration may be off it by,
        either way. Infinite: unknown; Guard(known_command=True) refuses that.
    max_velocity: a measured velocity beyond this is not believed. Infinite: the limit of the URDF,
        where there is one, and velocity_uncertainty.
    stops: mechanical stops stand at the limits of the joint; it goes no farther, however fast.
    """

    max_acceleration: float
    brake_deceleration: float
    brake_deceleration_most: float = math.inf
    position_uncertainty: float = 0.0
    velocity_uncertainty: float = 0.0
    acceleration_uncertainty: float = math.inf
    max_velocity: float = math.inf
    stops: bool = False


@dataclass
class BrakeDelays:
    """The parts of a latency, seconds, each the longest that occurs, jitter included.

    age: from the measurement of a state until the guard is asked about it, clocks that disagree and
        filters included. States that say they are older brake.
    cycle: from the measurement of one state to that of the next. States farther apart brake.
    communication: from the moment a state is handed over ("at once"), or its cycle is over ("end of
        cycle"), until the drives have the command to brake.
    brake_reaction: from that command until the brakes pull with brake_deceleration.
    missing_answer_noticed: "at once", or "end of cycle" where the controller waits for an answer
        until its cycle is over.

    latency_of() is their sum, latency_rule() that sum in words.
    """

    age: float
    cycle: float
    communication: float
    brake_reaction: float
    missing_answer_noticed: str


@dataclass
class BrakeModel:
    """How a robot stops. Proofs: docs/theory/braking.md.

    latency: seconds from the measurement of a state that was answered by *go* until braking takes
        hold, should the answer to the next state be *brake*, or be missing: the age of the state,
        the cycle until the next one (and the cycle after which a missing answer is noticed), all
        communication, the reaction of the brakes.
    joints: one for each number of a configuration, in the order of World.variables.
    delays: what the latency is the sum of, where that is known: latency is latency_of(delays) then.
    """

    latency: float
    joints: list[JointBrake]
    delays: BrakeDelays | None = None
