#include "tacet/api/schema.h"

#include <utility>

#include "tacet/api/inside.h"
#include "tacet/base/sha256.h"
#include "tacet/data/file_text.h"
#include "tacet/data/read/arrow_records.h"

namespace tacet::api {
namespace {

run::TypedRecords arrow_rows(ArrowArrayStream& stream, const Schema& schema,
                             data::TargetUse target) {
  const auto records = std::make_shared<data::ArrowRecords>(stream, Inside::of(schema), target);
  return {records->names(),
          [records](std::span<data::Value> values) { return records->next(values); }};
}

}  // namespace

Schema Schema::from_toml(std::string_view text, std::string_view name) {
  auto schema = data::schema_from_toml(text, name);
  schema.validate(name);
  return Inside::schema(std::move(schema), {});
}

Schema Schema::load(const std::string& path) {
  const auto text = data::read_text_file(path);
  base::Sha256 sum;
  sum.add(text);
  return Inside::schema(data::schema_of_file(text, path), sum.digest());
}

std::string Schema::to_toml() const { return data::schema_to_toml(held_->schema); }

run::TypedRecords arrow_records(ArrowArrayStream& stream, const Schema& schema) {
  return arrow_rows(stream, schema, data::TargetUse::required);
}

run::TypedRecords arrow_records_without_target(ArrowArrayStream& stream, const Schema& schema) {
  return arrow_rows(stream, schema, data::TargetUse::absent);
}

}  // namespace tacet::api
