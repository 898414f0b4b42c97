// SPDX-License-Identifier: BSD-3-Clause
//
// A ring of slots, each a sequence lock of its own: the sequence is odd while a slot is written,
// and tells which cycle it holds when it is even. All words are atomics: what is written while it
// is read is thrown away, never undefined.
#include "live_ring.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>
#include <system_error>

#include "keepclear/error.hpp"
#include "output.hpp"

namespace keepclear::command {

namespace {

using Word = std::atomic<std::uint64_t>;
static_assert(Word::is_always_lock_free && sizeof(Word) == 8);

constexpr std::uint64_t kMagic = 0x31474e4952434b00;  ///< "\0KCRING1", the first byte last
constexpr std::uint64_t kVersion = 1;
constexpr std::size_t kHashWords = 8;  ///< 64 hexadecimal digits
constexpr std::size_t kMaxDof = 100'000, kMaxCapacity = std::size_t{1} << 20;
constexpr std::size_t kMaxBytes = std::size_t{1} << 30;
constexpr int kTries = 3;  ///< of a slot that is written just now

/// Places of the header, in words. Those from `ended` on change.
struct Place {
  enum : std::size_t {
    magic,
    version,
    bytes,
    dof,
    capacity,
    slots_at,
    slot_words,
    process,
    world,
    latency = world + kHashWords,
    margin,
    budget,
    work_bound,
    ended,
    written,
    cycles,
    brakes,
    overruns,
    silences,
    // The parts of the latency, which do not change; noticed is zero where there are none.
    noticed,
    age,
    cycle,
    communication,
    brake_reaction,
    joints = 32
  };
};
constexpr std::size_t kJointWords = 8;

/// Places of a slot. q and v follow.
struct SlotPlace {
  enum : std::size_t {
    sequence,
    cycle,
    time,
    go,
    reason,
    pair_a,
    pair_b,
    bound,
    scale,
    flops,
    nanoseconds,
    has_state,
    numbers
  };
};

constexpr std::size_t slots_begin(std::size_t n) {
  return Place::joints + n * kJointWords;
}
constexpr std::size_t words_of_slot(std::size_t n) {
  return SlotPlace::numbers + 2 * n;
}

std::uint64_t bits(double value) {
  return std::bit_cast<std::uint64_t>(value);
}
double number(std::uint64_t word) {
  return std::bit_cast<double>(word);
}
double finite(double value) {
  return std::isfinite(value) ? value : 0;
}

std::array<double, kJointWords> numbers_of(const JointBrake& joint) {
  return {joint.max_acceleration,     joint.brake_deceleration,   joint.brake_deceleration_most,
          joint.position_uncertainty, joint.velocity_uncertainty, joint.acceleration_uncertainty,
          joint.max_velocity,         joint.stops ? 1.0 : 0.0};
}
JointBrake brake_of(const std::array<double, kJointWords>& values) {
  return {values[0], values[1], values[2], values[3],
          values[4], values[5], values[6], values[7] != 0};
}

/// What a link says; empty for anything else.
std::string link_target(const std::string& file) {
  std::array<char, 128> text;
  const ssize_t size = ::readlink(file.c_str(), text.data(), text.size());
  return size < 0 || static_cast<std::size_t>(size) == text.size()
             ? std::string()
             : std::string(text.data(), static_cast<std::size_t>(size));
}

/// /proc/PID/fd/N
bool is_ring_link(const std::string& target) {
  std::string_view rest = target;
  for (const std::string_view part : {"/proc/", "/fd/"}) {
    if (!rest.starts_with(part)) return false;
    rest.remove_prefix(part.size());
    const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    if (digits == 0) return false;
    rest.remove_prefix(digits);
  }
  return rest.empty();
}

/// Whether that leads to the ring of a guard that runs. What another user's process has open now is
/// none: the link is ours, and numbers of processes are used again.
bool is_ring(const std::string& target, uid_t owner) {
  struct stat process = {};
  const std::string folder = target.substr(0, target.find("/fd/"));
  if (::stat(folder.c_str(), &process) != 0 || process.st_uid != owner) return false;
  const int file = ::open(target.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file < 0) return errno != ENOENT && errno != ENXIO;
  std::uint64_t first = 0;
  const bool found = ::pread(file, &first, sizeof first, 0) == sizeof first && first == kMagic;
  ::close(file);
  return found;
}

[[noreturn]] void fail_to_write(const std::string& file, const std::string& what,
                                const std::string& hint = {}) {
  throw Error(Error::Kind::write, file, 0, what, hint);
}

void require_free_name(const std::string& file) {
  struct stat status = {};
  if (::lstat(file.c_str(), &status) != 0) {
    if (errno == ENOENT) return;
    fail_to_write(file, "cannot be written: " + reason_of(errno));
  }
  const std::string target = S_ISLNK(status.st_mode) ? link_target(file) : std::string();
  if (!is_ring_link(target)) {
    fail_to_write(file, "there is something else of this name",
                  "--live names a file that is made and removed by the guard");
  }
  if (is_ring(target, status.st_uid)) {
    fail_to_write(file, "another guard shows itself there", "give each guard a name of its own");
  }
}

/// Under its name at once, in place of what a guard before may have left.
void make_link(const std::string& target, const std::string& file) {
  const std::string fresh = fmt::format("{}.{}.new", file, ::getpid());
  if (::symlink(target.c_str(), fresh.c_str()) != 0) {
    fail_to_write(file, "cannot be written: " + reason_of(errno));
  }
  if (::rename(fresh.c_str(), file.c_str()) != 0) {
    const int code = errno;
    ::unlink(fresh.c_str());
    fail_to_write(file, "cannot be written: " + reason_of(code));
  }
}

}  // namespace

LiveRing::LiveRing(const std::string& file, const LiveInfo& info, std::size_t size)
    : file_(file),
      dof_(info.brake.joints.size()),
      capacity_(size),
      slots_at_(slots_begin(dof_)),
      slot_words_(words_of_slot(dof_)) {
  require_free_name(file);
  bytes_ = (slots_at_ + capacity_ * slot_words_) * sizeof(Word);
  if (dof_ > kMaxDof || bytes_ > kMaxBytes) {
    fail_to_write(file, fmt::format("{} joints are too many to show", dof_));
  }
  memory_ = ::memfd_create("keepclear-guard", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (memory_ < 0 || ::ftruncate(memory_, static_cast<off_t>(bytes_)) != 0) {
    const int code = errno;
    if (memory_ >= 0) ::close(memory_);
    fail_to_write(file, "no shared memory: " + reason_of(code));
  }
  void* const mapped =
      ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, memory_, 0);
  // Nobody can shorten it under a reader, nor write to it but through this mapping. (Kernels before
  // 5.1 do not know the last: there its mode has to do.)
  const bool sealed =
      ::fcntl(memory_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0 &&
      (::fcntl(memory_, F_ADD_SEALS, F_SEAL_FUTURE_WRITE) == 0 || errno == EINVAL) &&
      ::fcntl(memory_, F_ADD_SEALS, F_SEAL_SEAL) == 0 && ::fchmod(memory_, S_IRUSR) == 0;
  if (mapped == MAP_FAILED || !sealed) {
    const int code = errno;
    if (mapped != MAP_FAILED) ::munmap(mapped, bytes_);
    ::close(memory_);
    fail_to_write(file, "no shared memory: " + reason_of(code));
  }
  // Refused where little may be locked: then it has at least been touched.
  static_cast<void>(::mlock(mapped, bytes_));
  words_ = static_cast<Word*>(mapped);
  const auto put = [this](std::size_t at, std::uint64_t value) {
    words_[at].store(value, std::memory_order_release);
  };
  // Fresh memory is zero. Every page is written once, so that the loop meets none for the first
  // time.
  for (std::size_t at = 0; at < bytes_ / sizeof(Word); at += 512) put(at, 0);
  put(Place::version, kVersion);
  put(Place::bytes, bytes_);
  put(Place::dof, dof_);
  put(Place::capacity, capacity_);
  put(Place::slots_at, slots_at_);
  put(Place::slot_words, slot_words_);
  put(Place::process, info.process);
  for (std::size_t i = 0; i < kHashWords && 8 * (i + 1) <= info.world.size(); ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, info.world.data() + 8 * i, sizeof word);
    put(Place::world + i, word);
  }
  put(Place::latency, bits(info.brake.latency));
  if (const std::optional<BrakeDelays>& delays = info.brake.delays) {
    put(Place::noticed, delays->missing_answer_noticed == MissingAnswer::at_once ? 1 : 2);
    put(Place::age, bits(delays->age));
    put(Place::cycle, bits(delays->cycle));
    put(Place::communication, bits(delays->communication));
    put(Place::brake_reaction, bits(delays->brake_reaction));
  }
  put(Place::margin, bits(info.margin));
  put(Place::budget, info.budget);
  put(Place::work_bound, info.work_bound);
  for (std::size_t i = 0; i < dof_; ++i) {
    const auto values = numbers_of(info.brake.joints[i]);
    for (std::size_t k = 0; k < kJointWords; ++k) {
      put(Place::joints + i * kJointWords + k, bits(values[k]));
    }
  }
  put(Place::magic, kMagic);
  target_ = fmt::format("/proc/{}/fd/{}", ::getpid(), memory_);
  try {
    make_link(target_, file_);
  } catch (const Error&) {
    ::munmap(words_, bytes_);
    ::close(memory_);
    throw;
  }
}

LiveRing::~LiveRing() {
  words_[Place::ended].store(1, std::memory_order_release);
  if (link_target(file_) == target_) ::unlink(file_.c_str());
  ::munmap(words_, bytes_);
  ::close(memory_);
}

void LiveRing::push(const LiveCycle& shown, const LiveTotals& totals) noexcept {
  Word* const slot = words_ + slots_at_ + (written_ % capacity_) * slot_words_;
  // Whoever reads one of these sees the odd sequence before it, or a later one.
  const auto put = [slot](std::size_t at, std::uint64_t value) {
    slot[at].store(value, std::memory_order_release);
  };
  put(SlotPlace::sequence, 2 * written_ + 1);
  put(SlotPlace::cycle, shown.cycle);
  put(SlotPlace::time, bits(shown.time));
  put(SlotPlace::go, shown.go ? 1 : 0);
  put(SlotPlace::reason, shown.reason);
  put(SlotPlace::pair_a, static_cast<std::uint64_t>(static_cast<std::int64_t>(shown.a)));
  put(SlotPlace::pair_b, static_cast<std::uint64_t>(static_cast<std::int64_t>(shown.b)));
  put(SlotPlace::bound, bits(shown.bound));
  put(SlotPlace::scale, bits(shown.scale));
  put(SlotPlace::flops, shown.flops);
  put(SlotPlace::nanoseconds, static_cast<std::uint64_t>(shown.nanoseconds));
  const bool whole = shown.q.size() == dof_ && shown.v.size() == dof_;
  put(SlotPlace::has_state, whole ? 1 : 0);
  for (std::size_t i = 0; whole && i < dof_; ++i) {
    put(SlotPlace::numbers + i, bits(shown.q[i]));
    put(SlotPlace::numbers + dof_ + i, bits(shown.v[i]));
  }
  put(SlotPlace::sequence, 2 * (++written_));
  words_[Place::written].store(written_, std::memory_order_release);
  count(totals);
}

void LiveRing::count(const LiveTotals& totals) noexcept {
  words_[Place::cycles].store(totals.cycles, std::memory_order_release);
  words_[Place::brakes].store(totals.brakes, std::memory_order_release);
  words_[Place::overruns].store(totals.overruns, std::memory_order_release);
  words_[Place::silences].store(totals.silences, std::memory_order_release);
}

LiveCycle LiveCycles::operator[](std::size_t i) const noexcept {
  LiveCycle shown = cycles_[i];
  if (has_state_[i]) {
    shown.q = std::span(numbers_).subspan(2 * dof_ * i, dof_);
    shown.v = std::span(numbers_).subspan(2 * dof_ * i + dof_, dof_);
  }
  return shown;
}

void LiveCycles::clear() noexcept {
  cycles_.clear();
  has_state_.clear();
  numbers_.clear();
}

LiveReader::LiveReader(const std::string& file, const std::string& world_hash, std::size_t count,
                       std::size_t solids)
    : file_(file), dof_(count), solids_(solids) {
  memory_ = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (memory_ < 0) {
    const int code = errno;
    const bool none = code == ENOENT;
    throw Error(none ? Error::Kind::missing : Error::Kind::malformed, file, 0,
                none ? "no guard shows itself there" : "cannot be opened: " + reason_of(code),
                none ? "keepclear guard ... --live FILE makes it"
                     : "only the user of the guard can look at it");
  }
  const auto fail = [&](const std::string& what) {
    if (words_ != nullptr) ::munmap(const_cast<Word*>(words_), bytes_);
    ::close(memory_);
    throw Error(Error::Kind::malformed, file, 0, what, "keepclear guard ... --live FILE makes it");
  };
  struct stat status = {};
  if (::fstat(memory_, &status) != 0 || !S_ISREG(status.st_mode)) fail("is no memory of a guard");
  // Without its seals it could be cut off while it is read, which ends the reader.
  const int seals = ::fcntl(memory_, F_GET_SEALS);
  constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW;
  if (seals < 0 || (seals & kSeals) != kSeals) fail("is no memory of a guard");
  const auto size = static_cast<std::uint64_t>(std::max<off_t>(status.st_size, 0));
  if (size < Place::joints * sizeof(Word) || size > kMaxBytes) fail("is no memory of a guard");
  bytes_ = size;
  void* const mapped = ::mmap(nullptr, bytes_, PROT_READ, MAP_SHARED, memory_, 0);
  if (mapped == MAP_FAILED) fail("cannot be mapped: " + reason_of(errno));
  words_ = static_cast<const Word*>(mapped);
  const auto get = [this](std::size_t at) { return words_[at].load(std::memory_order_acquire); };
  if (get(Place::magic) != kMagic) fail("is no memory of a guard");
  if (get(Place::version) != kVersion) fail("is of another version of keepclear");
  info_.world.resize(kHashWords * 8);
  for (std::size_t i = 0; i < kHashWords; ++i) {
    const std::uint64_t word = get(Place::world + i);
    std::memcpy(info_.world.data() + 8 * i, &word, sizeof word);
  }
  if (info_.world != world_hash || get(Place::dof) != dof_) {
    fail("the guard watches another world than this one");
  }
  const std::uint64_t slots = get(Place::capacity);
  slots_at_ = slots_begin(dof_);
  slot_words_ = words_of_slot(dof_);
  if (dof_ > kMaxDof || slots == 0 || slots > kMaxCapacity || get(Place::bytes) != size ||
      get(Place::slots_at) != slots_at_ || get(Place::slot_words) != slot_words_ ||
      size != (slots_at_ + slots * slot_words_) * sizeof(Word)) {
    fail("its sizes do not fit each other");
  }
  capacity_ = slots;
  info_.process = get(Place::process);
  info_.margin = number(get(Place::margin));
  info_.budget = get(Place::budget);
  info_.work_bound = get(Place::work_bound);
  info_.brake.latency = number(get(Place::latency));
  const auto sensible = [](double value) { return value >= 0; };
  bool good = std::isfinite(info_.margin) && sensible(info_.margin) &&
              std::isfinite(info_.brake.latency) && sensible(info_.brake.latency);
  if (const std::uint64_t noticed = get(Place::noticed); noticed != 0) {
    const BrakeDelays delays{.age = number(get(Place::age)),
                             .cycle = number(get(Place::cycle)),
                             .communication = number(get(Place::communication)),
                             .brake_reaction = number(get(Place::brake_reaction)),
                             .missing_answer_noticed = noticed == 1 ? MissingAnswer::at_once
                                                                    : MissingAnswer::end_of_cycle};
    good = good && noticed <= 2 && sensible(delays.age) && sensible(delays.cycle) &&
           sensible(delays.communication) && sensible(delays.brake_reaction) &&
           latency_of(delays) == info_.brake.latency;
    info_.brake.delays = delays;
  }
  info_.brake.joints.resize(dof_);
  for (std::size_t i = 0; i < dof_; ++i) {
    std::array<double, kJointWords> values;
    for (std::size_t k = 0; k < kJointWords; ++k) {
      values[k] = number(get(Place::joints + i * kJointWords + k));
      good = good && sensible(values[k]);
    }
    info_.brake.joints[i] = brake_of(values);
  }
  if (!good) fail("its numbers make no sense");
  const std::uint64_t present = get(Place::written);
  next_ = present > capacity_ ? present - capacity_ : 0;
}

LiveReader::~LiveReader() {
  ::munmap(const_cast<Word*>(words_), bytes_);
  ::close(memory_);
}

LiveTotals LiveReader::totals() const noexcept {
  const auto get = [this](std::size_t at) { return words_[at].load(std::memory_order_acquire); };
  return {get(Place::cycles), get(Place::brakes), get(Place::overruns), get(Place::silences)};
}

bool LiveReader::over() const noexcept {
  if (words_[Place::ended].load(std::memory_order_acquire) != 0) return true;
  struct stat there = {}, ours = {};
  return ::stat(file_.c_str(), &there) != 0 || ::fstat(memory_, &ours) != 0 ||
         there.st_dev != ours.st_dev || there.st_ino != ours.st_ino;
}

void LiveReader::read(LiveCycles& out) {
  out.clear();
  out.dof_ = dof_;
  const std::uint64_t end = words_[Place::written].load(std::memory_order_acquire);
  // A counter that goes back is no guard's: begin again where it says.
  if (end < next_) next_ = end;
  if (end - next_ > capacity_) {
    missed_ += end - next_ - capacity_;
    next_ = end - capacity_;
  }
  for (; next_ < end; ++next_) {
    bool copied = false;
    for (int i = 0; i < kTries && !copied; ++i) copied = copy(next_, out);
    if (!copied) ++missed_;
  }
}

bool LiveReader::copy(std::uint64_t index, LiveCycles& out) {
  const Word* const slot = words_ + slots_at_ + (index % capacity_) * slot_words_;
  const auto get = [slot](std::size_t at) { return slot[at].load(std::memory_order_acquire); };
  const std::uint64_t expected = 2 * (index + 1);
  if (get(SlotPlace::sequence) != expected) return false;
  LiveCycle shown;
  shown.cycle = get(SlotPlace::cycle);
  shown.time = finite(number(get(SlotPlace::time)));
  shown.go = get(SlotPlace::go) == 1;
  const std::uint64_t why = get(SlotPlace::reason);
  shown.reason = static_cast<std::uint16_t>(
      std::min<std::uint64_t>(why, std::numeric_limits<std::uint16_t>::max()));
  const std::uint64_t a = get(SlotPlace::pair_a), b = get(SlotPlace::pair_b);
  if (a < solids_ && b < solids_) {
    shown.a = static_cast<int>(a);
    shown.b = static_cast<int>(b);
  }
  shown.bound = number(get(SlotPlace::bound));
  shown.scale = finite(number(get(SlotPlace::scale)));
  shown.flops = get(SlotPlace::flops);
  shown.nanoseconds = static_cast<std::int64_t>(get(SlotPlace::nanoseconds));
  bool whole = get(SlotPlace::has_state) == 1;
  const std::size_t begin = out.numbers_.size();
  for (std::size_t i = 0; i < 2 * dof_; ++i) {
    const double value = number(get(SlotPlace::numbers + i));
    whole = whole && std::isfinite(value);
    out.numbers_.push_back(value);
  }
  if (get(SlotPlace::sequence) != expected) {
    out.numbers_.resize(begin);
    return false;
  }
  out.cycles_.push_back(shown);
  out.has_state_.push_back(whole);
  return true;
}

}  // namespace keepclear::command
