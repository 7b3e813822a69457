#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "tacet/local/http/http.h"

namespace tacet::local::internal {

/// The open connections of a server: who may come in, and who goes first when places are short.
///
/// A connection is *vouched for* once it has carried a token or a certificate that the handler
/// knows; of one token few connections are. Where a place is wanted and none is free, the
/// connection goes that has waited longest for a whole request and is not vouched for. An eighth of
/// all places is kept for those that are. Several threads may call it; it must outlive its places.
class ConnectionPlaces {
 public:
  class Place;

  ConnectionPlaces(const HttpLimits& limits, HttpCounters& counters)
      : limits_(limits), counters_(counters) {}
  ConnectionPlaces(const ConnectionPlaces&) = delete;
  ConnectionPlaces& operator=(const ConnectionPlaces&) = delete;

  /// A place, which counts as waiting; null where the address has enough, or nobody can go. `many`
  /// says that the address speaks for others.
  [[nodiscard]] std::shared_ptr<Place> enter(const std::string& address, bool many);
  /// Asks all that wait for a request to end.
  void end_waiting();

 private:
  struct Holder {
    std::string address;
    std::function<void()> end;
    std::string vouched_by;  // empty: by nobody
    bool waits = false;
    bool gone = false;  // its place is somebody else's
    std::list<Holder*>::iterator at;
  };
  void leave(Holder& holder);
  [[nodiscard]] std::function<void()> make_room();
  [[nodiscard]] bool is_short() const;

  const HttpLimits& limits_;
  HttpCounters& counters_;
  std::mutex mutex_;
  std::unordered_map<std::string, std::int64_t> addresses_;  // connections of each
  std::unordered_map<std::string, std::int64_t> vouchers_;   // vouched connections of each token
  std::int64_t unvouched_ = 0;
  std::list<Holder*> vouched_;  // for
  std::list<Holder*> waiting_;  // not vouched for, the one that waits longest first
  std::list<Holder*> working_;  // not vouched for, being answered
};

/// One connection's place, until the object goes.
class ConnectionPlaces::Place {
 public:
  explicit Place(ConnectionPlaces& places) : places_(places) {}
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  ~Place() { places_.leave(holder_); }

  /// Sets the function that tells the connection to end. Any thread may call that function, even
  /// after the connection has ended.
  void on_end(std::function<void()> end);
  /// A request is whole, and is being answered.
  void work();
  /// The answer is on its way: the next request is waited for.
  void wait();
  /// A request carried a token, or a certificate, that is known.
  void vouch(const std::string& token);

 private:
  friend class ConnectionPlaces;
  ConnectionPlaces& places_;
  Holder holder_;
};

}  // namespace tacet::local::internal
