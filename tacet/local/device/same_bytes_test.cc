// What an observer of the network counts says nothing about a record.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <random>
#include <set>
#include <string>

#include "tacet/local/device/client.h"
#include "tacet/local/http/http_server.h"
#include "tacet/local/service/service.h"
#include "tests/support/local_task.h"
#include "tests/support/scratch_folder.h"

namespace tacet::local {
namespace same_bytes_test {

constexpr std::int64_t devices = 1000;

/// Values as people have them, and as nobody should.
std::string value(std::mt19937_64& draw) {
  constexpr std::array odd{"",    "nan",  "inf",  "-inf",    "1e308",        "-1e-308",
                           "yes", "Bern", "no",   "\"B,n\"", "0x10",         "1e999",
                           " ",   "-0",   "\xff", "Basel",   "\"\"\"a\"\"\""};
  const auto which = draw() % (2 * odd.size());
  if (which < odd.size()) return odd[which];
  return std::to_string(std::ldexp(static_cast<double>(draw()), -static_cast<int>(draw() % 64)));
}

TEST(SameBytesLong, AThousandRecordsSendTheSameRequestsAndTheSameNumberOfBytes) {
  const test::ScratchFolder folder;
  const auto state = folder.path() / "task.state";
  const auto task =
      test::small_task({.delay_seconds = 0}, {{"public-row-count", std::to_string(devices)}});
  ASSERT_TRUE(StateFile::make(state, task));
  const auto tokens = StateFile(state, ledger::Access::write).enrol(devices);
  Service service(state, {.requests_per_second = 1e6});
  HttpServer server({.limits = {.connections_per_second = 1e6}});
  server.start(service);
  const Policy policy{.largest_epsilon = 4, .all_tasks_epsilon = 4, .mechanisms = {"privunit"}};
  std::mt19937_64 draw(11);
  std::set<std::pair<std::int64_t, std::int64_t>> seen;  // requests and bytes of a device
  for (std::int64_t device = 0; device < devices; ++device) {
    const auto own = folder.path() / std::to_string(device);
    std::filesystem::create_directory(own);
    std::ofstream(own / "record.csv")
        << "age,town,bought\n"
        << value(draw) << ',' << value(draw) << ',' << value(draw) << '\n';
    const auto& counters = server.counters();
    const std::pair before(counters.requests.load(), counters.bytes_in.load());
    const auto source = random::SecureSource::create();
    HttpClientOptions options;
    options.server = {"127.0.0.1", std::to_string(server.port()), false};
    const auto transport = http_client(options);
    const auto result = take_part(
        {.task = task,
         .policy = policy,
         .record = own / "record.csv",
         .folder = own / "state",
         .token = tokens[static_cast<std::size_t>(device)]},
        {.transport = *transport, .source = *source, .wait = [](std::chrono::milliseconds) {}});
    ASSERT_EQ(result.answer, "counted");
    seen.emplace(counters.requests - before.first, counters.bytes_in - before.second);
  }
  EXPECT_EQ(seen.size(), 1U);
  server.stop();
}

}  // namespace same_bytes_test
}  // namespace tacet::local
