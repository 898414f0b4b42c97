// SPDX-License-Identifier: BSD-3-Clause
//
// keepclear view over its port, as a page, a script or an attacker meets it: answers are those of
// the other commands, whoever should not ask is refused, and nobody keeps others from being
// answered.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <thread>

#include "guard_run.hpp"
#include "keepclear/version.hpp"

namespace keepclear::test {
namespace {

using Clock = std::chrono::steady_clock;

/// Half a minute: nothing here takes as long, however busy the machine is.
constexpr int kPatience = 30'000;

class Client {
 public:
  explicit Client(int port) {
    socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }
  ~Client() { ::close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// Gives up when the other side does not read for a second, or has gone.
  bool send(std::string_view text) const {
    while (!text.empty()) {
      pollfd waiting = {socket_, POLLOUT, 0};
      if (::poll(&waiting, 1, 1000) <= 0) return false;
      const ssize_t sent = ::send(socket_, text.data(), std::min<std::size_t>(text.size(), 65536),
                                  MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent < 0 && errno != EAGAIN) return false;
      if (sent > 0) text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  /// More of what comes; false at the end, and when nothing comes for that long.
  bool more(std::string& text, int milliseconds = kPatience) const {
    pollfd waiting = {socket_, POLLIN, 0};
    if (::poll(&waiting, 1, milliseconds) <= 0) return false;
    char bytes[65536];
    const ssize_t got = ::recv(socket_, bytes, sizeof bytes, 0);
    if (got > 0) text.append(bytes, static_cast<std::size_t>(got));
    return got > 0;
  }
  std::string all() const {
    std::string text;
    while (more(text)) {
    }
    return text;
  }
  /// Until that stands in it.
  std::string until(std::string_view what) const {
    std::string text;
    const auto end = Clock::now() + std::chrono::milliseconds(kPatience);
    while (text.find(what) == std::string::npos && Clock::now() < end && more(text)) {
    }
    return text;
  }
  /// No reply comes, and the connection is there.
  bool hangs() const {
    pollfd waiting = {socket_, POLLIN, 0};
    return ::poll(&waiting, 1, 0) == 0;
  }

 private:
  int socket_ = -1;
};

struct Answer {
  int status = 0;  ///< 0: the connection was closed without one
  std::string head, body;

  json value() const { return json::parse(body, nullptr, false); }
  bool is_refusal() const { return status == 0 || (status >= 400 && status < 500); }
};

Answer answer_of(const std::string& text) {
  Answer answer;
  const std::size_t end = text.find("\r\n\r\n");
  if (!text.starts_with("HTTP/1.1 ") || end == std::string::npos) return answer;
  answer.status = std::stoi(text.substr(9, 3));
  answer.head = text.substr(0, end + 2);
  answer.body = text.substr(end + 4);
  return answer;
}

class View : public GuardCommand {
 protected:
  void start(std::vector<std::string> words) {
    words.insert(words.begin(), "view");
    words.insert(words.end(), {"--port", "0", "--quiet"});
    view_ = std::make_unique<Live>(words);
    const std::string line = view_->line();
    constexpr std::string_view kBefore = "http://127.0.0.1:";
    ASSERT_TRUE(line.starts_with(kBefore) && line.ends_with("/")) << line << view_->error_line();
    port_ = std::stoi(line.substr(kBefore.size()));
  }
  Answer raw(const std::string& text) const {
    const Client client(port_);
    client.send(text);
    return answer_of(client.all());
  }
  std::string host() const { return "127.0.0.1:" + std::to_string(port_); }
  Answer get(const std::string& path, const std::string& headers = "") const {
    return raw("GET " + path + " HTTP/1.1\r\nHost: " + host() + "\r\nConnection: close\r\n" +
               headers + "\r\n");
  }
  std::string request(const std::string& path, const std::string& body,
                      const std::string& headers = "Connection: close\r\n") const {
    return "POST " + path + " HTTP/1.1\r\nHost: " + host() + "\r\n" + headers +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }
  Answer post(const std::string& path, const std::string& body) const {
    return raw(request(path, body));
  }
  /// An honest question is answered.
  void expect_alive() const {
    const Answer answer = post("/api/pose", R"({"q": [3]})");
    EXPECT_EQ(answer.status, 200) << answer.body;
    if (answer.status != 200) return;
    EXPECT_NEAR(answer.value()["distance"].get<double>(), 2, 1e-9);
  }
  /// All that is left of the program: it ends with 0, at once.
  void stop() {
    const auto began = Clock::now();
    view_->signal(SIGTERM);
    EXPECT_EQ(view_->wait(), 0);
    EXPECT_LT(Clock::now() - began, std::chrono::seconds(20));
    view_.reset();
  }

  std::unique_ptr<Live> view_;
  int port_ = 0;
};

TEST_F(View, ServesThePageAndTheDocumentOfTheWorld) {
  start({rail_});
  const Answer page = get("/");
  EXPECT_EQ(page.status, 200);
  EXPECT_NE(page.head.find("text/html"), std::string::npos);
  EXPECT_NE(page.body.find("<html"), std::string::npos);
  EXPECT_EQ(get("/page.css").status, 200);
  EXPECT_EQ(get("/page.js").status, 200);
  const json document = get("/api/document").value();
  EXPECT_EQ(document["format"], "keepclear-page");
  EXPECT_EQ(document["live"], true);
  const json info = json::parse(run({"info", rail_, "--json"}).out, nullptr, false);
  EXPECT_EQ(document["world"]["hash"], info["hash"]);
  for (const char* const header :
       {"Content-Security-Policy: default-src 'none'; script-src 'self'", "frame-ancestors 'none'",
        "X-Content-Type-Options: nosniff", "Referrer-Policy: no-referrer",
        "Cache-Control: no-store", "Cross-Origin-Resource-Policy: same-origin",
        "Cross-Origin-Opener-Policy: same-origin"}) {
    EXPECT_NE(page.head.find(header), std::string::npos) << header;
    EXPECT_NE(get("/nothing").head.find(header), std::string::npos) << header;
  }
  stop();
}

TEST_F(View, APoseHasTheDigitsOfDistance) {
  start({"six_axis_arm"});
  const auto row = json_lines(
      run({"distance", "six_axis_arm", "--q", "0.1,0.5,0.7,-1,0.25,2", "--json"}).out)[0];
  const json pose = post("/api/pose", R"({"q": [0.1, 0.5, 0.7, -1, 0.25, 2]})").value();
  EXPECT_EQ(pose["distance"].dump(), row["distance"].dump());
  EXPECT_EQ(pose["lower_bound"].dump(), row["lower_bound"].dump());
  EXPECT_EQ(pose["verdict"], row["verdict"]);
  const json solids = get("/api/document").value()["world"]["solids"];
  EXPECT_EQ(solids[pose["nearest"]["a"].get<std::size_t>()]["name"], row["pair"][0]);
  EXPECT_EQ(solids[pose["nearest"]["b"].get<std::size_t>()]["name"], row["pair"][1]);
  const json swept = post("/api/sweep",
                          R"({"q": [0.1, 0.5, 0.7, -1, 0.25, 2],
                              "half_width": [0.01, 0, 0, 0, 0, 0]})")
                         .value();
  EXPECT_FALSE(swept["volumes"].empty());
  EXPECT_LE(swept["clearance"], pose["distance"]);
  stop();
}

TEST_F(View, AMotionIsAnsweredAsCertifyAnswersIt) {
  start({rail_, "--tolerance", "0.0005"});
  for (const char* const text : {"time,slide\n0,3\n3,0\n", "time,slide\n0,3\n1,1.5\n2,3\n"}) {
    const std::string file = folder_.write("motion.csv", text);
    const Result certified =
        run({"certify", rail_, "--path", file, "--json", "--quiet", "--tolerance", "0.0005"});
    const json expected = json_lines(certified.out)[0];
    const Answer answer = post("/api/motion?name=folder%2Fmotion.csv", text);
    ASSERT_EQ(answer.status, 200) << answer.body;
    const json motion = answer.value();
    EXPECT_EQ(motion["name"], "motion.csv");
    for (const char* const member :
         {"verdict", "first_contact", "clearance", "distance", "time", "tests", "parts"}) {
      EXPECT_EQ(motion[member].dump(), expected[member].dump()) << member;
    }
    EXPECT_EQ(motion["tolerance"], 0.0005);
  }
  const Answer wrong = post("/api/motion?name=x.csv", "time,elbow\n0,1\n");
  EXPECT_EQ(wrong.status, 400);
  EXPECT_TRUE(wrong.value()["error"].is_string());
  stop();
}

/// The numbers of a packed list.
std::vector<float> floats(const std::string& packed) {
  const auto value = [](char c) -> unsigned {
    constexpr std::string_view kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    return static_cast<unsigned>(kDigits.find(c));
  };
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char c : packed.substr(0, packed.find('='))) {
    bits = bits << 6 | value(c);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xff);
  }
  std::vector<float> numbers(bytes.size() / sizeof(float));
  std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(float));
  return numbers;
}

TEST_F(View, AnObjectMovesFromWhereItStandsToWhereTheMotionHasIt) {
  const std::string scene = folder_.write("scene.json", kTray);
  start({rail_, "--scene", scene, "--rest", "slide=4"});
  for (const char* const z : {"2.7", "4"}) {
    const std::string text = tray_motion(z);
    const std::string file = folder_.write("motion.json", text);
    const Result certified = run({"certify", rail_, "--scene", scene, "--path", file, "--json",
                                  "--quiet", "--rest", "slide=4", "--threads", "1"});
    const json expected = json_lines(certified.out)[0];
    const Answer answer = post("/api/motion?name=motion.json", text);
    ASSERT_EQ(answer.status, 200) << answer.body;
    const json motion = answer.value();
    for (const char* const member :
         {"verdict", "first_contact", "clearance", "distance", "time", "tests"}) {
      EXPECT_EQ(motion[member].dump(), expected[member].dump()) << member;
    }
    // Turned back by one radian about z, and from (5, 1, 2) to (0, 0, 2): by rows, at the begin.
    const std::vector<float> X = floats(motion["samples"]["object"]);
    ASSERT_EQ(X.size(), 12 * motion["samples"]["time"].size());
    const double c = std::cos(1), s = std::sin(1);
    const double first[] = {c, s, 0, -5 * c - s, -s, c, 0, 5 * s - c, 0, 0, 1, 0};
    for (std::size_t i = 0; i < 12; ++i) EXPECT_NEAR(X[i], first[i], 1e-6) << i;
    EXPECT_NEAR(X.back(), std::stod(z) - 2, 1e-6);
  }
  const Answer wrong = post("/api/motion?name=x.json", tray_motion("3", "cup"));
  EXPECT_EQ(wrong.status, 400);
  EXPECT_NE(wrong.body.find("no object 'cup'"), std::string::npos) << wrong.body;
  stop();
}

TEST_F(View, RefusesWhoeverIsNotFromHere) {
  start({rail_});
  const auto with_host = [&](const std::string& host) {
    return raw("GET / HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n").status;
  };
  EXPECT_EQ(with_host("localhost"), 200);
  EXPECT_EQ(with_host("LocalHost:9"), 200);
  EXPECT_EQ(with_host("[::1]:4000"), 200);
  for (const char* const host :
       {"example.com", "127.0.0.1.example.com", "localhost.", "127.0.0.1:x",
        "127.0.0.1:", "x@127.0.0.1", "0.0.0.0", "[::1", "127.1"}) {
    EXPECT_EQ(with_host(host), 403) << host;
  }
  EXPECT_EQ(raw("GET / HTTP/1.1\r\n\r\n").status, 400);
  EXPECT_EQ(raw("GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n").status, 400);
  EXPECT_EQ(get("/", "Origin: http://" + host() + "\r\n").status, 200);
  for (const char* const origin : {"http://example.com", "null", "http://127.0.0.1",
                                   "http://localhost:1", "https://127.0.0.1"}) {
    EXPECT_EQ(get("/api/document", "Origin: " + std::string(origin) + "\r\n").status, 403);
  }
  EXPECT_EQ(get("/api/document", "Sec-Fetch-Site: cross-site\r\n").status, 403);
  EXPECT_EQ(get("/", "Sec-Fetch-Site: none\r\n").status, 200);
  EXPECT_EQ(raw("OPTIONS /api/pose HTTP/1.1\r\nHost: localhost\r\n"
                "Access-Control-Request-Method: POST\r\n\r\n")
                .head.find("Access-Control-Allow"),
            std::string::npos);
  stop();
}

TEST_F(View, IsReachedFromThisMachineAlone) {
  start({rail_});
  char name[16] = {};
  std::snprintf(name, sizeof name, ":%04X", static_cast<unsigned>(port_));
  std::istringstream table(slurp("/proc/net/tcp") + slurp("/proc/net/tcp6"));
  std::vector<std::string> listening;
  for (std::string line; std::getline(table, line);) {
    std::istringstream words(line);
    std::string number, local, remote, state;
    words >> number >> local >> remote >> state;
    if (state == "0A" && local.ends_with(name)) listening.push_back(local);
  }
  EXPECT_EQ(listening, std::vector<std::string>{"0100007F" + std::string(name)});
  const Result taken = run({"view", rail_, "--port", std::to_string(port_), "--quiet"});
  expect_error(taken, 74, "cannot listen on 127.0.0.1:" + std::to_string(port_));
  stop();
}

TEST_F(View, RefusesWhatIsNoQuestion) {
  start({rail_});
  const std::vector<std::string> bodies = {"{",
                                           R"({"q": [NaN]})",
                                           R"({"q": [1e999]})",
                                           R"({"q": [1e300]})",
                                           R"({"q": [3, 3]})",
                                           R"({"q": 3})",
                                           R"({"q": ["3"]})",
                                           R"({"q": [null]})",
                                           R"({})",
                                           R"({"q": [3], "w": 1})",
                                           "[3]",
                                           "",
                                           std::string(1, '\0'),
                                           R"({"q": )" + std::string(60'000, '['),
                                           R"({"q": [3]} x)"};
  for (const std::string& body : bodies) {
    const Answer answer = post("/api/pose", body);
    EXPECT_EQ(answer.status, 400) << body.substr(0, 40);
    EXPECT_TRUE(answer.value()["error"].is_string()) << answer.body;
  }
  EXPECT_EQ(post("/api/sweep", R"({"q": [3], "half_width": [-1]})").status, 400);
  EXPECT_EQ(post("/api/sweep", R"({"q": [3]})").status, 400);
  EXPECT_EQ(post("/api/braking", "{}").status, 409);
  for (const char* const path :
       {"/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/page.js/../../x", "//page.js", "/api",
        "/api/pose/", "/Page.js", "/page.inc", "/etc/passwd", "/.", "/?/../x/.."}) {
    const Answer answer = get(path);
    EXPECT_TRUE(answer.status == 404 || std::string(path).starts_with("/?")) << path;
    EXPECT_EQ(answer.body.find("root:"), std::string::npos);
  }
  for (const char* const method :
       {"PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "PRI"}) {
    const Answer answer =
        raw(std::string(method) + " / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
    EXPECT_EQ(answer.status, 405) << method;
  }
  EXPECT_EQ(get("/api/pose").status, 405);
  EXPECT_EQ(post("/api/document", "").status, 405);
  expect_alive();
  stop();
}

TEST_F(View, SurvivesRequestsThatAreNone) {
  start({rail_});
  const std::string common = " HTTP/1.1\r\nHost: localhost\r\n";
  std::string garbage;
  for (int i = 0; i < 20'000; ++i) garbage += static_cast<char>(i * 7919 % 251);
  const std::vector<std::string> requests = {
      garbage,
      "\r\n\r\n",
      "GET\r\n\r\n",
      "GET / HTTP/2.0\r\nHost: localhost\r\n\r\n",
      "GET http://localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
      "GET /" + common + "X: " + std::string(1 << 20, 'x') + "\r\n\r\n",
      "GET /" + std::string(1 << 20, 'x') + common + "\r\n",
      "GET /" + common + "Range: bytes=" + std::string(7000, ',') + "\r\nContent-Length: 9\r\n\r\n",
      "GET /" + common + "No colon\r\n\r\n",
      "GET /" + common + " folded: x\r\n\r\n",
      "GET /" + common + "X: a\nY: b\r\n\r\n",
      "GET /" + common + std::string("X: \0\r\n\r\n", 8),
      "POST /api/pose" + common + "Transfer-Encoding: chunked\r\n\r\n9\r\n{\"q\":[3]}\r\n0\r\n\r\n",
      "POST /api/pose" + common + "Content-Length: 9\r\nContent-Encoding: gzip\r\n\r\n{\"q\":[3]}",
      "POST /api/pose" + common + "Content-Length: -1\r\n\r\n",
      "POST /api/pose" + common + "Content-Length: 9, 9\r\n\r\n{\"q\":[3]}",
      "POST /api/pose" + common + "Content-Length: 9\r\nContent-Length: 8\r\n\r\n{\"q\":[3]}",
      "POST /api/pose" + common + "Content-Length: 18446744073709551617\r\n\r\n{",
      "POST /api/pose" + common + "\r\n{\"q\":[3]}",
      "POST /api/pose" + common + "Expect: more\r\nContent-Length: 1\r\n\r\n"};
  for (const std::string& text : requests) {
    const Answer answer = raw(text);
    EXPECT_TRUE(answer.is_refusal()) << answer.status << " to " << text.substr(0, 120);
    expect_alive();
  }
  // Headers without end.
  std::string many = "GET /" + common;
  for (int i = 0; i < 500; ++i) many += "X" + std::to_string(i) + ": 1\r\n";
  EXPECT_EQ(raw(many + "\r\n").status, 431);
  // 100 MB: refused when it is announced, and not read.
  {
    const Client client(port_);
    client.send("POST /api/motion" + common + "Content-Length: 104857600\r\n\r\n");
    const std::string piece(1 << 20, '1');
    for (int i = 0; i < 100 && client.send(piece); ++i) {
    }
    EXPECT_TRUE(answer_of(client.all()).is_refusal());
  }
  EXPECT_EQ(post("/api/pose", std::string(70'000, ' ')).status, 413);
  expect_alive();
  stop();
}

TEST_F(View, AConnectionIsGoodForMoreThanOneQuestion) {
  start({rail_});
  const Client client(port_);
  const std::string one = request("/api/pose", R"({"q": [3]})", "");
  for (int i = 0; i < 3; ++i) {
    client.send(one);
    const std::string text = client.until("\"beyond\"");
    EXPECT_EQ(answer_of(text).status, 200) << text;
  }
  // Two at once, and one that waits to be told to go on.
  client.send(one + request("/api/pose", R"({"q": [4]})", ""));
  std::string both;
  while (both.find("\"q\":[4]") == std::string::npos && client.more(both)) {
  }
  EXPECT_NE(both.find("\"q\":[3]"), std::string::npos);
  const Client patient(port_);
  patient.send(
      "POST /api/pose HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
      "Connection: close\r\nContent-Length: 9\r\n\r\n");
  EXPECT_TRUE(patient.until("\r\n\r\n").starts_with("HTTP/1.1 100"));
  patient.send(R"({"q":[3]})");
  EXPECT_EQ(answer_of(patient.all()).status, 200);
  stop();
}

TEST_F(View, AHundredThatHangKeepNobodyFromBeingAnswered) {
  start({rail_});
  std::vector<std::unique_ptr<Client>> bad;
  const std::string head = "POST /api/pose HTTP/1.1\r\nHost: localhost\r\n";
  for (int i = 0; i < 100; ++i) {
    bad.push_back(std::make_unique<Client>(port_));
    if (i % 4 == 1) bad.back()->send("GET / HT");
    if (i % 4 == 2) bad.back()->send(head + "Content-Length: 60000\r\n\r\n{");
    if (i % 4 == 3) bad.back()->send("GET /api/document HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }
  expect_alive();
  // More than there are threads for: whoever has kept one waiting for longest goes.
  for (int i = 0; i < 200; ++i) bad.push_back(std::make_unique<Client>(port_));
  expect_alive();
  stop();
}

TEST_F(View, ManyCanListenAndTheEndComesAtOnce) {
  start({rail_});
  std::vector<std::unique_ptr<Client>> listeners;
  const std::string ask = "GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n";
  for (int i = 0; i < 32; ++i) {
    listeners.push_back(std::make_unique<Client>(port_));
    listeners.back()->send(ask);
    const std::string text = listeners.back()->until("event: hello");
    EXPECT_NE(text.find("text/event-stream"), std::string::npos);
  }
  EXPECT_EQ(get("/api/events").status, 503);
  EXPECT_NE(listeners[7]->until(": beat"), "");
  expect_alive();
  listeners.pop_back();
  // One has gone: soon there is room for another.
  bool room = false;
  for (int tries = 0; tries < 100 && !room; ++tries, ::usleep(100'000)) {
    const Client client(port_);
    client.send(ask);
    room = client.until("\r\n\r\n").starts_with("HTTP/1.1 200");
  }
  EXPECT_TRUE(room);
  stop();
}

/// States for a guard of the cart: it comes near, and too near.
std::string state_line(int i) {
  return std::to_string(i) + "," + std::to_string(4 - 0.02 * i) + ",-0.02\n";
}
/// So slow a cart counts as one that stands.
constexpr const char* kSlow =
    R"({"latency": 20, "default": {"max_acceleration": 0, "brake_deceleration": 10,
        "velocity_uncertainty": 0.03, "position_uncertainty": 0.001}})";

TEST_F(View, AGuardSaysTheSameWhoeverLooksAtIt) {
  constexpr int kCycles = 150;
  const std::string live = folder_.path() / "live";
  const auto said = [&](Live& guard, const auto& between) {
    std::string text;
    guard.say(kHeader);
    for (int i = 1; i <= kCycles; ++i) {
      guard.say(state_line(i));
      text += guard.line() + "\n";
      if (i % 10 == 0) between();
    }
    guard.close_input();
    for (const json& line : guard.rest()) text += line.dump() + "\n";
    guard.wait();
    return text;
  };
  const std::vector<std::string> guarded = {
      "--stdin",     "--json", "--deadline", "10", "--brake", folder_.write("slow.json", kSlow),
      "--no-timing", "--quiet"};
  Live alone(words(guarded, false));
  const std::string expected = said(alone, [] {});
  EXPECT_NE(expected.find("\"action\":\"go\""), std::string::npos);
  EXPECT_NE(expected.find("not clear"), std::string::npos);

  std::vector<std::string> shown = guarded;
  shown.insert(shown.end(), {"--live", live});
  Live guard(words(shown, false));
  // It would be over before a viewer that came first had looked for it again.
  for (int tries = 0; tries < 3000 && !std::filesystem::is_symlink(live); ++tries) ::usleep(10'000);
  start({rail_, "--attach", live});
  std::vector<std::unique_ptr<Client>> bad;
  const Client honest(port_);
  honest.send("GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_NE(honest.until("event: hello"), "");
  const std::string actual = said(guard, [&] {
    for (int i = 0; i < 7; ++i) {
      bad.push_back(std::make_unique<Client>(port_));
      const std::string common = " HTTP/1.1\r\nHost: localhost\r\n";
      if (i % 7 == 0) bad.back()->send("GET /api/eve");
      if (i % 7 == 1) bad.back()->send("GET /api/document" + common + "\r\n");
      if (i % 7 == 2) bad.back()->send("GET /api/events" + common + "\r\n");
      if (i % 7 == 3) bad.back()->send(std::string(100'000, 'x'));
      if (i % 7 == 4)
        bad.back()->send("POST /api/motion" + common + "Content-Length: 9999\r\n\r\n");
      if (i % 7 == 5) bad.back()->send(request("/api/braking", "{}"));
      if (i % 7 == 6) bad.back()->send(request("/api/pose", "[[[["));
    }
  });
  EXPECT_GE(bad.size(), 100U);
  EXPECT_EQ(actual, expected);
  // What was seen of it is what it said.
  std::string events;
  const auto until = Clock::now() + std::chrono::milliseconds(kPatience);
  while (events.find("\"cycles\":" + std::to_string(kCycles)) == std::string::npos &&
         Clock::now() < until && honest.more(events)) {
  }
  EXPECT_NE(events.find("event: guard"), std::string::npos);
  // A document is good for a second.
  json run = json::object();
  for (int tries = 0; tries < 100 && run.value("cycles", 0) != kCycles; ++tries) {
    ::usleep(100'000);
    run = get("/api/document").value()["guard"];
  }
  ASSERT_EQ(run["cycles"], kCycles);
  EXPECT_EQ(run["live"], true);
  EXPECT_EQ(run["rows"]["cycle"].back(), kCycles);
  EXPECT_EQ(run["poses"].back()["pose"]["q"][0], 1);
  bad.clear();
  const json braking = post("/api/braking", "{}").value();
  EXPECT_FALSE(braking["volumes"].empty()) << braking;
  stop();
}

TEST_F(View, AGuardOfAnotherWorldIsNotShown) {
  const std::string live = folder_.path() / "live";
  Live guard(words({"--stdin", "--json", "--quiet", "--live", live}));
  guard.say(kHeader + state_line(1));
  guard.line();
  expect_error(run({"view", "six_axis_arm", "--attach", live, "--port", "0", "--quiet"}), 65,
               "another world");
  expect_error(run({"view", rail_, "--attach", still_, "--port", "0", "--quiet"}), 65,
               "is no memory of a guard");
}

}  // namespace
}  // namespace keepclear::test
