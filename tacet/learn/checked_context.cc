#include "tacet/learn/checked_context.h"

#include <utility>

#include "tacet/base/error.h"

namespace tacet::learn {
namespace {

/// The public facts that records have to match.
struct Expected {
  data::DatasetShape shape;
  bool units;

  void check(const data::Dataset& records, const random::Source& source) const {
    if (records.columns() != shape.columns) {
      throw base::UsageError(
          "records of {} columns for a training on {}; make the Dataset of "
          "reading_schema().shape()",
          records.columns(), shape.columns);
    }
    if (records.norm_bound() > shape.norm_bound) {
      throw base::UsageError(
          "the records' norm may reach {}, the training counts on {}; make the Dataset of "
          "reading_schema().shape()",
          records.norm_bound(), shape.norm_bound);
    }
    if (records.shape().labels != shape.labels) {
      throw base::UsageError(
          "the records' labels are {}, but the schema's target needs {}; make the Dataset of "
          "reading_schema().shape()",
          records.shape().labels.in_words(), shape.labels.in_words());
    }
    if (units && !records.has_units()) {
      throw base::UsageError(
          "the schema protects all records of a unit together, but these records carry none; call "
          "declare_units() before the first one, and give each its unit");
    }
    if (source.begun()) {
      throw base::UsageError(
          "this source has given out random numbers already, and a training needs all of a run; "
          "call next_run() of it, or create another one");
    }
  }
};

}  // namespace

Training checked_before(Training training) {
  const auto& reading = training.reading_schema();
  const Expected expected{reading.shape(), reading.unit.has_value()};
  training.run = [expected, run = std::move(training.run)](const data::Dataset& records,
                                                           const data::Schema& schema,
                                                           const TrainingContext& context) {
    expected.check(records, context.source);
    return run(records, schema, context);
  };
  if (training.run_last) {
    training.run_last = [expected, run = std::move(training.run_last)](
                            data::Dataset&& records, const data::Schema& schema,
                            const TrainingContext& context) {
      expected.check(records, context.source);
      return run(std::move(records), schema, context);
    };
  }
  return training;
}

}  // namespace tacet::learn
