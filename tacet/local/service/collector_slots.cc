// The collector's slots: who gets one, how long it is kept, what comes of one that ends unused.
#include <algorithm>
#include <limits>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/local/service/collector.h"

namespace tacet::local {
namespace {

constexpr std::int64_t longest_retry = 5;  // seconds
constexpr std::int64_t max_doublings = 10;

}  // namespace

/// A keyed hash of the token and the time.
std::int64_t Collector::retry_after(const TokenMac& mac, std::int64_t now) {
  const auto jitter = static_cast<std::int64_t>(mac[8]) + now;
  return 1 + jitter % longest_retry;
}

void Collector::read_slots(std::unordered_map<TokenMac, Token, TokenHash>& tokens) {
  ends_.clear();
  live_slots_ = 0;
  live_rounds_.clear();
  std::vector<bool> taken(static_cast<std::size_t>(task().terms.slots));
  file_.each_slot([&](const StoredSlot& slot) {
    const auto found = tokens.find(slot.mac);
    if (found == tokens.end() || found->second.live || slot.place < 0 ||
        slot.place >= task().terms.slots) {
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
  for (auto place = task().terms.slots - 1; place >= 0; --place) {
    if (!taken[static_cast<std::size_t>(place)]) free_places_.push_back(place);
  }
}

void Collector::ask_for_slot(Application& application, Token& token, std::int64_t now) {
  if (token.counted) {
    application.reason = Reason::used_token;
    return;
  }
  if (finished()) {
    application.reason = Reason::finished;
    return;
  }
  if (token.live) return name_slot(application, token, now);
  if (token.expired(now)) {
    application.reason = Reason::ended_token;
    return;
  }
  application.reason = Reason::round_full;
  application.retry_seconds = retry_after(application.mac, now);
  if (now < token.barred_until) {
    application.retry_seconds += (token.barred_until - now) / 1000;
    return;
  }
  application.waits = true;
  asking_.push_back({&application, token.missed});
}

/// Slots that may be given now: no more than reports that are still wanted, so that nobody draws a
/// report for nothing.
std::int64_t Collector::free_slots() const {
  return std::min(task().terms.slots, wanted()) - live_slots_;
}

void Collector::share_slots(std::span<Application* const> waiting, std::int64_t now) {
  if (free_slots() <= 0 && !finished()) return;
  for (auto* application : waiting) decide(*application, now);
  // One lot for each token, however often it asks.
  std::unordered_set<TokenMac, TokenHash> seen;
  std::vector<Application*> candidates;
  std::vector<std::int64_t> missed;
  for (const auto& [application, missed_slots] : asking_) {
    if (!seen.insert(application->mac).second) continue;
    candidates.push_back(application);
    missed.push_back(missed_slots);
  }
  const auto places = std::max<std::int64_t>(0, free_slots());
  for (const auto picked : draw_.pick(missed, static_cast<std::size_t>(places))) {
    with_token(*candidates[picked],
               [&](Token& token) { give_slot(*candidates[picked], token, now); });
  }
  // Who asked twice is answered twice.
  for (const auto& [application, missed_slots] : asking_) {
    if (!application->waits) continue;
    const auto found = tokens_.find(application->mac);
    if (found != tokens_.end() && found->second.live) name_slot(*application, found->second, now);
  }
}

void Collector::give_slot(Application& application, Token& token, std::int64_t now) {
  token.place = free_places_.back();
  free_places_.pop_back();
  token.slot_round = learner_->round();
  token.slot_end = now + 1000 * task().terms.slot_seconds;
  begin_slot(token);
  ends_.emplace_back(token.slot_end, application.mac);
  file_.put_slot({token.place, application.mac, token.slot_round, token.slot_end});
  name_slot(application, token, now);
}

/// A device that asks again gets only the rest of its slot, so that none holds a place for ever;
/// it has drawn nothing yet, and computes at the model of now.
void Collector::name_slot(Application& application, Token& token, std::int64_t now) {
  const auto round = learner_->round();
  if (token.slot_round != round) {
    leave_round(token.slot_round);
    token.slot_round = round;
    ++live_rounds_[round];
    file_.put_slot({token.place, application.mac, round, token.slot_end});
  }
  const auto seconds =
      std::clamp<std::int64_t>((token.slot_end - now) / 1000, 1, task().terms.slot_seconds);
  application.waits = false;
  application.reason = Reason::slot;
  application.retry_seconds = 0;
  application.slot = Slot{task().digest, static_cast<std::uint64_t>(round),
                          rounds_.rbegin()->second.digest, seconds};
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
  leave_round(token.slot_round);
}

void Collector::leave_round(std::int64_t round) {
  const auto found = live_rounds_.find(round);
  if (--found->second == 0) live_rounds_.erase(found);
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
  ++lapsed_;
  end_slot(token);
  file_.put_token({.mac = mac,
                   .missed = token.missed,
                   .barred_until = token.barred_until,
                   .expires = token.expires});
  file_.drop_slot(token.place);
}

}  // namespace tacet::local
