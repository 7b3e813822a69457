#include "tacet/run/schema_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "tacet/accounting/stated_guarantee.h"
#include "tacet/base/error.h"
#include "tacet/base/text.h"
#include "tacet/data/owner/code_names.h"
#include "tacet/data/read/unit_sample.h"
#include "tacet/learn/plan/recorded.h"
#include "tacet/privacy/prg_share.h"
#include "tacet/run/fit_answers.h"
#include "tacet/run/split_budget.h"

namespace tacet::run {
namespace {

using data::ColumnContents;
using privacy::Delta;
using privacy::Epsilon;
using privacy::Private;

// A tenth of a column's epsilon counts numbers and texts, which needs no precision.
constexpr double kind_share = 0.1;
// Half of delta is for lists of texts, the other half for composing all answers.
constexpr double list_share_of_delta = 0.5;

const std::string& unit_of(const FitRequest& request) {
  static const std::string none;
  return request.frame.unit ? *request.frame.unit : none;
}

/// What no schema can say is refused before anything is spent.
void check_names(const FitRequest& request, const std::vector<std::string>& names) {
  const auto& unit = unit_of(request);
  const auto need = [&](const std::string& name) {
    const auto count = std::ranges::count(names, name);
    if (count == 1) return;
    if (count > 1) {
      throw base::UsageError("the file has {} columns named '{}'; names must differ", count, name);
    }
    const auto near = base::nearest_word(name, names);
    const auto why = internal::about_names(names);
    throw base::UsageError("the file has no column '{}'{}", name,
                           !why.empty()   ? why
                           : near.empty() ? std::string()
                                          : fmt::format("; the nearest is '{}'", near));
  };
  for (const auto* list : {&request.ignored, &request.codes, &request.numbers, &request.dates}) {
    for (const auto& name : *list) need(name);
  }
  if (!request.target.empty()) need(request.target);
  if (request.ignores(request.target)) throw base::UsageError("the target cannot be ignored");
  if (!unit.empty()) need(unit);
  if (!unit.empty() && (unit == request.target || request.ignores(unit))) {
    throw base::UsageError("the unit's column can be neither the target nor ignored");
  }
  data::Schema probe = request.frame;
  for (const auto& name : names) {
    if (name == request.target || name == unit) continue;
    probe.columns.push_back({.name = name, .rule = data::NumericColumn{}});
    if (request.ignores(name)) probe.columns.back().rule = data::IgnoredColumn{};
  }
  if (!request.target.empty() && !probe.target) {
    probe.target = data::Target{request.target, data::RegressionTarget{}};
  }
  probe.validate(request.data);
}

std::int64_t fitted_columns(const FitRequest& request, const std::vector<std::string>& names) {
  return std::ranges::count_if(names, [&](const std::string& name) {
    return !request.ignores(name) && name != unit_of(request) &&
           (name != request.target || !request.frame.target);
  });
}

/// The two answers about a column, at `epsilon` for both.
FitShares shares_at(double epsilon, double delta, const FitRequest& request) {
  const auto part = [&](double share, double of_delta) {
    return mechanism::AnswerCost{Epsilon(epsilon * share), Delta(of_delta), request.asked.adjacency,
                                 request.max_records_per_unit};
  };
  return {.kind = part(kind_share, 0), .bounds_or_texts = part(1 - kind_share, delta)};
}

privacy::Event answers(const FitShares& shares) {
  return privacy::Repeated{
      shares.columns, privacy::Composed{{shares.kind.event(), shares.bounds_or_texts.event()}}};
}

/// Every fitted column gets the same; a target of classes is not fitted.
FitShares divide(const FitRequest& request, const std::vector<std::string>& names) {
  const std::int64_t columns = fitted_columns(request, names);
  if (columns == 0) throw base::UsageError("there is no column to fit");
  const auto parts = static_cast<double>(columns);
  // Blocks of random numbers: for each column its kinds and its two bounds or its texts, then the
  // name of the fit and the random draws of the units.
  const std::int64_t blocks = 3 * columns + (unit_of(request).empty() ? 1 : 2);
  const double prg_slack = random::prg_slack_of(blocks, random::max_block_words);
  const Delta left = privacy::delta_left(request.asked, prg_slack);
  const double of_lists = left.value() / parts * list_share_of_delta;
  const auto at = [&](double epsilon) {
    auto shares = shares_at(epsilon, of_lists, request);
    shares.columns = columns;
    shares.prg_slack = prg_slack;
    return shares;
  };
  return at(largest_share({.event = [&](double epsilon) { return answers(at(epsilon)); },
                           .parts = parts,
                           .asked = request.asked,
                           .left = left}));
}

/// Refuses, from public facts alone, a budget that would find no bounds in this number of records.
void check_row_count(const FitRequest& request, const FitShares& shares) {
  const auto& rows = request.frame.public_row_count;
  const double need = mechanism::min_values_for_bounds(shares.bounds_or_texts.epsilon_per_value());
  if (!rows || static_cast<double>(*rows) >= need) return;
  throw base::UsageError(
      "epsilon {} for {} columns finds no bounds in {} records: it takes some {:.0f} records, an "
      "epsilon of about {:.2g}, or fewer columns (`ignore`); bounds from a codebook cost nothing",
      request.asked.epsilon, shares.columns, *rows, std::ceil(need),
      request.asked.epsilon * need / static_cast<double>(*rows));
}

/// The epsilon that the accountant proves for all answers, at most what was asked for.
data::SchemaCost planned_cost(const FitRequest& request, const FitShares& shares,
                              random::Source& source) {
  const auto events = answers(shares);
  const auto proved = accounting::stated_guarantee(events, request.asked, shares.prg_slack);
  if (!(proved.epsilon <= request.asked.epsilon)) {
    throw base::InternalError("the answers about all columns cost more than their shares");
  }
  // A name, which only has to differ from the names of other fits.
  const auto id = random::Stream(source.claim(random::Purpose::initialisation, 0, 0)).next();
  return {
      .id = fmt::format("{:016x}", id),
      .unit = request.frame.unit.value_or("record"),
      .max_records_per_unit = request.max_records_per_unit,
      .events = events,
      .guarantee = proved,
      .prg_slack = shares.prg_slack,
      .unprotected_reason = source.secure() ? "" : "seeded noise; for tests and experiments only"};
}

/// The answers about one column after the other.
class Fitter {
 public:
  Fitter(const FitRequest& request, const FitShares& shares, const FitTools& tools)
      : request_(request), shares_(shares), tools_(tools) {}

