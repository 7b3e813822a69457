#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/base/names.h"
#include "tacet/learn/plan/recorded.h"
#include "tacet/learn/plan/training.h"
#include "tacet/privacy/receipt.h"

/// The settings of a plan as one list that writes and reads. Each method lists its settings in one
/// function; training writes the receipt by it, and `verify` reads the plan back by it:
///
///   void list_settings(SettingList& list, RidgePlan& plan) {
///     list.problem();
///     list.checked("noise_multiplier", plan.noise_multiplier, above_0);
///     list.follows("norm_bits", norm_bits_for(plan.noise_multiplier));
///     list.note("step_size", plan.step_size);
///   }
///
/// The releases of a plan depend on the plan alone, so a plan that was read back has the same
/// events as the one that was written.
namespace tacet::learn {

/// The finite numbers that a setting in a receipt may be.
struct SettingRange {
  double lowest;
  double highest = std::numeric_limits<double>::max();
  bool open = false;  ///< whether the lowest number is excluded

  [[nodiscard]] bool has(double value) const {
    return std::isfinite(value) && (open ? value > lowest : value >= lowest) && value <= highest;
  }
  [[nodiscard]] std::string text() const;
};
inline constexpr SettingRange above_0{.lowest = 0, .open = true};
inline constexpr SettingRange any_number{.lowest = -std::numeric_limits<double>::max()};
inline constexpr SettingRange at_least_0{.lowest = 0};
inline constexpr SettingRange at_least_1{.lowest = 1};
inline constexpr SettingRange rate_range{.lowest = 0, .highest = 1, .open = true};

/// The name in receipts of the release that selects columns before a method's own releases.
inline constexpr auto feature_selection_name = "feature_selection_noise_multiplier";
inline constexpr auto feature_selection_threshold_name = "feature_selection_threshold";

/// A release of second moments, for models with curves.
inline constexpr auto whitening_noise_name = "whitening_noise_multiplier";

class SettingList {
 public:
  /// A list that writes: it replaces the settings of the plan.
  explicit SettingList(MethodPlan& plan) : plan_(plan) { plan.settings.clear(); }
  /// A list that reads the parameters of this receipt into the plan. `with_model`: the model of the
  /// receipt is available.
  SettingList(MethodPlan& plan, const privacy::Receipt& receipt, RecordedParameters& parameters,
              bool with_model = false)
      : plan_(plan), receipt_(&receipt), parameters_(&parameters), with_model_(with_model) {}

  [[nodiscard]] bool reads() const { return parameters_ != nullptr; }

  /// A setting on which the events depend. A receipt without it, or with a value out of its range,
  /// is refused.
  template <typename Value>
  void checked(std::string_view name, Value& value, SettingRange range, Shown shown = {}) {
    number(Looking::confirms, name, value, range, shown);
  }
  template <typename Value, std::size_t count>
  void checked(std::string_view name, Value& value, const base::Names<Value, count>& names,
               Shown shown = {}) {
    word(Looking::confirms, name, value, names, shown);
  }

  /// A setting on which the events may depend, but other values could give the same events. A check
  /// that needs it computes with it, and does not count it as confirmed.
  template <typename Value>
  void assumed(std::string_view name, Value& value, SettingRange range, Shown shown = {}) {
    number(Looking::assumes, name, value, range, shown);
  }
  template <typename Value, std::size_t count>
  void assumed(std::string_view name, Value& value, const base::Names<Value, count>& names,
               Shown shown = {}) {
    word(Looking::assumes, name, value, names, shown);
  }

  /// As `looking` says.
  template <typename Value>
  void read_as(Looking looking, std::string_view name, Value& value, SettingRange range,
               Shown shown = {}) {
    number(looking, name, value, range, shown);
  }
  template <typename Value, std::size_t count>
  void read_as(Looking looking, std::string_view name, Value& value,
               const base::Names<Value, count>& names, Shown shown = {}) {
    word(looking, name, value, names, shown);
  }
  /// A setting that the model confirms. It is read if the model is available, and is a note in a
  /// receipt alone.
  template <typename Value>
  void of_model(std::string_view name, Value& value, SettingRange range, Shown shown = {}) {
    if (!reads() || with_model_) number(Looking::confirms, name, value, range, shown);
  }
  /// Several numbers, as a text with blanks between them.
  void checked(std::string_view name, std::vector<double>& values, SettingRange each,
               Shown shown = {});

  /// A setting that follows from earlier ones. A receipt with another value contradicts itself.
  template <typename Value>
  void follows(std::string_view name, const Value& value, Shown shown = {}) {
    if (!reads()) return write(name, value, shown);
    if (shown.receipt) expect(name, of(value));
  }
  /// As follows(), for a number that another machine may have rounded differently.
  void computed(std::string_view name, double value, Shown shown = {});
  /// As computed(), for several numbers with `digits` digits each.
  void computed(std::string_view name, const std::vector<double>& values, int digits = 17,
                Shown shown = {});

  /// Nothing in a receipt confirms it, and reading passes it over.
  template <typename Value>
  void note(std::string_view name, const Value& value, Shown shown = {}) {
    if (!reads()) write(name, value, shown);
  }
  /// As note(), for a setting that other methods do not write. A receipt must have it, so it cannot
  /// pass under the name of another method.
  template <typename Value>
  void mark(std::string_view name, const Value& value, Shown shown = {}) {
    if (!reads()) return write(name, value, shown);
    expect_there(*parameters_, {name});
  }

