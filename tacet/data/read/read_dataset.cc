#include "tacet/data/read/read_dataset.h"

#include <utility>

#include "tacet/base/error.h"
#include "tacet/data/read/transcode.h"

namespace tacet::data {
namespace {

void check_options(const Schema& schema, const ReadOptions& options) {
  if (options.target == TargetUse::required && !schema.target) {
    throw base::UsageError("the schema names no [target]; training and evaluation need one");
  }
  if (schema.unit && options.units == UnitUse::refuse && options.target == TargetUse::required) {
    throw base::UsageError(
        "the schema's unit column '{}' asks to protect all records of a unit together, which is "
        "not possible here; remove 'unit' to protect single records",
        *schema.unit);
  }
}

}  // namespace

Dataset read_dataset(const std::filesystem::path& file, const Schema& schema,
                     const ReadOptions& options) {
  schema.validate();
  check_options(schema, options);
  if (schema.format.kind->names_columns()) {
    const bool parallel = options.threads != nullptr && options.threads->size() > 1;
    const auto ahead = parallel ? ReadAheadOf::compressed_only : ReadAheadOf::long_files;
    return internal::read_csv(
        open_text(file, schema.format.encoding,
                  {.ahead = ahead, .passes = options.passes, .observers = options.observers}),
        file.string(), schema, options);
  }
  if (schema.format.kind->has_lines) {
    auto source = open_source(file, {.passes = options.passes, .observers = options.observers});
    return internal::read_uniform(*internal::libsvm_of(std::move(source), file.string(), schema),
                                  schema, options);
  }
  return internal::read_uniform(*internal::open_uniform(file, schema, options.target), schema,
                                options);
}

Dataset read_dataset(const OpenFile& file, const Schema& schema, const ReadOptions& options) {
  schema.validate();
  check_options(schema, options);
  const auto& kind = *schema.format.kind;
  if (kind.names_columns()) {
    const auto encoding = schema.format.encoding;
    return internal::read_csv(in_utf8(open_source(file, encoding), encoding), file.name, schema,
                              options);
  }
  if (!kind.has_lines) {
    throw base::UsageError("'{}' is {}, whose records are in several files: name it by its path",
                           file.name, kind.description);
  }
  return internal::read_uniform(*internal::libsvm_of(open_source(file), file.name, schema), schema,
                                options);
}

}  // namespace tacet::data
