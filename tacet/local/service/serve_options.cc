#include "tacet/local/service/serve_options.h"

#include <array>
#include <chrono>
#include <string>

#include "tacet/base/error.h"
#include "tacet/base/text.h"
#include "tacet/learn/plan/binding.h"
#include "tacet/local/http/address.h"

namespace tacet::local {
namespace {

using learn::bind;
using learn::integers;
using learn::list_of;
using learn::Parameter;
using learn::reals;
using enum learn::ParameterType;
using enum learn::PrivacyRelevance;
using Http = HttpLimits;
using Duration = std::chrono::milliseconds;

Duration seconds_of(const std::string& text) {
  return Duration(static_cast<std::int64_t>(1000 * learn::parse_real("seconds", text)));
}

void read_proxies(const std::string& text, HttpLimits& http) {
  for (const auto& part : base::split_at_commas(text)) {
    const auto address = plain_address(part);
    if (!address)
      throw base::UsageError("`trusted_proxy` must be addresses with commas between them, got '{}'",
                             text);
    http.trusted_proxies.push_back(*address);
  }
}

void read_origins(const std::string& text, HttpLimits& http) {
  for (const auto& part : base::split_at_commas(text)) {
    const auto scheme = part.find("://");
    const bool sound = (part.starts_with("https://") || part.starts_with("http://")) &&
                       part.size() > scheme + 3 &&
                       part.find_first_of("/ *", scheme + 3) == std::string::npos;
    if (!sound) {
      throw base::UsageError(
          "`allow_origin` must be origins such as https://example.org with commas between them, "
          "without a path and without *, got '{}'",
          text);
    }
    http.allowed_origins.push_back(part);
  }
}

constexpr std::array serve_table{
    Parameter{"connections", integer, integers(1, 1'000'000), "8192",
              "open connections, of everybody", none},
    Parameter{"connections-per-address", integer, integers(1, 1'000'000), "256",
              "open connections of one address", none},
    Parameter{"connections-per-second", real, reals(0.01, 1e6), "50",
              "new connections of one address", none},
    Parameter{"failed-per-second", real, reals(0.01, 1e6), "5",
              "connections of one address that end before their first request is whole", none},
    Parameter{"requests-per-second", real, reals(0.01, 1e6), "20",
              "slots and reports of one address, and as many tasks and models", none},
    Parameter{"queue", integer, integers(1, 1'000'000), "4096",
              "requests that wait for a commit; beyond, devices are told to come again", none},
    Parameter{"slot-wait-seconds", real, reals(0, 20), "2",
              "that a request for a slot waits for one before it is told to come again", none,
              "seconds"},
    Parameter{"allow-origin", text, list_of("origins with commas between them"), "none",
              "origins whose pages may ask from a browser, such as https://example.org", none},
    Parameter{"header-bytes", integer, integers(256, 1 << 20), "8192", "of a request", none,
              "bytes"},
    Parameter{"body-bytes", integer, integers(4096, 1'000'000'000'000), "268435456",
              "of all reports together that are being read or wait", none, "bytes"},
    Parameter{"handshake-seconds", real, reals(0.01, 86400), "5", "for a TLS handshake", none,
              "seconds"},
    Parameter{"header-seconds", real, reals(0.01, 86400), "5", "for a request's header", none,
              "seconds"},
    Parameter{"body-seconds", real, reals(0.01, 86400), "10",
              "for a request's body, and for taking the answer", none, "seconds"},
    Parameter{"idle-seconds", real, reals(0.01, 86400), "30",
              "that a connection is kept between requests", none, "seconds"},
    Parameter{"trusted-proxy", text, list_of("addresses with commas between them"), "none",
              "whose X-Forwarded-For says where a request came from; their connections are "
              "not limited as one address",
              none},
    Parameter{"threads", integer, integers(1, 64), "1", "that read and check requests", none},
};

template <auto member>
constexpr auto bind_seconds(std::string_view name) {
  return bind<member>(
      name, [](const std::string& text, HttpLimits& http) { http.*member = seconds_of(text); });
}

constexpr std::array http_bindings{
    bind<&HttpLimits::connections>("connections"),
    bind<&HttpLimits::connections_per_address>("connections-per-address"),
    bind<&HttpLimits::connections_per_second>("connections-per-second"),
    bind<&HttpLimits::failed_per_second>("failed-per-second"),
    bind<&HttpLimits::header_bytes>("header-bytes"),
    bind<&HttpLimits::body_bytes>("body-bytes"),
    bind_seconds<&HttpLimits::handshake>("handshake-seconds"),
    bind_seconds<&HttpLimits::header>("header-seconds"),
    bind_seconds<&HttpLimits::body>("body-seconds"),
    bind_seconds<&HttpLimits::idle>("idle-seconds"),
    bind<&HttpLimits::trusted_proxies>("trusted-proxy", read_proxies),
    bind<&HttpLimits::allowed_origins>("allow-origin", read_origins),
};

constexpr std::array service_bindings{
    bind<&ServiceOptions::requests_per_second>("requests-per-second"),
    bind<&ServiceOptions::queue>("queue"),
    bind<&ServiceOptions::slot_wait>("slot-wait-seconds",
                                     [](const std::string& text, ServiceOptions& service) {
                                       service.slot_wait = seconds_of(text);
                                     }),
};

constexpr std::array serve_bindings{bind<&ServeOptions::threads>("threads")};

}  // namespace

std::span<const learn::Parameter> serve_parameters() { return serve_table; }

ServeOptions serve_options(const learn::OptionValues& values) {
  learn::check_values(serve_parameters(), values);
  ServeOptions options;
  learn::read_bound(http_bindings, values, options.http);
  learn::read_bound(service_bindings, values, options.service);
  learn::read_bound(serve_bindings, values, options);
  return options;
}

}  // namespace tacet::local
