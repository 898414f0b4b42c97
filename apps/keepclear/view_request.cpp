// SPDX-License-Identifier: BSD-3-Clause
#include "view_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "output.hpp"
#include "shape/text.hpp"

namespace keepclear::command {

namespace {

constexpr std::size_t kMaxHeaders = 100, kMaxTarget = 2048, kMaxLengthDigits = 12;

bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
  });
}

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string_view bare(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// The headers that matter here. What a request says twice it may mean two ways.
struct Headers {
  std::optional<std::string_view> host, origin, site, length;
  std::string_view connection, expect;
  bool encoded = false, chunked = false;
};

std::optional<Refusal> read_headers(std::string_view rest, Headers& headers) {
  const auto once = [](std::optional<std::string_view>& place, std::string_view value) {
    if (place) return false;
    place = value;
    return true;
  };
  for (std::size_t count = 0; !rest.empty(); ++count) {
    if (count == kMaxHeaders) return Refusal{431, "too many headers"};
    const std::size_t end = rest.find("\r\n");
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end + 2);
    if (line.empty()) break;
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) {
      return Refusal{400, "a header is no header"};
    }
    const std::string_view name = line.substr(0, colon), value = bare(line.substr(colon + 1));
    const auto is = [&](std::string_view known) { return text::equal_ignoring_case(name, known); };
    bool good = true;
    if (is("Host")) good = once(headers.host, value);
    if (is("Origin")) good = once(headers.origin, value);
    if (is("Sec-Fetch-Site")) good = once(headers.site, value);
    if (is("Content-Length")) good = once(headers.length, value);
    if (!good) return Refusal{400, fmt::format("two headers {}", name)};
    if (is("Connection")) headers.connection = value;
    if (is("Expect")) headers.expect = value;
    if (is("Transfer-Encoding")) headers.chunked = true;
    if (is("Content-Encoding")) headers.encoded = true;
  }
  return {};
}

std::optional<Refusal> judge_sender(const Headers& headers) {
  if (!headers.host) return Refusal{400, "no Host"};
  // A name that leads here by the word of a foreign name server is none of ours.
  if (!is_own_host(*headers.host)) return Refusal{403, "this host name is not served"};
  if (headers.origin && *headers.origin != fmt::format("http://{}", *headers.host)) {
    return Refusal{403, "pages of another origin are not served"};
  }
  if (headers.site && text::equal_ignoring_case(*headers.site, "cross-site")) {
    return Refusal{403, "pages of another site are not served"};
  }
  return {};
}

}  // namespace

bool is_own_host(std::string_view host) {
  const std::size_t bracket = host.find(']');
  const std::size_t colon = host.find(':', bracket == std::string_view::npos ? 0 : bracket);
  const std::string_view name = host.substr(0, colon);
  if (colon != std::string_view::npos) {
    const std::string_view port = host.substr(colon + 1);
    if (!is_digits(port) || port.size() > 5) return false;
  }
  return name == "127.0.0.1" || name == "[::1]" || text::equal_ignoring_case(name, "localhost");
}

