// SPDX-License-Identifier: BSD-3-Clause
//
// Elements of a URDF that are not used: which are known to change nothing for collision, and are
// noted. Everything else is refused.
#pragma once

#include "robot/xml.hpp"

namespace keepclear {

/// An element beside links and joints that is neither: noted if it is known to add no link, joint
/// or shape and to move none, otherwise refused. A lenient reader notes what it does not know, too,
/// as long as nothing in it is named like a part of a robot.
void pass_over_beside(xml::Reader& reader, const xml::Element& e);

/// A child of a link, joint or shape that is not read here: of `known` silently, of `extensions`
/// with a note; otherwise refused, or noted by a lenient reader likewise. A collision element, link
/// or joint hidden in it is refused always.
void pass_over_child(xml::Reader& reader, const xml::Element& e, const xml::Names& known,
                     const xml::Names& extensions);

}  // namespace keepclear