  /// Whether the plan has a setting that only some plans have; when writing, the answer is
  /// `planned`.
  [[nodiscard]] bool has(std::string_view name, bool planned) const {
    return reads() ? parameters_->has(std::string(name)) : planned;
  }
  /// When reading: a later setting on which an earlier one depends.
  template <typename Value, typename Allowed>
  void look_ahead(std::string_view name, Value& value, const Allowed& allowed) {
    if (reads()) checked(name, value, allowed);
  }

  /// The first settings of every plan: the loss and its parameters, the columns, the public number
  /// of records, and the feature selection. The number, and the loss's parameter under its general
  /// name, also occur elsewhere; `repeated` says where they are shown here. The loss and the
  /// columns are read only if the method's releases depend on them.
  void problem(Shown repeated = {}, bool releases_depend_on_it = false);
  /// How records are chosen, which a receipt states in a member of its own.
  void sampling(std::string_view scheme);
  template <typename Value, std::size_t count>
  void sampling(Value& scheme, const base::Names<Value, count>& names) {
    if (!reads()) return sampling(names.of(scheme));
    const auto found = names.find(receipt_->sampling);
    if (!found) throw base::DataError("the method has no sampling {}", receipt_->sampling);
    scheme = *found;
  }
  /// The noise multiplier and threshold of a release of which columns to keep.
  void feature_selection(double& noise, double& threshold);
  /// The claim of a paper for the noise of a plan that follows it.
  void claim();
  /// How many records of a unit take part. Receipts that protect single records do not have it.
  void records_per_unit(Looking looking, std::int64_t& records, Shown shown = {});
  /// Notes that one record of each unit is drawn; plans of single records do not have it.
  void one_record_per_unit();

 private:
  static Setting::Value of(std::int64_t value) { return value; }
  static Setting::Value of(int value) { return std::int64_t{value}; }
  static Setting::Value of(double value) { return value; }
  static Setting::Value of(bool) = delete;
  static Setting::Value of(std::string_view value) { return std::string(value); }
  static Setting::Value of(const std::string& value) { return value; }
  static Setting::Value of(const char* value) { return std::string(value); }

  template <typename Value>
  void write(std::string_view name, const Value& value, Shown shown) {
    plan_.settings.push_back({std::string(name), of(value), shown});
  }
  template <typename Value>
  void number(Looking looking, std::string_view name, Value& value, SettingRange range,
              Shown shown) {
    if (!reads()) return write(name, value, shown);
    if (!shown.receipt) return expect_absent(name);
    if constexpr (std::is_floating_point_v<Value>) {
      value = parameters_->real(std::string(name), looking);
      expect_within(name, static_cast<double>(value), range);
    } else {
      // The number that the file has, before it is one of fewer bits.
      const std::int64_t count = parameters_->count(std::string(name), looking);
      expect_within(name, static_cast<double>(count), range);
      if (!std::in_range<Value>(count)) {
        throw base::DataError("the parameter {} cannot be {}", name, count);
      }
      value = static_cast<Value>(count);
    }
  }
  template <typename Value>
  void number(Looking looking, std::string_view name, std::optional<Value>& value,
              SettingRange range, Shown shown) {
    if (has(name, value.has_value())) {
      number(looking, name, value ? *value : value.emplace(), range, shown);
    }
  }
  template <typename Value, std::size_t count>
  void word(Looking looking, std::string_view name, Value& value,
            const base::Names<Value, count>& names, Shown shown) {
    if (!reads()) return write(name, names.of(value), shown);
    const auto text = parameters_->text(std::string(name), looking);
    const auto found = names.find(text);
    if (!found) throw base::DataError("the parameter {} cannot be {}", name, text);
    value = *found;
  }

  void expect(std::string_view name, const Setting::Value& value);
  void expect_absent(std::string_view name) const;
  static void expect_within(std::string_view name, double value, SettingRange range);

  MethodPlan& plan_;
  const privacy::Receipt* receipt_ = nullptr;
  RecordedParameters* parameters_ = nullptr;
  bool with_model_ = false;
};

/// Writes the settings of a plan by its method's list, `list_settings(SettingList&, Plan&)`.
template <typename Plan>
void write_settings(Plan& plan) {
  SettingList list(plan);
  list_settings(list, plan);
}

/// Reads the plan's members of a receipt: method, guarantee, calibration, unit, records.
void read_head(MethodPlan& plan, const privacy::Receipt& receipt);

/// DataError if the receipt has a parameter that is not one of these settings.
void expect_settings(RecordedParameters& parameters, const std::vector<Setting>& settings,
                     std::string_view whose);

/// The plan of a receipt, as far as its releases depend on it, by the list that wrote it. DataError
/// if a parameter is missing or out of its range, or if two contradict each other.
template <typename Plan>
[[nodiscard]] Plan read_plan(const privacy::Receipt& receipt, RecordedParameters& parameters,
                             bool with_model = false) {
  Plan plan;
  read_head(plan, receipt);
  SettingList list(plan, receipt, parameters, with_model);
  list_settings(list, plan);
  return plan;
}

/// Reads a method's plan back; `releases(plan)` is the same function as in planning.
template <typename Plan>
[[nodiscard]] privacy::Event recorded_releases_of(const privacy::Receipt& receipt,
                                                  RecordedParameters& parameters,
                                                  const privacy::Event& /*own*/) {
  return releases(read_plan<Plan>(receipt, parameters));
}

}  // namespace tacet::learn
