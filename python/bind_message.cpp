// SPDX-License-Identifier: BSD-3-Clause
#include <array>

#include "docstrings.hpp"
#include "guard_object.hpp"

namespace keepclear::python {
namespace {

std::uint64_t tag_of(const py::object& world) {
  if (py::isinstance<LoadedWorld>(world)) {
    return world_tag(world.cast<const LoadedWorld&>().hash());
  }
  if (!py::isinstance<py::str>(world)) throw py::type_error("a World, or the hash of one");
  const auto hash = world.cast<std::string>();
  if (hash.size() < 16 || hash.find_first_not_of("0123456789abcdef") != std::string::npos) {
    usage("'" + hash + "' is no hash of a world");
  }
  return world_tag(hash);
}

py::bytes encode_state(const py::object& world, std::uint64_t source, std::uint64_t sequence,
                       double time, py::handle q, py::handle v, const py::object& command,
                       double age, const py::object& ages) {
  const StateNumbers numbers(time, q, v, command, age, ages);
  const GuardState state = numbers.state();
  const StateMessage message{.source = source,
                             .sequence = sequence,
                             .world = tag_of(world),
                             .time = time,
                             .age = age,
                             .q = state.q,
                             .v = state.v,
                             .command = state.command,
                             .ages = state.ages};
  std::vector<std::byte> out(
      state_bytes(state.q.size(), !state.command.empty(), !state.ages.empty()));
  const std::size_t size = encode(message, out);
  if (size == 0) usage("q, v, command and ages differ in size, or are too many for one message");
  return {reinterpret_cast<const char*>(out.data()), size};
}

VerdictMessage decode_verdict(const py::bytes& bytes) {
  const auto text = static_cast<std::string_view>(bytes);
  VerdictMessage message;
  const MessageFault fault = decode(std::as_bytes(std::span(text.data(), text.size())), message);
  if (fault != MessageFault::none) {
    throw Error(Error::Kind::malformed, "", 0,
                "no verdict of a guard: " + std::string(name_of(fault)), "to be taken as a brake");
  }
  return message;
}

std::string_view why(const VerdictMessage& message) {
  constexpr auto kFirst = static_cast<std::uint16_t>(LinkReason::no_state);
  return message.reason < kFirst ? name_of(static_cast<Reason>(message.reason))
                                 : name_of(static_cast<LinkReason>(message.reason));
}

}  // namespace

void bind_message(py::module_& m) {
  py::class_<VerdictMessage>(
      m, "VerdictMessage", "What `keepclear guard --udp` answers to a state. bool() of it is `go`.")
      .def_readonly("source", &VerdictMessage::source)
      .def_readonly("sequence", &VerdictMessage::sequence)
      .def_readonly("world", &VerdictMessage::world)
      .def_readonly("time", &VerdictMessage::time, DOC(VerdictMessage, time))
      .def_readonly("scale", &VerdictMessage::scale)
      .def_readonly("bound", &VerdictMessage::bound)
      .def_readonly("cycle", &VerdictMessage::cycle, DOC(VerdictMessage, cycle))
      .def_readonly("action", &VerdictMessage::action)
      .def_readonly("reason", &VerdictMessage::reason, DOC(VerdictMessage, reason))
      .def_readonly("a", &VerdictMessage::a)
      .def_readonly("b", &VerdictMessage::b)
      .def_property_readonly("why", &why, "The reason as the command line prints it.")
      .def_property_readonly("go",
                             [](const VerdictMessage& self) { return self.action == Action::go; })
      .def("__bool__", [](const VerdictMessage& self) { return self.action == Action::go; })
      .def("__repr__", [](const VerdictMessage& self) {
        return std::string("VerdictMessage(") + (self.action == Action::go ? "go" : "brake") +
               ", " + std::string(why(self)) + ", sequence=" + std::to_string(self.sequence) + ")";
      });
  m.def("encode_state", &encode_state, "world"_a, "source"_a, "sequence"_a, "time"_a, "q"_a, "v"_a,
        "command"_a = py::none(), "age"_a = 0.0, "ages"_a = py::none(),
        "A state as a message for `keepclear guard --udp`: one datagram. docs/guard.md has the "
        "bytes.\n\nworld: the World that is guarded, or its hash\nsource: a number that the sender "
        "chose anew when it started\nsequence: at least 1, and one more with each message");
  m.def("decode_verdict", &decode_verdict, "message"_a,
        "The answer of `keepclear guard --udp`. Throws Error (malformed) for anything else: bytes "
        "that are damaged are no answer, and a brake.");
}

}  // namespace keepclear::python
