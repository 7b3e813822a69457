#include "tacet/local/service/collector.h"

#include <algorithm>
#include <exception>
#include <limits>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/ledger/digest.h"

namespace tacet::local {
namespace {

constexpr std::int64_t longest_retry = 5;  // seconds
constexpr std::int64_t max_doublings = 10;

/// Different devices come again at different times: a keyed hash of the token and the time.
std::int64_t retry_after(const TokenMac& mac, std::int64_t now) {
  const auto jitter = static_cast<std::int64_t>(mac[8]) + now;
  return 1 + jitter % longest_retry;
}

}  // namespace

Collector::Collector(const std::filesystem::path& path) : file_(path, ledger::Access::write) {
  file_.check_structure();
  file_.claim();
  load();  // a state that cannot be served stays what it is
  file_.note_holder();
}

Collector::~Collector() {
  try {
    file_.release();
  } catch (const base::Error&) {
    return;  // the next server sees that this process is gone
  }
}

bool Collector::knows(const TokenMac& mac) const {
  const std::shared_lock lock(tokens_mutex_);
  return tokens_.contains(mac);
}

std::shared_ptr<const Published> Collector::published() const {
  const std::scoped_lock lock(published_mutex_);
  return published_;
}

void Collector::load() {
  loaded_ = false;
  closed_ = file_.closed();
  const auto last = file_.last_round();
  const auto bytes = file_.learner();
  learner_.emplace(task(), GroupOrder(file_.group_key()), bytes);
  if (learner_->round() != last.round || ledger::sha256(bytes) != last.learner) {
    throw base::DataError("the state '{}' was changed: its learner is not that of round {}",
                          file_.path().string(), last.round);
  }
  rounds_.clear();
  file_.each_round(std::max<std::int64_t>(0, last.round - task().terms.staleness),
                   [&](const StoredRound& round) {
                     if (ledger::sha256(round.point) != round.model) {
                       throw base::DataError(
                           "the state '{}' was changed: the model of round {} is "
                           "not what its digest says",
                           file_.path().string(), round.round);
                     }
                     rounds_.push_back({round.round, model_mark(round.model), round.model,
                                        std::make_shared<const std::string>(round.point)});
                   });
  report_ids_.clear();
  sequence_ = 0;
  const auto dropped = file_.dropped();
  Frame frame;
  file_.each_frame(1, [&](const StoredFrame& stored) {
    if (stored.sequence != ++sequence_ ||
        read_frame(stored.bytes, task().layout, frame) != FrameFault::none) {
      throw base::DataError("the state '{}' was changed: report {} is not what was counted",
                            file_.path().string(), sequence_);
    }
    report_ids_.insert(frame.report_id);
    if (stored.sequence > last.frames && !is_dropped(dropped, stored.sequence) &&
        learner_->add(frame.report) != RoundLearner::Step::open) {
      throw base::DataError("the state '{}' was changed: a round is missing",
                            file_.path().string());
    }
  });
  read_tokens();
  loaded_ = true;
  publish();
}

void Collector::read_tokens() {
  std::unordered_map<TokenMac, Token, TokenHash> tokens;
  file_.each_token([&](const StoredToken& stored) {
    tokens[stored.mac] = {
        .counted = stored.counted, .missed = stored.missed, .barred_until = stored.barred_until};
  });
  read_slots(tokens);
  clock_ = std::numeric_limits<std::int64_t>::max();  // what the file says may be of another clock
  const std::unique_lock lock(tokens_mutex_);
  tokens_ = std::move(tokens);
}

void Collector::read_slots(std::unordered_map<TokenMac, Token, TokenHash>& tokens) {
  ends_.clear();
  live_slots_ = 0;
  live_rounds_.clear();
  std::vector<bool> taken(static_cast<std::size_t>(task().plan.batch));
  file_.each_slot([&](const StoredSlot& slot) {
    const auto found = tokens.find(slot.mac);
    if (found == tokens.end() || found->second.live || slot.place < 0 ||
        slot.place >= task().plan.batch) {
      throw base::DataError("the state '{}' was changed: a slot is not one that was given",
                            file_.path().string());
    }
    auto& token = found->second;
    if (token.counted) return;
    token.place = slot.place;
    token.slot_round = slot.round;
    token.slot_end = slot.end;
    taken[static_cast<std::size_t>(slot.place)] = true;
    ends_.emplace_back(slot.end, slot.mac);
    begin_slot(token);
  });
  free_places_.clear();
  for (auto place = task().plan.batch - 1; place >= 0; --place) {
    if (!taken[static_cast<std::size_t>(place)]) free_places_.push_back(place);
  }
}

bool Collector::handle(std::span<Application* const> group, std::int64_t now) {
  try {
    if (!loaded_) load();
    const auto round = learner_->round();
    const auto before = std::pair(sequence_, closed_);
    file_.transaction([&] {
      closed_ = file_.closed();
      set_clock(now);
      end_slots(now);
      for (auto* application : group) decide(*application, now);
    });
    if (round != learner_->round() || before != std::pair(sequence_, closed_)) publish();
    return true;
  } catch (const std::exception&) {
    loaded_ = false;
    for (auto* application : group) {
      application->reason = Reason::storage;
      application->slot.reset();
      application->retry_seconds = retry_after(application->mac, now);
    }
    return false;
  }
}

void Collector::decide(Application& application, std::int64_t now) {
  const auto found = tokens_.find(application.mac);
  const bool stranger = found == tokens_.end();
  if (stranger && !application.certified) {
    application.reason = Reason::unknown_token;
    return;
  }
  Token fresh;
  Token& token = stranger ? fresh : found->second;
  if (application.bytes.empty()) {
    give_slot(application, token, now);
  } else {
    take_report(application, token, now);
  }
  // Whom a certificate brings is noted when something was granted: a refusal leaves no trace.
  if (!stranger || !(token.live || token.counted)) return;
  file_.put_token({.mac = application.mac});
  const std::unique_lock lock(tokens_mutex_);
  tokens_.emplace(application.mac, token);
}

void Collector::give_slot(Application& application, Token& token, std::int64_t now) {
  if (token.counted) {
    application.reason = Reason::used_token;
    return;
  }
  if (finished()) {
    application.reason = Reason::finished;
    return;
  }
  if (!has_place(token, now)) {
    application.reason = Reason::round_full;
    application.retry_seconds = retry_after(application.mac, now) +
                                std::max<std::int64_t>(0, token.barred_until - now) / 1000;
    return;
  }
  // A device that asks again gets only the rest of its slot, so that none holds a place for ever.
  if (!token.live) {
    token.place = free_places_.back();
    free_places_.pop_back();
    token.slot_round = learner_->round();
    token.slot_end = now + 1000 * task().terms.slot_seconds;
    begin_slot(token);
    ends_.emplace_back(token.slot_end, application.mac);
    file_.put_slot({token.place, application.mac, token.slot_round, token.slot_end});
  }
  const auto seconds =
      std::clamp<std::int64_t>((token.slot_end - now) / 1000, 1, task().terms.slot_seconds);
  application.reason = Reason::slot;
  application.slot = Slot{task().digest, static_cast<std::uint64_t>(learner_->round()),
                          rounds_.back().digest, seconds};
}

bool Collector::has_place(const Token& token, std::int64_t now) const {
  if (token.live) return true;
  return now >= token.barred_until && learner_->reports() + live_slots_ < task().plan.batch;
}

std::optional<Reason> Collector::refuse_round(const Frame& frame) const {
  const auto now = static_cast<std::uint64_t>(rounds_.back().round);
  if (frame.round > now) return Reason::wrong_round;
  if (now - frame.round >= rounds_.size()) return Reason::too_late;
  const auto& round = rounds_[rounds_.size() - 1 - static_cast<std::size_t>(now - frame.round)];
  if (round.mark != frame.model) return Reason::wrong_model;
  return std::nullopt;
}

/// Whether taking this report, which has no slot, could fill the round before a device that has a
/// slot, and may have drawn its report already, can send it.
bool Collector::would_displace(const Token& token) const {
  if (token.live || live_slots_ == 0) return false;
  if (learner_->reports() + live_slots_ < task().plan.batch) return false;
  const auto round = learner_->round();
  return round + 1 == task().plan.rounds ||
         live_rounds_.begin()->first + task().terms.staleness <= round;
}

void Collector::take_report(Application& application, Token& token, std::int64_t now) {
  application.reason = judge_report(application, token);
  if (application.reason == Reason::round_full) {
    application.retry_seconds = retry_after(application.mac, now);
  }
  if (application.reason != Reason::counted || token.counted) return;
  file_.put_frame({++sequence_, application.mac, application.bytes}, application.frame.report_id);
  report_ids_.insert(application.frame.report_id);
  if (token.live) end_slot(token);
  token.counted = true;
  if (learner_->add(application.frame.report) == RoundLearner::Step::filled) begin_round();
}

Reason Collector::judge_report(const Application& application, const Token& token) {
  if (token.counted) {
    const auto counted = file_.frame_of(application.mac);
    return counted && counted->bytes == application.bytes ? Reason::counted : Reason::used_token;
  }
  if (finished()) return Reason::finished;
  if (const auto refused = refuse_round(application.frame)) return *refused;
  if (report_ids_.contains(application.frame.report_id)) return Reason::repeated_report;
  return would_displace(token) ? Reason::round_full : Reason::counted;
}

void Collector::begin_slot(Token& token) {
  token.live = true;
  ++live_slots_;
  ++live_rounds_[token.slot_round];
}

void Collector::end_slot(Token& token) {
  token.live = false;
  --live_slots_;
  free_places_.push_back(token.place);
  const auto round = live_rounds_.find(token.slot_round);
  if (--round->second == 0) live_rounds_.erase(round);
}

/// No slot ends, and nobody waits, later than if it began now: a clock that was ahead of itself, or
/// jumps back, stops nobody.
void Collector::set_clock(std::int64_t now) {
  const bool back = now < clock_;
  clock_ = now;
  if (!back) return;
  for (auto& [mac, token] : tokens_) {
    token.slot_end = std::min(token.slot_end, now + 1000 * task().terms.slot_seconds);
    token.barred_until = std::min(token.barred_until, now + wait_after(token.missed - 1));
  }
  for (auto& [end, mac] : ends_) end = std::min(end, now + 1000 * task().terms.slot_seconds);
}

/// Milliseconds without a slot, after one that was missed, and so many missed before.
std::int64_t Collector::wait_after(std::int64_t missed) const {
  const auto doublings = std::clamp(missed, std::int64_t{0}, max_doublings);
  return 1000 * task().terms.slot_seconds * (std::int64_t{1} << doublings);
}

void Collector::end_slots(std::int64_t now) {
  while (!ends_.empty() && ends_.front().first <= now) {
    const auto& [end, mac] = ends_.front();
    const auto found = tokens_.find(mac);
    if (found != tokens_.end() && found->second.live && found->second.slot_end == end) {
      miss_slot(mac, found->second);
    }
    ends_.pop_front();
  }
}

/// A place that was kept for nothing: the next one comes later each time.
void Collector::miss_slot(const TokenMac& mac, Token& token) {
  token.barred_until = token.slot_end + wait_after(token.missed);
  ++token.missed;
  end_slot(token);
  file_.put_token({mac, token.missed, token.barred_until});
  file_.drop_slot(token.place);
}

void Collector::begin_round() {
  const auto bytes = learner_->bytes();
  auto point = model_bytes(learner_->point());
  const auto digest = ledger::sha256(point);
  file_.put_round({learner_->round(), sequence_, ledger::sha256(bytes), digest, point}, bytes);
  rounds_.push_back({learner_->round(), model_mark(digest), digest,
                     std::make_shared<const std::string>(std::move(point))});
  if (std::ssize(rounds_) > task().terms.staleness + 1) rounds_.pop_front();
}

void Collector::publish() {
  auto next = std::make_shared<Published>();
  next->round = learner_->round();
  next->reports = sequence_;
  next->finished = finished();
  next->diverged = learner_->diverged();
  next->bounded = learner_->bounded();
  for (const auto& round : rounds_) next->models[round.digest] = round.point;
  const std::scoped_lock lock(published_mutex_);
  published_ = std::move(next);
}

}  // namespace tacet::local
