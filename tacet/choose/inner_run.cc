#include "tacet/choose/inner_run.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "tacet/base/error.h"

namespace tacet::choose {
namespace {

constexpr std::int64_t seed_words = 1024;

std::unique_ptr<random::Source> source_within(random::Source& outer, std::uint64_t index) {
  if (outer.secure()) return random::SecureSource::create();
  random::Stream stream(outer.claim(random::Purpose::initialisation, index, 0, seed_words));
  return std::make_unique<random::SeededSource>(stream.next());
}

}  // namespace

InnerRun::InnerRun(const learn::TrainingContext& outer, std::uint64_t index, privacy::Event planned,
                   const privacy::Guarantee& guarantee)
    : outer_(outer),
      source_(source_within(outer.source, index)),
      reservation_(std::move(planned), guarantee, nullptr) {}

learn::TrainedModel InnerRun::carry_out(const learn::Training& training,
                                        const data::Dataset& records) {
  try {
    return training.run(records, training.schema, context());
  } catch (const base::NumericError&) {
    if (reservation_.spent() == privacy::no_event()) throw;
  } catch (const base::DataError&) {
    if (reservation_.spent() == privacy::no_event()) throw;
  }
  const auto& schema = training.reading_schema();
  learn::TrainedModel failed{model::empty_model(schema, training.loss), {}, schema};
  std::ranges::fill(failed.model.coefficients, std::numeric_limits<double>::quiet_NaN());
  return failed;
}

learn::TrainingContext InnerRun::context() {
  return {.source = *source_,
          .reservation = reservation_,
          .threads = outer_.threads,
          .supervision = {.progress = nullptr, .cancel = outer_.supervision.cancel}};
}

}  // namespace tacet::choose
