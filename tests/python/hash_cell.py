# SPDX-License-Identifier: BSD-3-Clause
"""A cell that has everything a world is made of, each value other than its default."""
from __future__ import annotations

import math
import pathlib
import struct

URDF = """<robot name="arm">
  <material name="grey"><color rgba="0.5 0.5 0.5 1"/></material>
  <link name="pedestal"><collision name="foot"><origin xyz="0.01 0.02 0.03" rpy="0.1 0.2 0.3"/>
      <geometry><box size="0.2 0.3 0.1"/></geometry></collision>
    <visual><origin xyz="0.01 0 0"/><geometry><box size="0.2 0.3 0.1"/></geometry>
      <material name="grey"/></visual>
    <inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
  </link>
  <link name="upper"><collision><origin xyz="0 0 0.2" rpy="0 0.1 0"/>
      <geometry><cylinder radius="0.05" length="0.2"/></geometry></collision>
    <collision><origin xyz="0 0.1 0.2" rpy="0.1 0 0"/>
      <geometry><sphere radius="0.06"/></geometry></collision></link>
  <link name="fore"><collision><origin xyz="0 0 0.1" rpy="0 0 0.1"/>
      <geometry><capsule radius="0.04" length="0.1"/></geometry></collision></link>
  <link name="slider"><collision><origin xyz="0 0 0.05" rpy="0 0 0.2"/>
      <geometry><sphere radius="0.04"/></geometry></collision></link>
  <link name="tool"><collision><origin xyz="0 0 0.05" rpy="0 0 0.2"/>
      <geometry><mesh filename="tool.stl" scale="1.5 1.25 0.75"/></geometry></collision></link>
  <link name="follower"><collision><origin xyz="0.1 0 0" rpy="0 0 0.2"/>
      <geometry><box size="0.01 0.02 0.03"/></geometry></collision></link>
  <link name="flange"><collision><origin xyz="0.1 0 0" rpy="0 0 0.2"/>
      <geometry><box size="0.01 0.02 0.03"/></geometry></collision></link>
  <joint name="shoulder" type="revolute"><parent link="pedestal"/><child link="upper"/>
    <origin xyz="0 0.1 0.3" rpy="0.01 0.02 0.03"/><axis xyz="0 0.6 0.8"/>
    <limit lower="-1.5" upper="1.25" velocity="2.5" effort="7"/>
    <dynamics damping="0.1" friction="0.2"/></joint>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="fore"/>
    <origin xyz="0.1 0 0.5" rpy="0.01 0.02 0.03"/><axis xyz="0 1 0.5"/>
    <limit velocity="1.5" effort="7"/></joint>
  <joint name="lift" type="prismatic"><parent link="fore"/><child link="slider"/>
    <origin xyz="0 0.1 0.3" rpy="0.01 0.02 0.03"/><axis xyz="0 0 1"/>
    <limit lower="-0.5" upper="0.25" velocity="0.5" effort="7"/></joint>
  <joint name="wrist" type="revolute"><parent link="slider"/><child link="tool"/>
    <origin xyz="0 0.1 0.3" rpy="0.01 0.02 0.03"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1.5" velocity="3.5" effort="7"/></joint>
  <joint name="finger" type="revolute"><parent link="tool"/><child link="follower"/>
    <origin xyz="0 0.1 0.3" rpy="0.01 0.02 0.03"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1.75" velocity="4.5" effort="7"/>
    <mimic joint="wrist" multiplier="0.5" offset="0.125"/></joint>
  <joint name="weld" type="fixed"><parent link="pedestal"/><child link="flange"/>
    <origin xyz="0.5 0.1 0.3" rpy="0.01 0.02 0.03"/></joint>
</robot>"""

SRDF = """<robot name="arm">
  <group name="all"><chain base_link="pedestal" tip_link="tool"/></group>
  <group_state name="home" group="all"><joint name="wrist" value="0.5"/></group_state>
  <disable_default_collisions link="follower"/>
  <enable_collisions link1="follower" link2="pedestal"/>
  <disable_collisions link1="upper" link2="slider" reason="Never"/>
  <disable_collisions link1="fore" link2="tool" reason="User"/>
</robot>"""

TOOL_MODEL = """{"world": "arm", "bodies": [
  {"link": "pedestal", "radius": 0.3, "points": [[0.01, 0.02, 0.03], [0.02, 0.03, 0.04]]},
  {"link": "upper", "radius": 0.3, "points": [[0, 0, 0.2]]},
  {"link": "upper", "radius": 0.4, "points": [[0, 0.1, 0.2], [0, 0.1, 0.1], [0.1, 0.1, 0.1]]},
  {"link": "fore", "radius": 0.3, "points": [[0, 0, 0.1]]},
  {"link": "slider", "radius": 0.3, "points": [[0, 0, 0.05]]},
  {"link": "tool", "radius": 5, "points": [[0, 0, 0.1]]},
  {"link": "follower", "radius": 0.3, "points": [[0.1, 0, 0]]},
  {"link": "flange", "radius": 0.3, "points": [[0.1, 0, 0]]}]}"""

