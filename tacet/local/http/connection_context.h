#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "tacet/local/http/address.h"
#include "tacet/local/http/body_room.h"
#include "tacet/local/http/http.h"

namespace tacet::local::internal {

/// Who is at the other end.
struct Peer {
  std::string address;  ///< plain
  std::string identity;
  bool secure = false;
  bool loopback = false;
};

/// What all connections of a server share.
struct ConnectionContext {
  HttpHandler& handler;
  const HttpLimits& limits;
  HttpCounters& counters;
  std::atomic<bool>& draining;
  Bodies& bodies;
  AddressRates& failures;  ///< connections that came to nothing
};

}  // namespace tacet::local::internal
