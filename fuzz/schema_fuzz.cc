// Input that starts with '{' is read as JSON, all other as TOML. A schema that is accepted must
// survive writing and reading in both forms, and its columns must be consistent.
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "tacet/base/error.h"
#include "tacet/data/schema/schema.h"

namespace schema_fuzz {

namespace {

constexpr std::int64_t listed_columns = 100000;  // more are only counted, to keep the fuzzer fast

tacet::data::Schema parse(std::string_view text) {
  if (!text.starts_with('{')) return tacet::data::schema_from_toml(text, "s.toml");
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (json.is_discarded()) throw tacet::base::DataError("not JSON");
  return tacet::data::schema_from_json(json);
}

void check(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  tacet::data::Schema schema;
  try {
    schema = parse(text);
  } catch (const tacet::base::DataError&) {
    return 0;
  }
  // From here on nothing may be refused.
  const nlohmann::json json = tacet::data::schema_to_json(schema);
  check(tacet::data::schema_to_json(tacet::data::schema_from_json(json)) == json);
  const std::string toml = tacet::data::schema_to_toml(schema);
  check(tacet::data::schema_to_json(tacet::data::schema_from_toml(toml, "again.toml")) == json);
  check(schema.encoded_column_count() >= 1);
  if (schema.encoded_column_count() <= listed_columns) {
    check(static_cast<std::int64_t>(schema.encoded_columns().size()) ==
          schema.encoded_column_count());
  }
  return 0;
}

}  // namespace schema_fuzz
