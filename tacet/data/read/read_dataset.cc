#include "tacet/data/read/read_dataset.h"

#include <string>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/data/read/byte_source.h"
#include "tacet/data/read/cancel_rhythm.h"
#include "tacet/data/read/csv_file.h"
#include "tacet/data/read/read_uniform.h"

namespace tacet::data {
namespace {

Dataset read_csv(std::unique_ptr<ByteSource> source, const std::string& file_name,
                 const Schema& schema, const ReadOptions& options) {
  CsvReader reader(std::move(source), file_name, csv_options(schema.format));
  const std::vector<std::string> names = read_column_names(reader, schema.format);
  Encoder encoder(schema, names, options.target, file_name);
  Dataset data(options.target == TargetUse::required ? schema.shape() : schema.unlabelled_shape());
  if (schema.unit && options.target == TargetUse::required) data.declare_units();
  EncodedRow row;
  while (const auto fields = reader.next()) {
    encoder.encode(*fields, row);
    data.append(row);
    if (options.cancel != nullptr && data.rows() % rows_between_checks == 0) {
      options.cancel->throw_if_cancelled();
    }
  }
  return data;
}

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
    return read_csv(open_source(file), file.string(), schema, options);
  }
  return internal::read_uniform(*internal::open_uniform(file, schema, options.target), schema,
                                options);
}

}  // namespace tacet::data