# Quaternions are of length one to 1e-6, and a little off.
SCENE = """{"$schema": "scene.schema.json", "name": "cell", "robots": [
    {"name": "left", "urdf": "arm.urdf", "srdf": "arm.srdf", "packages": {"none": "."},
     "base": {"xyz": [0.1, 1, 0.2], "rpy": [0.1, 0.2, 0.3]}},
    {"name": "right", "urdf": "arm.urdf", "model": "arm.model.json",
     "base": {"xyz": [0.1, -1, 0.2], "quaternion": [0.1, 0.1, 0.7, 0.7]}}],
  "objects": [
    {"name": "floor", "shape": "plane", "normal": [0.1, 0, 1], "offset": -2.5, "pose": {"xyz": [1, 2, 3], "rpy": [0.1, 0.2, 0.3]}},
    {"name": "table", "shape": "box", "size": [1, 2, 0.1], "pose": {"xyz": [3, 0, -1], "rpy": [0.1, 0.2, 0.3]}},
    {"name": "ball", "shape": "sphere", "radius": 0.1, "pose": {"xyz": [3, 0, 1], "rpy": [0.1, 0.2, 0.3]}},
    {"name": "post", "shape": "cylinder", "radius": 0.1, "length": 2, "pose": {"xyz": [3, 1, 1], "rpy": [0.1, 0.2, 0.3]}},
    {"name": "rail", "shape": "capsule", "radius": 0.1, "length": 2, "pose": {"xyz": [3, 2, 1], "rpy": [0.1, 0.2, 0.3]}},
    {"name": "horn", "shape": "cone", "radius": 0.1, "length": 0.5, "pose": {"xyz": [3, -1, 1], "rpy": [0.1, 0.2, 0.3]}},
    {"name": "part", "shape": "mesh", "file": "part.obj", "scale": [0.5, 0.25, 0.75], "pose": {"xyz": [3, -2, 1], "rpy": [0.1, 0.2, 0.3]}},
    {"name": "scan", "shape": "points", "file": "scan.xyz", "radius": 0.02, "pose": {"xyz": [-3, -2, 1], "rpy": [0.1, 0.2, 0.3]}},
    {"name": "dots", "shape": "points", "points": [[0, 0, 0], [0.1, 0.2, 0.3]], "radius": 0.03, "pose": {"xyz": [-3, 2, 1], "rpy": [0.1, 0.2, 0.3]}},
    {"name": "hall", "shape": "octomap", "file": "hall.bt", "unknown": "free", "pose": {"xyz": [-9, 2, 1], "rpy": [0.1, 0.2, 0.3]}},
    {"name": "cup", "shape": "cylinder", "radius": 0.03, "length": 0.1, "pose": {"xyz": [0, 0, 0.3], "rpy": [0.1, 0.2, 0.3]}},
    {"name": "tray", "shape": "mesh", "file": "part.obj", "scale": 0.125}],
  "attached": [{"object": "cup", "link": "left/tool", "touch": ["left/slider", "part"]},
               {"object": "tray", "link": "right/tool", "pose": {"xyz": [0.1, 0, 0.4], "rpy": [0.1, 0.2, 0.3]}}],
  "allow": [["left/upper", "table"], ["right/upper", "post"]],
  "margin": 0.01,
  "margins": [{"pair": ["left/fore", "table"], "margin": 0.05}, {"pair": ["left/tool", "ball"], "margin": 0.07}],
  "contacts": [{"link": "right/fore", "object": "table", "max_speed": 0.02},
               {"link": "left/tool", "object": "ball", "max_speed": 0.03}]}"""

BRAKE = """{"latency": 0.012,
  "default": {"max_acceleration": 8.0, "brake_deceleration": 5.0, "brake_deceleration_most": 50.0,
    "position_uncertainty": 0.0005, "velocity_uncertainty": 0.01, "acceleration_uncertainty": 0.25,
    "max_velocity": 2.0, "stops": true},
  "joints": {"shoulder": {"max_acceleration": 7.0, "brake_deceleration": 3.0,
    "brake_deceleration_most": 30.0, "position_uncertainty": 0.00025,
    "velocity_uncertainty": 0.02, "acceleration_uncertainty": 0.125, "max_velocity": 3.0,
    "stops": false},
    "elbow": {"max_velocity": 5.0}}}"""

# The surface of a box with a notch, and a vertex inside its hull: not the hull alone counts.
VERTICES = [(0.0, 0.0, 0.0), (1.5, 0.0, 0.0), (0.0, 1.25, 0.0), (0.0, 0.0, 2.5), (0.3, 0.3, 0.3)]
TRIANGLES = [(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 4), (2, 3, 4), (3, 1, 4)]