std::optional<Refusal> judge(std::string_view head, RequestHead& out) {
  for (std::size_t i = 0; i < head.size(); ++i) {
    const auto c = static_cast<unsigned char>(head[i]);
    const bool ends = c == '\r' ? i + 1 < head.size() && head[i + 1] == '\n'
                                : c == '\n' && i > 0 && head[i - 1] == '\r';
    if ((c < 0x20 && c != '\t' && !ends) || c == 0x7f) return Refusal{400, "this is no HTTP"};
  }
  if (!head.ends_with("\r\n\r\n")) return Refusal{400, "this is no HTTP"};
  const std::size_t first_end = head.find("\r\n");
  const std::string_view first = head.substr(0, first_end);
  const std::size_t space = first.find(' '), second = first.rfind(' ');
  if (space == std::string_view::npos || space == second) return Refusal{400, "this is no HTTP"};
  const std::string_view method = first.substr(0, space), version = first.substr(second + 1);
  const std::string_view target = first.substr(space + 1, second - space - 1);
  if (!is_token(method) || (version != "HTTP/1.1" && version != "HTTP/1.0")) {
    return Refusal{400, "this is no HTTP/1.1"};
  }
  if (target.size() > kMaxTarget) return Refusal{414, "the address is too long"};
  if (!target.starts_with('/') || std::ranges::any_of(target, [](char c) {
        return static_cast<unsigned char>(c) <= 0x20 || static_cast<unsigned char>(c) > 0x7e;
      })) {
    return Refusal{400, "the address is none"};
  }
  if (std::ranges::count(target, '?') > 1) return Refusal{400, "the address is none"};
  Headers headers;
  if (auto refusal = read_headers(head.substr(first_end + 2), headers)) return refusal;
  if (auto refusal = judge_sender(headers)) return refusal;
  if (method != "GET" && method != "HEAD" && method != "POST") {
    return Refusal{405, "there is GET and POST"};
  }
  if (headers.chunked) return Refusal{411, "a body has to say how long it is"};
  if (headers.encoded) return Refusal{415, "bodies are not decoded"};
  out.length = 0;
  if (headers.length) {
    if (!is_digits(*headers.length) || headers.length->size() > kMaxLengthDigits) {
      return Refusal{400, "Content-Length is no length"};
    }
    std::from_chars(headers.length->data(), headers.length->data() + headers.length->size(),
                    out.length);
  } else if (method == "POST") {
    return Refusal{411, "a body has to say how long it is"};
  }
  if (method != "POST" && out.length > 0) return Refusal{400, "only POST has a body"};
  out.method = method;
  out.target = target;
  out.path = target.substr(0, target.find('?'));
  out.host = *headers.host;
  out.close = version == "HTTP/1.0" || text::equal_ignoring_case(headers.connection, "close");
  out.waits = text::equal_ignoring_case(headers.expect, "100-continue");
  if (!headers.expect.empty() && !out.waits) return Refusal{417, "what is expected is not known"};
  return {};
}

std::string plain_head(const RequestHead& head) {
  return fmt::format(
      "{} {} HTTP/1.1\r\nHost: {}\r\n{}{}\r\n", head.method, head.target, head.host,
      head.method == "POST" ? fmt::format("Content-Length: {}\r\n", head.length) : std::string(),
      head.close ? "Connection: close\r\n" : "");
}

std::string status_line(int status) {
  const auto name = [&] {
    switch (status) {
      case 200:
        return "OK";
      case 403:
        return "Forbidden";
      case 404:
        return "Not Found";
      case 405:
        return "Method Not Allowed";
      case 408:
        return "Request Timeout";
      case 411:
        return "Length Required";
      case 413:
        return "Payload Too Large";
      case 414:
        return "URI Too Long";
      case 415:
        return "Unsupported Media Type";
      case 417:
        return "Expectation Failed";
      case 431:
        return "Request Header Fields Too Large";
      case 503:
        return "Service Unavailable";
      default:
        return status < 500 ? "Bad Request" : "Internal Server Error";
    }
  };
  return fmt::format("{} {}", status, name());
}

std::string_view common_headers() noexcept {
  return "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self' "
         "'unsafe-inline'; img-src 'self' data: blob:; connect-src 'self'; frame-ancestors 'none'; "
         "base-uri 'none'; form-action 'none'\r\n"
         "X-Content-Type-Options: nosniff\r\n"
         "Referrer-Policy: no-referrer\r\n"
         "Cache-Control: no-store\r\n"
         "Cross-Origin-Resource-Policy: same-origin\r\n"
         "Cross-Origin-Opener-Policy: same-origin\r\n";
}

std::string refusal_answer(const Refusal& refusal) {
  const std::string body = fmt::format("{{\"error\":{}}}\n", json_string(refusal.why));
  return fmt::format(
      "HTTP/1.1 {}\r\n{}Content-Type: application/json\r\nContent-Length: {}\r\nConnection: "
      "close\r\n\r\n{}",
      status_line(refusal.status), common_headers(), body.size(), body);
}

}  // namespace keepclear::command