  /// Nothing where the numbers are too few for bounds.
  [[nodiscard]] std::optional<data::RegressionTarget> target(
      const Private<ColumnContents>& contents, std::size_t k) {
    const auto counts = kinds(contents, k);
    const auto found = bounds(contents, counts.numbers, k);
    const double need =
        mechanism::min_values_for_bounds(shares_.bounds_or_texts.epsilon_per_value());
    if (static_cast<double>(counts.numbers) < need) {
      no_target_ = internal::why_no_target(request_.target, counts, need);
      return std::nullopt;
    }
    if (request_.target_kind == data::NumberKind::count) {
      return data::RegressionTarget{.upper = std::max(1.0, std::ceil(found.upper)),
                                    .kind = data::NumberKind::count};
    }
    return data::RegressionTarget{found.lower, found.upper};
  }

  [[nodiscard]] decltype(data::Column::rule) rule(const Private<ColumnContents>& contents,
                                                  const std::string& name, std::size_t k) {
    const auto counts = kinds(contents, k);
    std::array of_kinds{counts.numbers, counts.codes, counts.prose};
    std::ranges::sort(of_kinds, std::ranges::greater{});
    const auto lead = static_cast<double>(of_kinds[0] - std::max<std::int64_t>(of_kinds[1], 0));
    const double need = mechanism::kind_margin(shares_.kind);
    if (lead < need) return not_found(name, "values of one kind", lead, need);
    if (counts.numbers == of_kinds[0]) {
      const auto found = bounds(contents, counts.numbers, k);
      if (!enough_for_bounds(name, counts.numbers)) return data::IgnoredColumn{};
      const bool dates = std::ranges::find(request_.dates, name) != request_.dates.end();
      return internal::numbers_between(found, dates);
    }
    if (counts.prose == of_kinds[0]) return data::TextColumn{buckets_for(counts.prose)};
    return texts(contents, counts.codes, k);
  }

