#include "tacet/apps/rehearsal.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include "tacet/apps/outcomes.h"
#include "tacet/base/error.h"
#include "tacet/choose/plan.h"
#include "tacet/data/owner/split_records.h"
#include "tacet/data/read/read_dataset.h"
#include "tacet/privacy/trusting_budget.h"
#include "tacet/random/source/source.h"

namespace tacet::apps {
namespace {

constexpr std::uint64_t fits_each = 5;
constexpr double test_share = 0.3;
constexpr std::int64_t fewest_records = 10;

/// Records of a part, in a file without a name that ends with the process.
class PartFile {
 public:
  PartFile() : file_(std::tmpfile()) {
    if (file_ == nullptr) fail("make");
  }

  void write(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size()) fail("write");
  }
  [[nodiscard]] data::OpenFile open(const std::string& name) const {
    if (std::fflush(file_.get()) != 0) fail("write");
    return {::fileno(file_.get()), name};
  }

 private:
  [[noreturn]] static void fail(std::string_view what) {
    throw base::IoError("cannot {} a temporary file: {}", what,
                        std::generic_category().message(errno));
  }
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file_;
};

struct Parts {
  PartFile train;
  PartFile test;
  data::SplitCounts counts;
};

void split(const RehearsalRequest& asked, const base::CancelToken& cancel, Parts& parts) {
  const auto to = [&cancel](PartFile& part) {
    return [&cancel, &part](std::string_view text) {
      cancel.throw_if_cancelled();
      part.write(text);
    };
  };
  parts.counts = data::split_records(asked.file,
                                     {.test_share = test_share,
                                      .together = asked.schema.unit.value_or(""),
                                      .format = asked.schema.format},
                                     to(parts.train), to(parts.test));
  const auto all = parts.counts.train + parts.counts.test;
  if (all < fewest_records || parts.counts.train == 0 || parts.counts.test == 0) {
    throw base::DataError(
        "'{}' has {} records, of which {} would train and {} test: too few to "
        "rehearse with",
        asked.file, all, parts.counts.train, parts.counts.test);
  }
}

class Fits {
 public:
  Fits(const RehearsalRequest& asked, base::ThreadPool& threads, const base::CancelToken& cancel)
      : asked_(asked), threads_(threads), cancel_(cancel) {
    split(asked, cancel, parts_);
  }

  [[nodiscard]] const data::SplitCounts& counts() const { return parts_.counts; }

  /// By a plan for what trains here; GuaranteeError where there is none.
  [[nodiscard]] learn::Training plan(double epsilon) {
    auto request = asked_.request;
    request.set("epsilon", epsilon).set("public-row-count", declared());
    return choose::plan(request, asked_.schema);
  }

  /// The metrics of one model on the test records.
  [[nodiscard]] Metrics metrics(const learn::Training& plan, std::uint64_t seed) {
    random::SeededSource source(seed);
    privacy::TrustingBudget budget(plan.guarantee.adjacency);
    auto reservation = budget.reserve(plan.events, plan.guarantee);
    const auto trained = plan.consume(read(parts_.train, plan.reading_schema()), plan.schema,
                                      {.source = source,
                                       .reservation = reservation,
                                       .threads = threads_,
                                       .supervision = {.progress = nullptr, .cancel = &cancel_}});
    const auto outcomes =
        outcomes_of(trained.model, read(parts_.test, trained.schema), {}, cancel_);
    if (outcomes.front().records == 0) {
      throw base::DataError("no test record of '{}' has a target", asked_.file);
    }
    return metrics_of(trained.model, outcomes.front());
  }

 private:
  /// What is public of the records that train here: their number, or that of their units.
  [[nodiscard]] std::int64_t declared() {
    if (!asked_.schema.unit) return parts_.counts.train;
    if (units_ == 0)
      units_ = std::max<std::int64_t>(1, read(parts_.train, asked_.schema).unit_count());
    return units_;
  }

  [[nodiscard]] data::Dataset read(const PartFile& part, const data::Schema& schema) const {
    return data::read_dataset(part.open(asked_.file), schema,
                              {.units = data::UnitUse::index,
                               .cancel = &cancel_,
                               .threads = &threads_,
                               .passes = data::Passes::once});
  }

  const RehearsalRequest& asked_;
  base::ThreadPool& threads_;
  const base::CancelToken& cancel_;
  Parts parts_{};
  std::int64_t units_ = 0;
};

double figure_of(const Metrics& metrics, std::string_view name) {
  const auto found = std::ranges::find(metrics, name, &Metrics::value_type::first);
  if (found != metrics.end() && found->second) return *found->second;
  throw base::DataError("the test records leave {} undefined, so that nothing can be compared",
                        name);
}

}  // namespace

report::Rehearsal rehearse(const RehearsalRequest& asked, base::ThreadPool& threads,
                           base::Progress& progress, const base::CancelToken& cancel) {
  Fits fits(asked, threads, cancel);
  const bool numbers = asked.schema.target && asked.schema.target->regression();
  report::Rehearsal out{.file = asked.file,
                        .trained_on = fits.counts().train,
                        .tested_on = fits.counts().test,
                        .metric = numbers ? "r2" : "accuracy",
                        .baseline_name = numbers ? "the mean" : "the most frequent class"};
  const auto total = static_cast<std::int64_t>(fits_each * asked.epsilons.size() + 1);
  std::int64_t done = 0;
  progress.advance("rehearsing", done, total);
  const auto without = fits.metrics(fits.plan(std::numeric_limits<double>::infinity()), 1);
  out.without_noise = figure_of(without, out.metric);
  // Numbers predicted by their mean explain nothing of themselves.
  out.baseline = numbers ? 0 : figure_of(without, "majority_share");
  for (const double epsilon : asked.epsilons) {
    auto& at = out.epsilons.emplace_back(report::RehearsedEpsilon{.epsilon = epsilon});
    try {
      const auto plan = fits.plan(epsilon);
      for (std::uint64_t seed = 1; seed <= fits_each; ++seed) {
        progress.advance("rehearsing", ++done, total);
        at.figures.push_back(figure_of(fits.metrics(plan, seed), out.metric));
      }
    } catch (const base::GuaranteeError&) {
      continue;  // nothing is proved there, as the plan says
    }
    std::ranges::sort(at.figures);
  }
  return out;
}

}  // namespace tacet::apps
