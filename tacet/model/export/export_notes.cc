#include "tacet/model/export/export_notes.h"

#include <fmt/format.h>

#include <algorithm>

#include "tacet/base/checked_cast.h"
#include "tacet/base/error.h"
#include "tacet/base/sha256.h"
#include "tacet/base/text.h"
#include "tacet/base/version.h"

namespace tacet::model::internal {
namespace {

constexpr std::size_t comment_width = 90;
/// About 20 megabytes of source, which a compiler can compile in half a minute.
constexpr std::int64_t max_coefficients = 1 << 20;

}  // namespace

std::string receipt_sha256(const privacy::Receipt& receipt) {
  base::Sha256 sum;
  sum.add(privacy::receipt_to_json(receipt));
  return sum.digest();
}

nlohmann::ordered_json options_json(const ExportOptions& options) {
  nlohmann::ordered_json out;
  out["format"] = export_formats.of(options.format);
  if (options.format != ExportFormat::sql) return out;
  out["dialect"] = sql_dialects.of(options.dialect);
  out["table"] = options.table;
  out["keep"] = options.keep;
  return out;
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  while (text.size() > width) {
    auto cut = text.rfind(' ', width);
    if (cut == std::string_view::npos || cut == 0) cut = text.find(' ', width);
    if (cut == std::string_view::npos) break;
    lines.emplace_back(text.substr(0, cut));
    text.remove_prefix(cut + 1);
  }
  lines.emplace_back(text);
  return lines;
}

std::vector<std::string> export_notes(const ModelFile& file, const ExportOptions& options) {
  const auto& receipt = file.receipt;
  std::vector<std::string> lines{
      fmt::format("A model of tacet, exported by tacet {}.", base::version),
      fmt::format("options: {}", options_json(options).dump(-1, ' ', true))};
  const auto add = [&](const std::string& text) {
    for (auto& line : wrapped(base::printable(text), comment_width)) {
      lines.push_back(std::move(line));
    }
  };
  if (!receipt.is_protected()) {
    add(fmt::format("{}: {}", unprotected_mark, receipt.unprotected_reason));
  }
  add(privacy::statement(receipt));
  add(fmt::format("SHA-256 of the receipt: {}", receipt_sha256(receipt)));
  add(fmt::format("Trained by tacet {}: {}, {} loss.", receipt.software_version,
                  to_string(file.model.task), loss_name(file.model.loss)));
  return lines;
}

std::string double_text(double value) {
  auto text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

void expect_exportable(const ModelFile& file, std::string_view format) {
  if (file.schema.projection) {
    throw base::UsageError(
        "a model with a projection cannot be exported as {}: only tacet computes the projection "
        "of a record",
        format);
  }
}

void expect_coefficients(std::int64_t count) {
  if (count <= max_coefficients) return;
  throw base::UsageError("{} coefficients are too many for an export; at most {} are possible",
                         count, max_coefficients);
}

std::vector<double> full_coefficients(const ModelFile& file) {
  const auto& model = file.model;
  const auto width = file.schema.full_column_count();
  const auto outputs = model.output_count();
  expect_coefficients(width * outputs);
  if (!file.schema.selected_columns) return model.coefficients;
  std::vector<double> full(base::checked_cast<std::size_t>(width * outputs));
  const auto kept = file.schema.retained_columns();
  for (std::size_t output = 0; output < base::checked_cast<std::size_t>(outputs); ++output) {
    const auto from = model.output(base::checked_cast<std::int64_t>(output));
    const auto begin = output * base::checked_cast<std::size_t>(width);
    for (std::size_t k = 0; k < kept.size(); ++k) full[begin + kept[k]] = from[k];
  }
  return full;
}

}  // namespace tacet::model::internal
