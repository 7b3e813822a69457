#include "tacet/run/schema_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "tacet/accounting/stated_guarantee.h"
#include "tacet/base/error.h"
#include "tacet/data/read/unit_sample.h"
#include "tacet/privacy/cipher_share.h"

namespace tacet::run {
namespace {

using data::ColumnContents;
using privacy::Delta;
using privacy::Epsilon;
using privacy::Private;

// A tenth of a column's epsilon counts numbers and texts, which needs no precision.
constexpr double kind_share = 0.1;
// Shares of epsilon are rounded down by more than their sum can be rounded up.
constexpr double spare = 1e-12;

const std::string& unit_of(const FitRequest& request) {
  static const std::string none;
  return request.frame.unit ? *request.frame.unit : none;
}

/// What no schema can say is refused before anything is spent.
void check_names(const FitRequest& request, const std::vector<std::string>& names) {
  const auto& unit = unit_of(request);
  const auto need = [&](const std::string& name) {
    if (std::ranges::count(names, name) == 1) return;
    throw base::UsageError(fmt::format("the file has no column '{}', or several", name));
  };
  for (const auto& name : request.ignored) need(name);
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

/// Every fitted column gets the same; a target of classes is not fitted.
FitShares divide(const FitRequest& request, const std::vector<std::string>& names) {
  const auto& asked = request.asked;
  const auto& unit = unit_of(request);
  FitShares shares{
      .kind = {Epsilon(1), Delta(0), asked.adjacency, request.records_a_unit},
      .bounds_or_texts = {Epsilon(1), Delta(0), asked.adjacency, request.records_a_unit}};
  shares.columns = std::ranges::count_if(names, [&](const std::string& name) {
    return !request.ignores(name) && name != unit &&
           (name != request.target || !request.frame.target);
  });
  if (shares.columns == 0) throw base::UsageError("there is no column to fit");
  const auto parts = static_cast<double>(shares.columns);
  // Of each column: its kinds, two bounds or its texts; the name of the fit; the units' coins.
  const std::int64_t leaves = 3 * shares.columns + (unit.empty() ? 1 : 2);
  shares.cipher_delta = random::cipher_term(leaves, random::most_leaf_words);
  const Delta left = privacy::delta_left(asked, shares.cipher_delta);
  const double each = asked.epsilon / parts * (1 - spare);
  shares.kind.epsilon = Epsilon(each * kind_share);
  shares.bounds_or_texts.epsilon = Epsilon(each * (1 - kind_share) * (1 - spare));
  shares.bounds_or_texts.delta = Delta(left.value() / parts * (1 - spare));
  return shares;
}

/// The epsilon that the accountant proves for all answers, at most what was asked for.
data::SchemaCost planned_cost(const FitRequest& request, const FitShares& shares,
                              random::Source& source) {
  const privacy::Event answers = privacy::Repeated{
      shares.columns, privacy::Composed{{shares.kind.event(), shares.bounds_or_texts.event()}}};
  const auto proved = accounting::stated_guarantee(answers, request.asked, shares.cipher_delta);
  if (!(proved.epsilon <= request.asked.epsilon)) {
    throw base::InternalError("the answers about all columns cost more than their shares");
  }
  // A name, which only has to differ from the names of other fits.
  const auto id = random::Stream(source.lease(random::Purpose::initialisation, 0, 0)).next();
  return {
      .id = fmt::format("{:016x}", id),
      .unit = request.frame.unit.value_or("record"),
      .events = answers,
      .guarantee = proved,
      .cipher_delta = shares.cipher_delta,
      .unprotected_reason = source.secure() ? "" : "seeded noise; for tests and experiments only"};
}

/// The answers about one column after the other.
class Fitter {
 public:
  Fitter(const FitRequest& request, const FitShares& shares, const FitTools& tools)
      : request_(request), shares_(shares), tools_(tools) {}

  [[nodiscard]] data::RegressionTarget target(const Private<ColumnContents>& contents,
                                              std::size_t k) const {
    const auto found = bounds(contents, kinds(contents, k).numbers, k);
    return {found.lower, found.upper};
  }

  [[nodiscard]] decltype(data::Column::rule) rule(const Private<ColumnContents>& contents,
                                                  std::size_t k) const {
    const auto counts = kinds(contents, k);
    if (counts.numbers >= std::max(counts.codes, counts.prose)) {
      const auto found = bounds(contents, counts.numbers, k);
      return data::NumericColumn{.lower = found.lower, .upper = found.upper};
    }
    if (counts.prose > counts.codes) return data::TextColumn{};
    if (shares_.bounds_or_texts.delta.value() == 0) return data::HashedColumn{};
    const auto found =
        mechanism::release_frequent(contents.map([](const auto& c) { return c.codes; }),
                                    shares_.bounds_or_texts, {.step = k, .tensor = 3},
                                    tools_.source, tools_.reservation)
            .value();
    if (found.empty()) return data::HashedColumn{};
    data::CategoricalColumn rule{.categories = {}, .other = data::OtherRule::column};
    for (const auto& text : found) {
      if (static_cast<std::int64_t>(rule.categories.size()) == request_.most_categories) break;
      rule.categories.push_back(text.text);
    }
    return rule;
  }

 private:
  [[nodiscard]] mechanism::KindCounts kinds(const Private<ColumnContents>& contents,
                                            std::size_t k) const {
    const auto counts = contents.map([](const ColumnContents& c) {
      return mechanism::KindCounts{static_cast<std::int64_t>(c.numbers.size()), c.code_count,
                                   c.prose_count};
    });
    return mechanism::release_kinds(counts, shares_.kind, {.step = k, .tensor = 0}, tools_.source,
                                    tools_.reservation)
        .value();
  }

  [[nodiscard]] mechanism::Bounds bounds(const Private<ColumnContents>& contents,
                                         std::int64_t about, std::size_t k) const {
    const auto& cost = shares_.bounds_or_texts;
    const double share =
        mechanism::attainable_coverage(request_.coverage, about, cost.epsilon_a_value());
    return mechanism::release_bounds(contents.map([](const auto& c) { return c.numbers; }), share,
                                     cost, {.step = k, .tensor = 1}, tools_.source,
                                     tools_.reservation)
        .value();
  }

  const FitRequest& request_;
  const FitShares& shares_;
  const FitTools& tools_;
};

}  // namespace

bool FitRequest::ignores(const std::string& name) const {
  return std::ranges::find(ignored, name) != ignored.end();
}

FitPlan plan_fit(const FitRequest& request, std::vector<std::string> names,
                 random::Source& source) {
  check_names(request, names);
  const auto shares = divide(request, names);
  auto cost = planned_cost(request, shares, source);
  return {std::move(names), shares, std::move(cost)};
}

Contents read_for_fit(const FitRequest& request, random::Source& source,
                      const base::CancelToken* cancel) {
  const auto& frame = request.frame;
  if (!frame.unit) return data::read_contents(request.data, frame.format, frame.missing, cancel);
  data::UnitSample sample(request.data, frame.format, frame.missing,
                          {*frame.unit, request.records_a_unit},
                          source.lease(random::Purpose::sampling, 0, 0), cancel);
  return data::read_contents(request.data, frame.format, frame.missing, cancel, &sample);
}

data::Schema fit(const FitRequest& request, const FitPlan& plan, const Contents& contents,
                 const FitTools& tools) {
  auto schema = request.frame;
  schema.cost = plan.cost;
  const Fitter fitter(request, plan.shares, tools);
  for (std::size_t k = 0; k < plan.names.size(); ++k) {
    if (tools.cancel != nullptr) tools.cancel->throw_if_cancelled();
    const auto& name = plan.names[k];
    if (name == schema.unit) continue;
    if (request.ignores(name)) {
      schema.columns.push_back({.name = name, .rule = data::IgnoredColumn{}});
    } else if (name != request.target) {
      schema.columns.push_back({.name = name, .rule = fitter.rule(contents[k], k)});
    } else if (!schema.target) {
      schema.target = data::Target{name, fitter.target(contents[k], k)};
    }
  }
  if (tools.source.cipher_delta() > plan.cost.cipher_delta) {
    throw base::InternalError("the fit drew more noise than was planned for it");
  }
  schema.validate(request.data);
  return schema;
}

}  // namespace tacet::run