  [[nodiscard]] std::vector<std::string> take_not_found() { return std::move(not_found_); }
  [[nodiscard]] std::string take_no_target() { return std::move(no_target_); }

 private:
  data::IgnoredColumn not_found(const std::string& name, std::string_view what, double found,
                                double need) {
    const double values = std::max(found, 1.0);
    not_found_.push_back(fmt::format(
        "nothing was found out about column '{}', which is ignored: it has about {:.0f} {}, this "
        "budget needs {:.0f}; an epsilon of about {:.2g} or fewer columns would do",
        name, std::max(found, 0.0), what, std::ceil(need), request_.asked.epsilon * need / values));
    return {};
  }

  /// Decided by the released count.
  [[nodiscard]] bool enough_for_bounds(const std::string& name, std::int64_t numbers) {
    const double need =
        mechanism::min_values_for_bounds(shares_.bounds_or_texts.epsilon_per_value());
    if (static_cast<double>(numbers) >= need) return true;
    static_cast<void>(not_found(name, "numbers", static_cast<double>(numbers), need));
    return false;
  }

  /// Bits of a hash with no more buckets than there are values; the cap of all columns comes later.
  [[nodiscard]] static int buckets_for(std::int64_t values) {
    constexpr int max = 18;
    return std::clamp(static_cast<int>(std::log2(static_cast<double>(values))), 1, max);
  }

  [[nodiscard]] decltype(data::Column::rule) texts(const Private<ColumnContents>& contents,
                                                   std::int64_t about, std::size_t k) const {
    const data::HashedColumn hashed{buckets_for(about)};
    if (shares_.bounds_or_texts.delta.value() == 0) return hashed;
    const auto found =
        mechanism::release_frequent(contents.map([](const auto& c) { return c.codes; }),
                                    shares_.bounds_or_texts,
                                    {{.step = k, .tensor = 3}, tools_.source, tools_.reservation})
            .value();
    if (found.empty()) return hashed;
    data::CategoricalColumn rule{.categories = {}, .other = data::OtherRule::column};
    for (const auto& text : found) {
      if (static_cast<std::int64_t>(rule.categories.size()) == request_.max_categories) break;
      rule.categories.push_back(text.text);
    }
    return rule;
  }

  [[nodiscard]] mechanism::KindCounts kinds(const Private<ColumnContents>& contents,
                                            std::size_t k) const {
    const auto counts = contents.map([](const ColumnContents& c) {
      return mechanism::KindCounts{static_cast<std::int64_t>(c.numbers.size()), c.code_count,
                                   c.prose_count};
    });
    return mechanism::release_kinds(counts, shares_.kind,
                                    {{.step = k, .tensor = 0}, tools_.source, tools_.reservation})
        .value();
  }

  [[nodiscard]] mechanism::Bounds bounds(const Private<ColumnContents>& contents,
                                         std::int64_t about, std::size_t k) const {
    const auto& cost = shares_.bounds_or_texts;
    const double share =
        mechanism::attainable_coverage(request_.coverage, about, cost.epsilon_per_value());
    return mechanism::release_bounds(contents.map([](const auto& c) { return c.numbers; }), share,
                                     cost,
                                     {{.step = k, .tensor = 1}, tools_.source, tools_.reservation})
        .value();
  }

