// SPDX-License-Identifier: BSD-3-Clause
//
// What odd values in options may lead to: an error that says so, or an answer that is true. A ball
// of 0.1 m on a rail along x before a ball of 0.1 m at x = 1: distances can be told by hand.
#pragma once

#include <chrono>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "fields/pokes.hpp"
#include "fields/rail.hpp"

namespace keepclear::test {

struct FieldTally {
  std::size_t tried = 0, refused = 0, free = 0, other = 0;
  std::size_t wrong = 0;
  double slowest = 0;  ///< seconds
  std::string slowest_of;
  std::vector<std::string> messages;
};

/// One structure of options with odd values, and everything that is asked with it.
class FieldJudge {
 public:
  /// Worlds of rail_world(): a ball before a post, and two balls.
  FieldJudge(const World& rail, const World& two, FieldTally& tally)
      : rail_(rail), two_(two), tally_(tally) {}

  /// `ask` returns what is wrong, or nothing; it may throw Error. `makes` counts the fields.
  template <class Options>
  void each(const char* name, const Options& usual,
            const std::function<std::string(const Options&)>& ask) {
    Options counted = usual;
    Poker counter(~std::size_t{0}, 0);
    each_field(counted, counter);
    for (std::size_t field = 0; field < counter.fields(); ++field) {
      for (std::size_t value = 0; value < kOddNumbers.size(); ++value) {
        Options options = usual;
        Poker poke(field, value);
        each_field(options, poke);
        one(name, poke.done(), options, ask);
      }
    }
  }
  /// `count` times two or three fields at once.
  template <class Options>
  void several(const char* name, const Options& usual, std::size_t count, std::mt19937_64& random,
               const std::function<std::string(const Options&)>& ask) {
    Options counted = usual;
    Poker counter(~std::size_t{0}, 0);
    each_field(counted, counter);
    for (std::size_t k = 0; k < count; ++k) {
      Options options = usual;
      std::string done;
      for (std::uint64_t i = 0; i < 2 + random() % 2; ++i) {
        Poker poke(random() % counter.fields(), random() % kOddNumbers.size());
        each_field(options, poke);
        done += poke.done() + " ";
      }
      // With a tolerance that nothing reaches, all the work that is asked for is done.
      if constexpr (requires { options.budget; } && !std::is_same_v<Options, GuardOptions>) {
        options.budget = std::min<std::size_t>(options.budget, 20'000);
      }
      one(name, done, options, ask);
    }
  }

  void everything(std::size_t several_of_each, std::mt19937_64& random) {
    const auto both = [&]<class Options>(const char* name, const Options& usual,
                                         const std::function<std::string(const Options&)>& ask) {
      each(name, usual, ask);
      several(name, usual, several_of_each, random, ask);
    };
    both.template operator()<CertifyOptions>("CertifyOptions", certify_options(),
                                             [&](const CertifyOptions& o) { return motions(o); });
    both.template operator()<BoxOptions>("BoxOptions", BoxOptions{.budget = 5000, .threads = 1},
                                         [&](const BoxOptions& o) { return boxes(o); });
    both.template operator()<DistanceOptions>(
        "DistanceOptions", {}, [&](const DistanceOptions& o) { return distances(o); });
    both.template operator()<BodyDistanceOptions>(
        "BodyDistanceOptions", {}, [&](const BodyDistanceOptions& o) { return bodies(o); });
    both.template operator()<TolerancedOptions>(
        "TolerancedOptions", TolerancedOptions{.budget = 20'000},
        [&](const TolerancedOptions& o) { return objects(o); });
    both.template operator()<WatchOptions>("WatchOptions", {},
                                           [&](const WatchOptions& o) { return watches(o); });
    both.template operator()<GuardOptions>(
        "GuardOptions", {}, [&](const GuardOptions& o) { return guards(joint(), 0.1, o); });
    both.template operator()<JointBrake>("JointBrake", joint(),
                                         [&](const JointBrake& b) { return guards(b, 0.1, {}); });
    both.template operator()<PairsOptions>("PairsOptions",
                                           PairsOptions{.budget = 2000, .threads = 1},
                                           [&](const PairsOptions& o) { return pairs(o); });
    both.template operator()<ProofOptions>("ProofOptions", ProofOptions{.budget = 20'000},
                                           [&](const ProofOptions& o) { return proofs(o); });
  }

  /// Scenes with odd numbers: what is compiled must be what they say. `scenes` are of rail_scene().
  void every_scene(const std::vector<Scene>& usual, std::size_t several_of_each,
                   std::mt19937_64& random) {
    for (const Scene& scene : usual) {
      const std::string name =
          std::string("Scene with a ") + to_string(scene.objects[0].shape.kind);
      const auto ask = [&](const Scene& s) { return compiled(s); };
      each<Scene>(name.c_str(), scene, ask);
      several<Scene>(name.c_str(), scene, several_of_each, random, ask);
    }
  }

  /// What is asked: a number that is none, or a size that is not positive, is refused; of a ball
  /// the distance is told by hand.
  std::string compiled(const Scene& scene) {
    const World world = compile(scene);
    const Shape& shape = scene.objects[0].shape;
    const Vec3 at = scene.objects[0].pose.xyz, base = scene.robots[0].base.xyz;
    for (const Vec3& v : {at, base}) {
      if (!std::isfinite(v.x + v.y + v.z)) return "a place that is none is taken";
    }
    double margin = scene.margins[0].margin;
    if (!(margin >= 0 && scene.margin >= 0)) return "a margin that is none is taken";
    const double zero = 0;
    const Verdict said = DistanceQuery(world).check({&zero, 1}).verdict;
    const Certificate moved = certify(world, line_path(std::vector{0.0}, std::vector{0.0}));
    if (said != Verdict::free && moved.verdict != Verdict::free) return {};
    ++tally_.free;
    if (!std::isfinite(margin)) return "free within an infinite margin";
    if (shape.kind != Shape::Kind::sphere) return {};
    if (!(shape.radius >= 0)) return "a radius that is none is taken";
    const double gap = norm(at - base) - shape.radius - kBall;
    return gap > margin ? "" : "free at a gap of " + std::to_string(gap);
  }

  /// Paths, tubes and boxes of odd numbers. All that these paths can be goes from x = 0 through the
  /// post to x = 1.5, or stops 2 cm before it.
  void paths() {
    using Make = std::function<Path(double)>;
    const std::vector<double> through{0, 1.5}, before{0, 0.78}, back{0, 3, 0};
    const std::vector<std::pair<const char*, Make>> all{
        {"time",
         [&](double x) {
           return straight_path(std::vector{0.0, x}, through);
         }},
        {"first time",
         [&](double x) {
           return straight_path(std::vector{x, 1.0}, through);
         }},
        {"duration", [&](double x) { return line_path(std::vector{0.0}, std::vector{1.5}, x); }},
        {"waypoint",
         [&](double x) {
           return straight_path(std::vector{0.0, 1.0, 2.0}, std::vector{0.0, 1.5, x});
         }},
        {"velocity",
         [&](double x) {
           return cubic_path(std::vector{0.0, 1.0}, through, std::vector{0.0, x});
         }},
        {"acceleration",
         [&](double x) {
           return quintic_path(std::vector{0.0, 1.0}, through, std::vector{0.0, 0.0},
                               std::vector{x, 0.0});
         }},
        {"control point",
         [&](double x) {
           return bezier_path(1, std::vector{0.0, x, 1.5}, 0, 1);
         }},
        {"end of a curve", [&](double x) { return bezier_path(1, back, 0, x); }},
        {"knot",
         [&](double x) {
           return bspline_path(1, 1, std::vector{0.0, 0.0, x, 1.0, 1.0},
                               std::vector{0.0, 1.5, 1.5});
         }},
        {"speed",
         [&](double x) {
           return trapezoidal_path(std::vector{0.0}, std::vector{1.5}, std::vector{x},
                                   std::vector{1.0});
         }},
        {"acceleration of a trapezoid",
         [&](double x) {
           return trapezoidal_path(std::vector{0.0}, std::vector{1.5}, std::vector{1.0},
                                   std::vector{x});
         }},
        {"begin",
         [&](double x) { return retimed(line_path(std::vector{0.0}, std::vector{1.5}), x, 1); }},
        {"factor",
         [&](double x) { return retimed(line_path(std::vector{0.0}, std::vector{1.5}), 0, x); }},
        {"tube",
         [&](double x) {
           return with_tube(straight_path(std::vector{0.0, 1.0}, before), std::vector{x});
         }},
        {"time of a tube", [&](double x) {
           return with_tube(straight_path(std::vector{0.0, 1.0}, before), std::vector{0.0, x},
                            std::vector{0.03, 0.03});
         }}};
    for (const auto& [what, made] : all) {
      const std::string name = what;
      const Make make = made;
      for (const double odd : kOddNumbers) {
        one<double>("Path", name + " " + std::to_string(odd), odd, [&](const double& x) {
          const Path path = make(x);
          // A knot at the begin takes the first control point away.
          const bool harmless =
              (name == "tube" && x >= 0 && x < 0.02) || (name == "knot" && x == 0);
          const Certificate found = certify(rail_, path, certify_options());
          if (found.verdict == Verdict::free && !harmless) return "free, and yet through the post";
          for (const double time : kOddNumbers) {
            for (const double at : path.position(time)) {
              if (std::isnan(at)) return "a position that is none";
            }
            const JointBox range = path.range(time, x);
            if (range.size() == 1 && std::isnan(range[0].lower + range[0].upper)) {
              return std::isfinite(time) && std::isfinite(x) ? "a range that is none" : "";
            }
          }
          return "";
        });
      }
    }
    for (const double lower : kOddNumbers) {
      for (const double upper : kOddNumbers) {
        const Interval box{lower, upper};
        one<Interval>("Box", std::to_string(lower) + " to " + std::to_string(upper), box,
                      [&](const Interval& b) -> std::string {
                        const BoxOptions few{.budget = 2000, .threads = 1};
                        const bool clear = b.lower <= b.upper && (b.upper < 0.8 || b.lower > 1.2);
                        if (prove_box(rail_, {&b, 1}, few).verdict == Verdict::free && !clear) {
                          return "free, and yet with the post in it";
                        }
                        Sweep sweep(rail_, paper_plan(rail_, 1));
                        if (sweep.update({&b, 1}) && sweep.clearance().clearance > 0 && !clear) {
                          return "a clearance, and yet with the post in it";
                        }
                        return "";
                      });
      }
    }
  }

  /// Calls with indices, numbers and sizes that nobody means, in any order, of a guard and a watch.
  /// What names no solid does nothing; a state of another size is no state.
  void calls(std::size_t count, std::mt19937_64& random) {
    Guard guard(rail_, uniform_brake(rail_, 0.1, joint()), {});
    Watch watch(rail_);
    const auto solids = static_cast<int>(rail_.solids().size());
    const auto index = [&] {
      const int odd[] = {-1, 0, 1, 2, 3, 64, -2147483647 - 1, 2147483647};
      return odd[random() % std::size(odd)];
    };
    const auto number = [&] { return kOddNumbers[random() % kOddNumbers.size()]; };
    const auto is_solid = [&](int i) { return i >= 0 && i < solids; };
    double time = 0;
    for (std::size_t k = 0; k < count; ++k) {
      ++tally_.tried;
      const int a = index(), b = index();
      const int touch[] = {index(), index()};
      const std::span<const int> touched(touch, random() % 3);
      std::vector<double> q(random() % 4 == 0 ? random() % 5 : 1,
                            random() % 4 == 0 ? number() : 0.1);
      const std::vector<double> v(random() % 8 == 0 ? random() % 5 : 1,
                                  random() % 4 == 0 ? number() : 0);
      const bool is_state = q.size() == 1 && v.size() == 1;
      const char* wrong = nullptr;
      switch (random() % 9) {
        case 0:
          if (guard.attach(a, b, touched) && !(is_solid(a) && is_solid(b))) wrong = "attach";
          break;
        case 1:
          if (guard.release(a) && !is_solid(a)) wrong = "release";
          break;
        case 2:
          if (const double m = number();
              guard.set_margin(a, b, m) && !(is_solid(a) && is_solid(b) && m >= 0)) {
            wrong = "set_margin";
          }
          break;
        case 3:
          if (watch.attach(a, b, touched) && !(is_solid(a) && is_solid(b)))
            wrong = "attach of a watch";
          break;
        case 4:
          if (watch.release(a) && !is_solid(a)) wrong = "release of a watch";
          break;
        case 5: {
          const Pose X{{{number(), 0, 0}, {0, 1, 0}, {0, 0, 1}}, {number(), 0, 0}};
          const bool is_pose = X.R.row0.x == 1 && std::isfinite(X.p.x);
          if (watch.place(a, X) && !(is_solid(a) && is_pose)) wrong = "place";
          if (watch.expect_contact(a, b, number()) && !(is_solid(a) && is_solid(b))) {
            wrong = "expect_contact";
          }
          break;
        }
        case 6:
          if (watch.step(q, 0.01).verdict == Verdict::free && q.size() != 1)
            wrong = "a watched state";
          break;
        case 7: {
          std::vector<std::byte> memory(guard.memory_size());
          guard.save(memory);
          if (random() % 2 == 0) memory[random() % memory.size()] ^= std::byte{1};
          if (random() % 4 == 0) memory.resize(random() % 100);
          guard.restore(memory);
          break;
        }
        default: {
          const std::vector<double> ages(random() % 3, number());
          const GuardState state{
              .time = time += 0.01, .q = q, .v = v, .command = ages, .age = 0, .ages = ages};
          if (guard.step(state) == Action::go && (!is_state || ages.size() > 1)) wrong = "go";
        }
      }
      if (wrong == nullptr) continue;
      ++tally_.wrong;
      tally_.messages.push_back("call " + std::to_string(k) + ": " + wrong + " with " +
                                std::to_string(a) + " and " + std::to_string(b));
    }
  }

  static CertifyOptions certify_options() {
    CertifyOptions options;
    options.budget = 20'000;
    return options;
  }
  static JointBrake joint() {
    JointBrake brake;
    brake.max_acceleration = 1;
    brake.brake_deceleration = 1;
    brake.acceleration_uncertainty = 0;
    brake.max_velocity = 100;
    return brake;
  }

  // What is asked with options; each returns what is wrong.

  std::string motions(const CertifyOptions& o) {
    // Passed at 2 cm; through it; a hair before it.
    for (const double end : {0.78, 1.5, 0.8 - 1e-7}) {
      const double gap = end > 1 ? -1 : rail_gap(end);
      const Certificate found = certify(rail_, line_path(std::vector{0.0}, std::vector{end}), o);
      double off = o.deviation;
      for (const BaseUncertainty& base : o.base) off += base.position;
      const bool turned = !o.base.empty() && !(o.base[0].rotation < 1e9);
      if (found.verdict == Verdict::free) {
        ++tally_.free;
        if (!(o.margin + off < gap) || turned) return "free at a gap of " + std::to_string(gap);
        if (found.clearance > gap - off + 1e-12) return "a clearance beyond the gap";
      }
      if (found.verdict == Verdict::contact && o.margin < gap) return "contact across a gap";
      MotionQuery query(rail_, o);
      const double from = 0;
      if (query.connects({&from, 1}, {&end, 1}) == Verdict::free &&
          (!(o.margin + off < gap) || turned)) {
        return "connects at a gap of " + std::to_string(gap);
      }
    }
    return {};
  }

  std::string boxes(const BoxOptions& o) {
    for (const double end : {0.78, 1.5}) {
      const double gap = end > 1 ? -1 : rail_gap(end);
      const Interval box{0, end};
      const BoxResult found = prove_box(rail_, {&box, 1}, o);
      if (found.verdict == Verdict::free) {
        ++tally_.free;
        if (!(o.margin < gap)) return "free at a gap of " + std::to_string(gap);
        if (found.clearance > gap + 1e-12) return "a clearance beyond the gap";
      }
      if (found.verdict == Verdict::contact && o.margin < gap) return "contact across a gap";
    }
    return {};
  }

  std::string distances(const DistanceOptions& o) {
    DistanceQuery query(rail_, o);
    for (const double x : {0.0, 0.78, 0.79999, 0.9, 1.0}) {
      const Nearest found = query({&x, 1});
      const double gap = rail_gap(x);
      if (found.verdict == Verdict::free) {
        ++tally_.free;
        if (!(gap > 0)) return "free in contact";
      }
      if (found.verdict == Verdict::contact && gap > 1e-9) return "contact across a gap";
      if (found.lower_bound > std::max(gap, 0.0) + 1e-12)
        return "a lower bound beyond the distance";
      for (const double margin : kOddNumbers) {
        const Verdict said = query.check({&x, 1}, margin).verdict;
        if (said == Verdict::free && (!(gap > 0) || !(margin < gap))) {
          return "free within the margin " + std::to_string(margin);
        }
        if (said == Verdict::contact && margin < gap && gap > 1e-9)
          return "contact beyond the margin";
      }
    }
    for (const double x : kOddNumbers) {
      const bool is_far = std::fabs(x) < 1e300 && rail_gap(x) > 0;
      if (query({&x, 1}).verdict == Verdict::free && !is_far) return "free at " + std::to_string(x);
    }
    return {};
  }

  std::string bodies(const BodyDistanceOptions& o) {
    const Body cube = Body::box({1, 1, 1});
    for (const double gap : {0.5, 1e-9, -1e-9, -0.3}) {
      const BodyDistance found = distance(cube, {}, cube, {{}, {1 + gap, 0.1, 0}}, o);
      if (found.verdict == Verdict::free) {
        ++tally_.free;
        if (!(gap > 0)) return "free in contact";
      }
      if (found.verdict == Verdict::contact && gap > 1e-12) return "contact across a gap";
      if (found.lower_bound > gap + 1e-12 && found.lower_bound > 0) return "a bound beyond the gap";
    }
    return {};
  }

  std::string objects(const TolerancedOptions& o) {
    const std::vector<StandingBody> post{
        {Polyhedron::box({0.2, 0.2, 0.2}, 0).placed({{}, {1, 0, 0}})}};
    for (const double slide : {0.7, 1.5}) {
      const double gap = slide > 1 ? -1 : 0.8 - slide;
      TolerancedQuery query(Polyhedron::box({0.2, 0.2, 0.2}), post, {}, o);
      const TolerancedResult found = query(*screw_curve({}, {}, {1, 0, 0}, 0, slide));
      if (found.verdict == Verdict::free) {
        ++tally_.free;
        if (!(o.margin + o.deviation < gap)) return "free at a gap of " + std::to_string(gap);
        if (found.clearance > gap + 1e-12) return "a clearance beyond the gap";
      }
      if (found.verdict == Verdict::contact && o.margin + 2 * o.deviation < gap) {
        return "contact across a gap";
      }
    }
    return {};
  }

  std::string watches(const WatchOptions& o) {
    Watch watch(rail_, o);
    for (const double dt : kOddNumbers) {
      watch.reset();
      for (const double x : {0.5, 0.5, 0.7}) {
        const WatchCycle found = watch.step({&x, 1}, x == 0.7 ? dt : 0.01);
        const double speed = x == 0.7 ? 0.2 / dt : 0;
        const double seconds = o.reaction_time + o.stopping_time;
        const double wanted = seconds == 0 ? o.margin : o.margin + speed * seconds;
        if (found.verdict == Verdict::free) {
          ++tally_.free;
          if (!(wanted < rail_gap(x) + 1e-9) || (x == 0.7 && !(dt > 0))) {
            return "free at " + std::to_string(x) + " with dt " + std::to_string(dt);
          }
        }
        if (found.verdict == Verdict::contact && wanted < rail_gap(x) - 1e-9) {
          return "contact across a gap";
        }
      }
    }
    return {};
  }

  /// At least as far as the ball comes that is at x with speed v: what is measured is taken as it
  /// is, the worst case left aside, so that no answer that is right is blamed.
  static double comes_to(const JointBrake& b, double latency, double x, double v) {
    const double begin = v + b.velocity_uncertainty;
    const double speed = begin + b.max_acceleration * latency;
    return x + b.position_uncertainty + (begin + speed) / 2 * latency +
           speed * speed / (2 * b.brake_deceleration);
  }

  std::string guards(const JointBrake& b, double latency, const GuardOptions& o) {
    const BrakeModel model = uniform_brake(rail_, latency, b);
    Guard guard(rail_, model, o);
    double time = 0;
    for (const double x : {-0.2, 0.3, 0.55, 0.75, 1.0}) {
      for (const double v : {0.0, 0.5}) {
        guard.reset();
        const double command = 1;
        GuardState state{
            .time = time += 0.01, .q = {&x, 1}, .v = {&v, 1}, .command = {&command, 1}};
        if (guard.step(state) != Action::go) continue;
        ++tally_.free;
        JointBrake known = b;
        if (o.known_command) known.max_acceleration = command + b.acceleration_uncertainty;
        if (!(known.max_acceleration >= 0)) return "go without an acceleration";
        if (!(comes_to(known, latency, x, v) + 2 * kBall + o.margin < kPost)) {
          return "go at " + std::to_string(x) + " with " + std::to_string(v);
        }
      }
    }
    // Odd numbers in a state.
    for (const double odd : kOddNumbers) {
      const double here = 0, still = 0, zero = 0;
      GuardState states[] = {
          {.time = odd, .q = {&here, 1}, .v = {&still, 1}, .command = {&zero, 1}},
          {.time = 1e3, .q = {&here, 1}, .v = {&odd, 1}, .command = {&zero, 1}},
          {.time = 1e3, .q = {&odd, 1}, .v = {&still, 1}, .command = {&zero, 1}},
          {.time = 1e3, .q = {&here, 1}, .v = {&still, 1}, .command = {&odd, 1}},
          {.time = 1e3, .q = {&here, 1}, .v = {&still, 1}, .command = {&zero, 1}, .age = odd},
          {.time = 1e3,
           .q = {&here, 1},
           .v = {&still, 1},
           .command = {&zero, 1},
           .ages = {&odd, 1}}};
      for (std::size_t k = 0; k < std::size(states); ++k) {
        guard.reset();
        if (guard.step(states[k]) != Action::go) continue;
        const double x = states[k].q[0], v = states[k].v[0];
        const bool in_reach = x < kPost ? comes_to(b, latency, x, v) < kPost - 2 * kBall
                                        : comes_to(b, latency, -x, -v) < -kPost - 2 * kBall;
        const bool odd_age = (k == 4 || k == 5) && !(odd >= 0 && odd <= latency);
        if (!std::isfinite(odd) || odd_age || !in_reach) {
          return "go in state " + std::to_string(k) + " with " + std::to_string(odd);
        }
      }
    }
    return {};
  }

  std::string pairs(const PairsOptions& o) {
    for (const PairOfLinks& pair : classify_pairs(two_, o)) {
      if (pair.kind == PairClass::never || pair.kind == PairClass::always) {
        return "two balls on one rail are called " + std::string(to_string(pair.kind));
      }
    }
    return {};
  }

  std::string proofs(const ProofOptions& o) {
    const Path path = line_path(std::vector{0.0}, std::vector{0.78});
    const CertifyOptions asked;
    const Certificate found = certify(rail_, path, asked);
    const WrittenCertificate written = path_certificate(rail_, path, asked, found, {}, o);
    if (written.text.empty()) return {};
    ++tally_.free;
    return written.clearance > rail_gap(0.78) ? "a clearance beyond the gap" : "";
  }

 private:
  template <class Options>
  void one(const char* name, const std::string& done, const Options& options,
           const std::function<std::string(const Options&)>& ask) {
    ++tally_.tried;
    const auto start = std::chrono::steady_clock::now();
    std::string wrong;
    try {
      wrong = ask(options);
      ++tally_.other;
    } catch (const Error& error) {
      ++tally_.refused;
      if (std::string(error.what()).empty()) wrong = "an error without a word";
    } catch (const std::exception& error) {
      wrong = std::string("throws ") + error.what();
    }
    const double spent =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (spent > tally_.slowest)
      tally_.slowest = spent, tally_.slowest_of = std::string(name) + ": " + done;
    if (wrong.empty()) return;
    ++tally_.wrong;
    tally_.messages.push_back(std::string(name) + ": " + done + ": " + wrong);
  }

  World rail_, two_;
  FieldTally& tally_;
};

}  // namespace keepclear::test
