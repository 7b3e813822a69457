#include "tacet/learn/plan/setting_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <variant>

#include "tacet/data/schema/projection.h"
#include "tacet/learn/plan/calibration.h"
#include "tacet/learn/plan/parameters.h"
#include "tacet/model/loss/loss.h"

namespace tacet::learn {
namespace {

std::vector<double> numbers_in(std::string_view name, const std::string& list) {
  std::istringstream stream(list);
  std::vector<double> values;
  for (std::string word; stream >> word;) values.push_back(parse_real(std::string(name), word));
  if (values.empty()) throw base::DataError("the parameter {} is empty", name);
  return values;
}

/// The loss that the parameters name; it is assumed, not checked. UsageError if there is none.
model::Loss recorded_loss(RecordedParameters& parameters) {
  const auto number = [&](const char* name) {
    return parameters.has(name) ? parameters.real(name, Looking::assumes)
                                : std::numeric_limits<double>::quiet_NaN();
  };
  return model::make_loss(parameters.text("loss", Looking::assumes), number("loss_parameter"),
                          number("loss_width"));
}

/// Methods with a paper's calibration record the paper's claim.
void expect_claim(RecordedParameters& parameters, const privacy::Receipt& receipt) {
  const bool claimed = parameters.has("claimed_epsilon");
  if (claimed != (receipt.calibration != to_string(Calibration::tight))) {
    throw base::DataError("the calibration is {}, but {} is claimed", receipt.calibration,
                          claimed ? "a paper's guarantee" : "no paper's guarantee");
  }
  // Nothing in the file confirms any further claim of the paper.
  if (claimed && parameters.real("claimed_epsilon", Looking::assumes) < receipt.guarantee.epsilon) {
    throw base::DataError("the paper claims less than what is stated");
  }
  if (claimed) parameters.expect("claimed_delta", receipt.guarantee.delta, "stated is");
}

}  // namespace

std::string SettingRange::text() const {
  const bool bounded = highest < std::numeric_limits<double>::max();
  if (!bounded) return fmt::format("{} {}", open ? "above" : "at least", lowest);
  return open ? fmt::format("above {} and at most {}", lowest, highest)
              : fmt::format("{} to {}", lowest, highest);
}

void SettingList::expect_within(std::string_view name, double value, SettingRange range) {
  if (range.has(value)) return;
  throw base::DataError("the parameter {} is {:g}, but must be {}", name, value, range.text());
}

void SettingList::expect_absent(std::string_view name) const {
  if (!parameters_->has(std::string(name))) return;
  throw base::DataError("the parameter {} is there, which such a run does not write", name);
}

void SettingList::expect(std::string_view name, const Setting::Value& value) {
  expect_there(*parameters_, {name});
  std::visit(
      [&](const auto& own) {
        parameters_->expect(std::string(name), own, "what the receipt says leads to");
      },
      value);
}

void SettingList::computed(std::string_view name, double value, Shown shown) {
  if (!reads()) return write(name, value, shown);
  const double stated = parameters_->real(std::string(name));
  if (nearly_equal(stated, value)) return;
  throw base::DataError("the parameter {} is {:.6g}, but the other parameters lead to {:.6g}", name,
                        stated, value);
}

void SettingList::checked(std::string_view name, std::vector<double>& values, SettingRange each,
                          Shown shown) {
  if (!reads()) return write(name, fmt::format("{}", fmt::join(values, " ")), shown);
  values = numbers_in(name, parameters_->text(std::string(name)));
  for (const double value : values) expect_within(name, value, each);
}

void SettingList::computed(std::string_view name, const std::vector<double>& values, int digits,
                           Shown shown) {
  if (!reads()) {
    const auto rounded = [&](double value) {
      return digits < 17 ? fmt::format("{:.{}g}", value, digits) : fmt::format("{}", value);
    };
    std::vector<std::string> texts;
    for (const double value : values) texts.push_back(rounded(value));
    return write(name, fmt::format("{}", fmt::join(texts, " ")), shown);
  }
  const double tolerance = std::max(1e-9, std::pow(10.0, 1 - digits));
  const auto close = [&](double one, double other) {
    return std::abs(one - other) <= tolerance * std::abs(other);
  };
  const auto stated = numbers_in(name, parameters_->text(std::string(name)));
  if (std::ranges::equal(stated, values, close)) return;
  throw base::DataError("the numbers of the parameter {} are not those of the other parameters",
                        name);
}

void SettingList::problem(Shown repeated, bool releases_depend_on_it) {
  if (reads()) {
    if (!releases_depend_on_it) return;
    plan_.loss = recorded_loss(*parameters_);
    return assumed("columns", plan_.columns, at_least_1);
  }
  const auto& loss = plan_.loss;
  note("loss", model::loss_name(loss));
  if (const auto name = model::loss_parameter_name(loss); !name.empty()) {
    note("loss_parameter", model::loss_parameter(loss),
         {.table = false, .receipt = repeated.receipt});
    note(fmt::format("loss_{}", name), model::loss_parameter(loss));
  }
  if (const double width = model::loss_width(loss); !std::isnan(width)) note("loss_width", width);
  if (!plan_.class_weights_given.empty()) note("class_weights", plan_.class_weights_given);
  note("columns", plan_.columns);
  if (plan_.projection) {
    note("projection", data::projection_name(*plan_.projection));
    note("projection_width", plan_.projection->width);
    note("projection_seed", plan_.projection->seed);
    const auto room = plan_.projection->room;
    if (room != 1) note("projection_room", room, {.table = false});
  }
  if (plan_.public_row_count > 0) note("public_row_count", plan_.public_row_count, repeated);
  if (plan_.first) feature_selection(plan_.first->noise, plan_.first->stddevs);
}

void SettingList::sampling(std::string_view scheme) {
  if (reads()) return expect_sampling(*receipt_, scheme);
  plan_.sampling_scheme = scheme;
}

void SettingList::feature_selection(double& noise, double& threshold) {
  constexpr SettingRange from_3{.lowest = 3};
  checked(feature_selection_name, noise, above_0);
  checked(feature_selection_threshold_name, threshold, from_3);
}

void SettingList::claim() {
  if (reads()) return expect_claim(*parameters_, *receipt_);
  if (!plan_.claim) return;
  note("claimed_epsilon", plan_.claim->epsilon);
  note("claimed_delta", plan_.claim->delta);
}

void SettingList::records_per_unit(Looking looking, std::int64_t& records, Shown shown) {
  constexpr SettingRange range{.lowest = 1, .highest = privacy::records_per_unit_limit};
  shown.receipt = plan_.privacy_unit != single_record;
  read_as(looking, max_records_per_unit_name, records, range, shown);
}

void SettingList::one_record_per_unit() {
  if (plan_.privacy_unit != single_record) follows(max_records_per_unit_name, std::int64_t{1});
}

void read_head(MethodPlan& plan, const privacy::Receipt& receipt) {
  plan.method = receipt.algorithm;
  plan.guarantee = receipt.guarantee;
  plan.public_row_count = receipt.public_row_count.value_or(0);
  plan.privacy_unit = receipt.privacy_unit;
  plan.prg_slack = receipt.prg_slack;
  if (const auto found = calibration_names.find(receipt.calibration)) plan.calibration = *found;
}

void expect_settings(RecordedParameters& parameters, const std::vector<Setting>& settings,
                     std::string_view whose) {
  for (const auto& setting : settings) {
    std::visit([&](const auto& value) { parameters.expect(setting.name, value, whose); },
               setting.value);
  }
}

}  // namespace tacet::learn
