// SPDX-License-Identifier: BSD-3-Clause
//
// The head of an HTTP request, judged before anything else sees it. Whatever can reach the port may
// send anything: a page of another site in the user's browser, a broken client, a hostile one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace keepclear::command {

/// Bytes of a head, the empty line at its end among them.
inline constexpr std::size_t kMaxHead = std::size_t{16} << 10;

struct RequestHead {
  std::string method;  ///< GET, HEAD or POST
  std::string target;  ///< as it was sent
  std::string path;    ///< of it, what stands before a '?'
  std::string host;
  std::size_t length = 0;  ///< of the body
  bool close = false;      ///< no other request is to follow
  bool waits = false;      ///< it waits for a go-ahead before it sends the body
};

struct Refusal {
  int status = 400;
  std::string why;  ///< one line
};

/// `head` ends with its empty line. Nothing: it may be answered. What is refused: anything but
/// plain HTTP/1.0 or 1.1 with one Host, that being a name of this machine; a page of another
/// origin; bodies that are encoded or do not say how long they are.
std::optional<Refusal> judge(std::string_view head, RequestHead& out);

/// 127.0.0.1, localhost or [::1], with or without a port.
bool is_own_host(std::string_view host);

/// What a head is handed on as: nothing but what was judged.
std::string plain_head(const RequestHead& head);

/// "404 Not Found"
std::string status_line(int status);
/// Headers that stand in every answer, a line each.
std::string_view common_headers() noexcept;
/// A whole answer {"error": why} that ends the connection.
std::string refusal_answer(const Refusal& refusal);

}  // namespace keepclear::command
