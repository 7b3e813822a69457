#include "tacet/local/service/metrics.h"

#include <gtest/gtest.h>

#include <string>

namespace tacet::local {
namespace metrics_test {

bool has(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

TEST(MetricsTest, RoundsThatMetABoundAndATaskThatDivergedAreShown) {
  const ServiceCounters counters;
  const HttpCounters http;
  const ServiceSnapshot quiet{.task = "t", .ready = true};
  EXPECT_TRUE(has(metrics_text(quiet, counters, http), "\ntacet_rounds_refused 0\n"));
  EXPECT_TRUE(has(metrics_text(quiet, counters, http), "\ntacet_diverged 0\n"));
  EXPECT_FALSE(has(status_page(quiet, counters, http), "diverged"));
  const ServiceSnapshot loud{.task = "t",
                             .ready = true,
                             .diverged = true,
                             .rounds_cut = 3,
                             .rounds_refused = 4,
                             .log_lines_lost = 5};
  const auto text = metrics_text(loud, counters, http);
  EXPECT_TRUE(has(text, "\ntacet_rounds_cut 3\n"));
  EXPECT_TRUE(has(text, "\ntacet_rounds_refused 4\n"));
  EXPECT_TRUE(has(text, "\ntacet_log_lines_lost_total 5\n"));
  EXPECT_TRUE(has(text, "\ntacet_diverged 1\n"));
  const auto page = status_page(loud, counters, http);
  EXPECT_TRUE(has(page, "open, diverged"));
  EXPECT_TRUE(has(page, "3 cut, 4 refused"));
}

}  // namespace metrics_test
}  // namespace tacet::local
