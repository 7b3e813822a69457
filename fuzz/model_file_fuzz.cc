// The model file reader: any bytes are a model or a DataError; a model writes and reads back, and
// one of projected rows lifts to a model of all columns. A wide model is also read with the
// checksum that fits it, which no change at random would find.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "tacet/base/error.h"
#include "tacet/base/sha256.h"
#include "tacet/model/lifted_model.h"
#include "tacet/model/model_file.h"

namespace model_file_fuzz {

namespace {

void lift(const tacet::model::ModelFile& file) {
  constexpr std::int64_t max_work = 1 << 16;
  if (!file.schema.projection) return;
  if (file.schema.full_column_count() * file.schema.projection->width > max_work) return;
  const auto dense =
      tacet::model::lifted(file.schema, file.model, tacet::model::LiftedColumns::all);
  dense.model.validate();
  if (dense.model.feature_count() != file.schema.full_column_count()) std::abort();
}

void check(std::string_view text) {
  try {
    const auto file = tacet::model::model_from_json(text, "input");
    const auto written = tacet::model::model_to_json(file);
    const auto again = tacet::model::model_from_json(written, "copy");
    if (tacet::model::model_to_json(again) != written) std::abort();
    lift(file);
  } catch (const tacet::base::DataError&) {
  }
}

/// The same wide model with the checksum of its header and numbers; empty where it has no header.
std::string with_fitting_checksum(std::string_view text) {
  const auto end = text.find('\n');
  if (!tacet::model::is_wide_file(text) || end == std::string_view::npos) return {};
  auto header = nlohmann::ordered_json::parse(text.substr(0, end), nullptr, false);
  if (!header.is_object()) return {};
  header.erase("checksum");
  const auto numbers = text.substr(end + 1);
  try {
    tacet::base::Sha256 sum;
    sum.add(nlohmann::json::parse(header.dump()).dump());
    sum.add("\n");
    sum.add(numbers);
    header["checksum"] = "sha256:" + sum.digest();
    return header.dump() + "\n" + std::string(numbers);
  } catch (const nlohmann::json::exception&) {
    return {};  // bytes that are no UTF-8
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  check(text);
  if (const auto fitting = with_fitting_checksum(text); !fitting.empty()) check(fitting);
  return 0;
}

}  // namespace model_file_fuzz