def normal(triangle: tuple[int, int, int]) -> tuple[float, float, float]:
    a, b, c = (VERTICES[i] for i in triangle)
    u = [b[k] - a[k] for k in range(3)]
    v = [c[k] - a[k] for k in range(3)]
    n = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
    length = math.sqrt(sum(x * x for x in n))
    return n[0] / length, n[1] / length, n[2] / length


def words(numbers: object) -> str:
    return " ".join(str(x) for x in numbers)  # type: ignore[attr-defined]


def stl_ascii() -> bytes:
    text = "solid thing\n"
    for triangle in TRIANGLES:
        text += f"facet normal {words(normal(triangle))}\nouter loop\n"
        text += "".join(f"vertex {words(VERTICES[i])}\n" for i in triangle)
        text += "endloop\nendfacet\n"
    return (text + "endsolid thing\n").encode()


def stl_binary() -> bytes:
    data = b"binary".ljust(80) + struct.pack("<I", len(TRIANGLES))
    for triangle in TRIANGLES:
        corners = [x for i in triangle for x in VERTICES[i]]
        data += struct.pack("<12fH", *normal(triangle), *corners, 0)
    return data


def obj() -> bytes:
    text = "# a thing\no thing\n" + "".join(f"v {words(v)}\n" for v in VERTICES)
    text += "vn 0 0 1\nvt 0.5 0.5\n"
    text += "".join(f"f {words(i + 1 for i in t)}\n" for t in TRIANGLES)
    return text.encode()


def ply_head(kind: str) -> bytes:
    return (f"ply\nformat {kind} 1.0\ncomment made by hand\nelement vertex {len(VERTICES)}\n"
            "property float x\nproperty float y\nproperty float z\n"
            f"element face {len(TRIANGLES)}\nproperty list uchar int vertex_indices\n"
            "end_header\n").encode()


def ply_ascii() -> bytes:
    text = "".join(f"{words(v)}\n" for v in VERTICES)
    return ply_head("ascii") + (text + "".join(f"3 {words(t)}\n" for t in TRIANGLES)).encode()


def ply_binary(order: str) -> bytes:
    kind = "binary_little_endian" if order == "<" else "binary_big_endian"
    data = ply_head(kind) + b"".join(struct.pack(order + "3f", *v) for v in VERTICES)
    return data + b"".join(struct.pack(order + "B3i", 3, *t) for t in TRIANGLES)


def dae() -> bytes:
    return f"""<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="half" meter="0.5"/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="points"><float_array id="point-numbers" count="15">{words(x for v in VERTICES for x in v)}</float_array>
<technique_common><accessor source="#point-numbers" count="5" stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="corners"><input semantic="POSITION" source="#points"/></vertices>
<triangles count="6"><input semantic="VERTEX" source="#corners" offset="0"/><p>{words(i for t in TRIANGLES for i in t)}</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="n"><translate>0.5 0.25 0.125</translate>
<scale>1.5 2.5 0.5</scale><instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>""".encode()


def gltf_buffer() -> bytes:
    data = b"".join(struct.pack("<3f", *v) for v in VERTICES)
    return data + b"".join(struct.pack("<3H", *t) for t in TRIANGLES)


def gltf() -> bytes:
    low = [min(v[k] for v in VERTICES) for k in range(3)]
    high = [max(v[k] for v in VERTICES) for k in range(3)]
    return f"""{{"asset": {{"version": "2.0", "generator": "by hand"}}, "scene": 0,
  "scenes": [{{"nodes": [0]}}],
  "nodes": [{{"mesh": 0, "translation": [0.5, 0.25, 0.125], "scale": [1.5, 2.5, 0.5]}}],
  "meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0}}, "indices": 1}}]}}],
  "buffers": [{{"byteLength": 96, "uri": "thing.bin"}}],
  "bufferViews": [{{"buffer": 0, "byteOffset": 0, "byteLength": 60}},
                  {{"buffer": 0, "byteOffset": 60, "byteLength": 36}}],
  "accessors": [{{"bufferView": 0, "componentType": 5126, "count": 5, "type": "VEC3",
                  "min": {low}, "max": {high}}},
                {{"bufferView": 1, "componentType": 5123, "count": 18, "type": "SCALAR"}}]}}""".encode()


def write_cell(folder: pathlib.Path, map_file: pathlib.Path) -> None:
    """All files of the cell; the map is one of the corpus."""
    for name, text in {"arm.urdf": URDF, "arm.srdf": SRDF, "arm.model.json": TOOL_MODEL,
                       "cell.json": SCENE, "brake.json": BRAKE,
                       "scan.xyz": "0 0 0\n0.1 0.2 0.3\n1.5 2.5 3.5\n"}.items():
        (folder / name).write_text(text)
    (folder / "tool.stl").write_bytes(stl_ascii())
    (folder / "part.obj").write_bytes(obj())
    (folder / "hall.bt").write_bytes(map_file.read_bytes())