  const FitRequest& request_;
  const FitShares& shares_;
  const FitTools& tools_;
  std::vector<std::string> not_found_;
  std::string no_target_;
};

}  // namespace

privacy::Event recorded_fit(const privacy::Receipt& receipt, learn::RecordedParameters& parameters,
                            const privacy::Event& /*own*/) {
  learn::expect_plain_release(receipt);
  const bool units = receipt.privacy_unit != "record";
  const auto cost = [&](const char* name, double delta) {
    return mechanism::AnswerCost{Epsilon(parameters.real(name)), Delta(delta),
                                 receipt.guarantee.adjacency,
                                 units ? parameters.count("max_records_per_unit") : 1};
  };
  return answers({.kind = cost("epsilon_of_kinds", 0),
                  .bounds_or_texts = cost("epsilon_of_bounds", parameters.real("delta_of_texts")),
                  .columns = parameters.count("columns")});
}

bool FitRequest::takes_for_codes(const std::string& name) const {
  const auto listed = [&](const std::vector<std::string>& names) {
    return std::ranges::find(names, name) != names.end();
  };
  if (listed(codes)) return true;
  return name != target && !listed(numbers) && !listed(dates) && data::named_like_code(name);
}

bool FitRequest::ignores(const std::string& name) const {
  return std::ranges::find(ignored, name) != ignored.end();
}

FitPlan plan_fit(const FitRequest& request, std::vector<std::string> names,
                 random::Source& source) {
  check_names(request, names);
  constexpr std::int64_t max_hashed = std::int64_t{1} << 24;
  if (request.max_hashed < 2 || request.max_hashed > max_hashed) {
    throw base::UsageError("hashed features must be 2 to {}, got {}", max_hashed,
                           request.max_hashed);
  }
  const auto shares = divide(request, names);
  check_row_count(request, shares);
  auto cost = planned_cost(request, shares, source);
  return {std::move(names), shares, std::move(cost)};
}

Contents read_for_fit(const FitRequest& request, const FitPlan& plan, const FitReading& reading) {
  const auto& [records, source, cancel] = reading;
  const auto& frame = request.frame;
  data::ContentsOptions options{.expected = plan.names, .cancel = cancel};
  for (const auto& name : plan.names) {
    const bool dates = std::ranges::find(request.dates, name) != request.dates.end();
    options.rules.push_back({.reader = data::NumberReader(dates, frame.format.spelling),
                             .codes = request.takes_for_codes(name)});
  }
  std::optional<data::UnitSample> sample;
  if (frame.unit) {
    sample.emplace(data::UnitRecords{records, frame.missing},
                   data::RecordsPerUnit{*frame.unit, request.max_records_per_unit},
                   source.claim(random::Purpose::sampling, 0, 0), cancel);
    options.sample = &*sample;
  }
  return data::read_contents(records, frame.missing, options);
}

Fitted fit(const FitRequest& request, const FitPlan& plan, const Contents& contents,
           const FitTools& tools) {
  auto schema = request.frame;
  schema.cost = plan.cost;
  Fitter fitter(request, plan.shares, tools);
  for (std::size_t k = 0; k < plan.names.size(); ++k) {
    if (tools.cancel != nullptr) tools.cancel->throw_if_cancelled();
    const auto& name = plan.names[k];
    if (name == schema.unit) continue;
    if (request.ignores(name)) {
      schema.columns.push_back({.name = name, .rule = data::IgnoredColumn{}});
    } else if (name != request.target) {
      schema.columns.push_back({.name = name, .rule = fitter.rule(contents[k], name, k)});
    } else if (!schema.target) {
      if (const auto found = fitter.target(contents[k], k)) {
        schema.target = data::Target{name, *found};
      } else {
        schema.columns.push_back({.name = name, .rule = data::IgnoredColumn{}});
      }
    }
  }
  if (tools.source.prg_slack() > plan.cost.prg_slack) {
    throw base::InternalError("the fit drew more noise than was planned for it");
  }
  internal::cap_hashed(request.max_hashed, schema);
  internal::keep_one_column(request, schema);
  schema.validate(request.data);
  auto doubts = internal::doubts_of(request, schema);
  auto unlisted = internal::unlisted_texts(request, schema);
  return {std::move(schema), fitter.take_not_found(), fitter.take_no_target(), std::move(doubts),
          std::move(unlisted)};
}

}  // namespace tacet::run
