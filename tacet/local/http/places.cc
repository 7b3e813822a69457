#include "tacet/local/http/places.h"

#include <utility>
#include <vector>

namespace tacet::local::internal {
namespace {

constexpr std::int64_t reserve_share = 8;          // one place in so many is for those vouched for
constexpr std::int64_t connections_per_token = 8;  // that a token vouches for

}  // namespace

bool ConnectionPlaces::is_short() const {
  return counters_.open >= limits_.connections ||
         unvouched_ >= limits_.connections - limits_.connections / reserve_share;
}

std::shared_ptr<ConnectionPlaces::Place> ConnectionPlaces::enter(const std::string& address,
                                                                 bool many) {
  auto place = std::make_shared<Place>(*this);
  auto& holder = place->holder_;
  holder.address = address;
  holder.gone = true;  // until it is in
  std::vector<std::function<void()>> ends;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = addresses_.find(address);
    const auto here = found == addresses_.end() ? 0 : found->second;
    if (!many && here >= limits_.connections_per_address) return nullptr;
    while (is_short()) {
      if (waiting_.empty()) break;
      ends.push_back(make_room());
    }
    if (!is_short()) {
      holder.gone = false;
      ++addresses_[address];
      ++counters_.open;
      ++counters_.opened;
      ++unvouched_;
      holder.waits = true;
      holder.at = waiting_.insert(waiting_.end(), &holder);
    }
  }
  for (const auto& end : ends) {
    if (end) end();
  }
  return holder.gone ? nullptr : place;
}

/// Takes the place of the connection that has waited longest; returns the function that tells it.
std::function<void()> ConnectionPlaces::make_room() {
  auto& first = *waiting_.front();
  auto end = std::move(first.end);
  ++counters_.ended_early;
  waiting_.pop_front();
  first.waits = false;
  first.gone = true;
  --unvouched_;
  --counters_.open;
  const auto found = addresses_.find(first.address);
  if (--found->second == 0) addresses_.erase(found);
  return end;
}

void ConnectionPlaces::leave(Holder& holder) {
  const std::scoped_lock lock(mutex_);
  if (holder.gone) return;
  holder.gone = true;
  --counters_.open;
  const auto found = addresses_.find(holder.address);
  if (--found->second == 0) addresses_.erase(found);
  if (holder.vouched_by.empty()) {
    --unvouched_;
    (holder.waits ? waiting_ : working_).erase(holder.at);
    return;
  }
  vouched_.erase(holder.at);
  const auto token = vouchers_.find(holder.vouched_by);
  if (--token->second == 0) vouchers_.erase(token);
}

void ConnectionPlaces::end_waiting() {
  std::vector<std::function<void()>> ends;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto* list : {&vouched_, &waiting_, &working_}) {
      for (const auto* holder : *list) ends.push_back(holder->end);
    }
  }
  for (const auto& end : ends) {  // may end a connection, which takes the lock
    if (end) end();
  }
}

void ConnectionPlaces::Place::on_end(std::function<void()> end) {
  const std::scoped_lock lock(places_.mutex_);
  holder_.end = std::move(end);
}

void ConnectionPlaces::Place::work() {
  const std::scoped_lock lock(places_.mutex_);
  if (holder_.gone || !holder_.waits) return;
  holder_.waits = false;
  if (holder_.vouched_by.empty()) {
    places_.working_.splice(places_.working_.end(), places_.waiting_, holder_.at);
  }
}

void ConnectionPlaces::Place::wait() {
  const std::scoped_lock lock(places_.mutex_);
  if (holder_.gone || holder_.waits) return;
  holder_.waits = true;
  if (holder_.vouched_by.empty()) {
    places_.waiting_.splice(places_.waiting_.end(), places_.working_, holder_.at);
  }
}

void ConnectionPlaces::Place::vouch(const std::string& token) {
  const std::scoped_lock lock(places_.mutex_);
  if (holder_.gone || !holder_.vouched_by.empty()) return;
  auto& here = places_.vouchers_[token];
  if (here >= connections_per_token) return;
  ++here;
  holder_.vouched_by = token;
  --places_.unvouched_;
  auto& from = holder_.waits ? places_.waiting_ : places_.working_;
  places_.vouched_.splice(places_.vouched_.end(), from, holder_.at);
}

}  // namespace tacet::local::internal
