#include "tacet/local/service/serve_options.h"

#include <array>
#include <string>

#include "tacet/local/http/address.h"

namespace tacet::local {
namespace {

using ServeReading = learn::OptionReading<ServeOptions>;
constexpr auto serve_whole = learn::ParameterType::integer;
constexpr auto serve_number = learn::ParameterType::real;
constexpr auto serve_words = learn::ParameterType::text;
constexpr auto serve_nothing = learn::PrivacyRelevance::none;

std::chrono::milliseconds seconds_of(const ServeReading& given) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(1000 * given.real(0.01, 86400)));
}

constexpr std::array serve_table{
    ServeParameter{"connections", serve_whole, "1 to 1000000", "8192",
                   "open connections, of everybody", serve_nothing,
                   [](const ServeReading& given) {
                     given.options.http.connections = given.integer(1, 1000000);
                   }},
    ServeParameter{"connections-per-address", serve_whole, "1 to 1000000", "256",
                   "open connections of one address", serve_nothing,
                   [](const ServeReading& given) {
                     given.options.http.connections_per_address = given.integer(1, 1000000);
                   }},
    ServeParameter{"connections-per-second", serve_number, "0.01 to 1e6", "50",
                   "new connections of one address", serve_nothing,
                   [](const ServeReading& given) {
                     given.options.http.connections_per_second = given.real(0.01, 1e6);
                   }},
    ServeParameter{"failed-per-second", serve_number, "0.01 to 1e6", "5",
                   "connections of one address that end before their first request is whole",
                   serve_nothing,
                   [](const ServeReading& given) {
                     given.options.http.failed_per_second = given.real(0.01, 1e6);
                   }},
    ServeParameter{"requests-per-second", serve_number, "0.01 to 1e6", "20",
                   "slots and reports of one address, and as many tasks and models", serve_nothing,
                   [](const ServeReading& given) {
                     given.options.service.requests_per_second = given.real(0.01, 1e6);
                   }},
    ServeParameter{
        "queue", serve_whole, "1 to 1000000", "4096",
        "requests that wait for a commit; beyond, devices are told to come again", serve_nothing,
        [](const ServeReading& given) { given.options.service.queue = given.integer(1, 1000000); }},
    ServeParameter{
        "header-bytes", serve_whole, "256 to 1048576", "8192", "of a request", serve_nothing,
        [](const ServeReading& given) {
          given.options.http.header_bytes = static_cast<std::uint32_t>(given.integer(256, 1048576));
        }},
    ServeParameter{"body-bytes", serve_whole, "4096 to 1e12", "268435456",
                   "of all reports together that are being read or wait", serve_nothing,
                   [](const ServeReading& given) {
                     given.options.http.body_bytes = given.integer(4096, 1000000000000);
                   }},
    ServeParameter{
        "handshake-seconds", serve_number, "0.01 to 86400", "5", "for a TLS handshake",
        serve_nothing,
        [](const ServeReading& given) { given.options.http.handshake = seconds_of(given); }},
    ServeParameter{
        "header-seconds", serve_number, "0.01 to 86400", "5", "for a request's header",
        serve_nothing,
        [](const ServeReading& given) { given.options.http.header = seconds_of(given); }},
    ServeParameter{"body-seconds", serve_number, "0.01 to 86400", "10",
                   "for a request's body, and for taking the answer", serve_nothing,
                   [](const ServeReading& given) { given.options.http.body = seconds_of(given); }},
    ServeParameter{"idle-seconds", serve_number, "0.01 to 86400", "30",
                   "that a connection is kept between requests", serve_nothing,
                   [](const ServeReading& given) { given.options.http.idle = seconds_of(given); }},
    ServeParameter{"trusted-proxy", serve_words, "addresses with commas between them", "none",
                   "whose X-Forwarded-For says where a request came from; their "
                   "connections are not limited as one address",
                   serve_nothing,
                   [](const ServeReading& given) {
                     auto& proxies = given.options.http.trusted_proxies;
                     for (std::size_t begin = 0; begin <= given.text.size();) {
                       const auto end = std::min(given.text.find(',', begin), given.text.size());
                       const auto address = plain_address(given.text.substr(begin, end - begin));
                       if (!address) given.refuse();
                       proxies.push_back(*address);
                       begin = end + 1;
                     }
                   }},
    ServeParameter{"threads", serve_whole, "1 to 64", "1", "that read and check requests",
                   serve_nothing,
                   [](const ServeReading& given) {
                     given.options.threads = static_cast<int>(given.integer(1, 64));
                   }},
};

}  // namespace

std::span<const ServeParameter> serve_parameters() { return serve_table; }

ServeOptions serve_options(const learn::OptionValues& values) {
  ServeOptions options;
  learn::read_options(serve_parameters(), values, options);
  return options;
}

}  // namespace tacet::local
