#include "tacet/report/record/calibration_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "tacet/report/record/words.h"

namespace tacet::report {
namespace {

using nlohmann::ordered_json;

constexpr double interval_width = 1.959963984540054;  // 95 % of a normal law lie within

/// Records whose predicted probability lies between two numbers.
struct Tenth {
  double lower;
  double upper;
  double records;
  double records_stddev;
  std::optional<double> share{};  ///< of positive ones; none: lost in the noise
  double stddev = 0;

  [[nodiscard]] double low() const { return std::max(0.0, *share - interval_width * stddev); }
  [[nodiscard]] double high() const { return std::min(1.0, *share + interval_width * stddev); }
  /// Whether the share may lie where the model says, as far as the noise tells.
  [[nodiscard]] bool agrees() const { return low() <= upper && high() >= lower; }
};

std::vector<Tenth> tenths_in(const ordered_json& values) {
  std::vector<Tenth> out;
  const auto found = values.find("calibration");
  if (found == values.end() || !found->is_array()) return out;
  try {
    for (const auto& one : *found) {
      const auto& records = one.at("records");
      Tenth tenth{.lower = one.at("lower").get<double>(),
                  .upper = one.at("upper").get<double>(),
                  .records = records.at("value").get<double>(),
                  .records_stddev = records.at("noise_sd").get<double>()};
      const auto& share = one.at("positive_fraction");
      if (share.is_object() && share.at("value").is_number()) {
        tenth.share = share.at("value").get<double>();
        tenth.stddev = share.at("noise_sd").get<double>();
      }
      out.push_back(tenth);
    }
  } catch (const ordered_json::exception&) {
    return {};  // exact figures, or those of somebody else
  }
  return out;
}

std::string finding_of(const std::vector<Tenth>& tenths) {
  const auto known = std::ranges::count_if(tenths, [](const Tenth& one) { return !!one.share; });
  const auto agree =
      std::ranges::count_if(tenths, [](const Tenth& one) { return one.share && one.agrees(); });
  if (known == 0) return "The shares are lost in the noise.";
  return fmt::format(
      "In {} of {} tenths the share may be what the model predicted, as far as the noise tells.{}",
      agree, known,
      known < std::ssize(tenths)
          ? fmt::format(
                " {} lost in the noise.",
                counted(tenths.size() - static_cast<std::size_t>(known), "tenth is", "tenths are"))
          : std::string());
}

}  // namespace

std::optional<Picture> calibration_picture(const ordered_json& values, const std::string& name) {
  const auto tenths = tenths_in(values);
  if (tenths.empty()) return std::nullopt;
  Picture picture{.name = name,
                  .title = "Calibration by tenths",
                  .finding = finding_of(tenths),
                  .plots = {},
                  .numbers = {.caption = "Records by predicted probability, and the positive share",
                              .header = {"from", "to", "records", "records noise sd",
                                         "positive share", "noise sd", "low", "high"}}};
  Plot plot{.title = picture.title,
            .x = {.label = "predicted probability", .with_zero = true},
            .y = {.label = "positive share", .with_zero = true}};
  Band right{.spans = {}, .tone = Tone::quiet, .label = "as predicted"};
  for (const auto& tenth : tenths) {
    right.spans.push_back({tenth.lower, tenth.lower, tenth.upper});
    right.spans.push_back({tenth.upper, tenth.lower, tenth.upper});
    auto& row = picture.numbers.rows.emplace_back(
        std::vector<Cell>{tenth.lower, tenth.upper, tenth.records, tenth.records_stddev});
    if (!tenth.share) {
      row.insert(row.end(), 4, Cell(std::string("lost in the noise")));
      continue;
    }
    row.insert(row.end(), {*tenth.share, tenth.stddev, tenth.low(), tenth.high()});
    plot.marks.push_back({.at = (tenth.lower + tenth.upper) / 2,
                          .value = std::clamp(*tenth.share, 0.0, 1.0),
                          .low = tenth.low(),
                          .high = tenth.high()});
  }
  plot.bands.push_back(std::move(right));
  plot.mark_labels = {{Tone::first, "released"}};
  picture.plots.push_back(std::move(plot));
  return picture;
}

}  // namespace tacet::report
