#pragma once

#include <span>

#include "tacet/learn/plan/parameters.h"
#include "tacet/local/http/http.h"
#include "tacet/local/service/service.h"

namespace tacet::local {

/// What a server allows its clients, whatever they are.
struct ServeOptions {
  HttpLimits http;
  ServiceOptions service;
  int threads = 1;
};

/// A row each, for the command line, its help and the reference.
[[nodiscard]] std::span<const learn::Parameter> serve_parameters();

/// UsageError names the parameter, what was given and what is allowed.
[[nodiscard]] ServeOptions serve_options(const learn::OptionValues& values);

}  // namespace tacet::local
