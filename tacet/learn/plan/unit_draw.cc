#include "tacet/learn/plan/unit_draw.h"

#include "tacet/data/one_of_unit.h"
#include "tacet/random/source/source.h"

namespace tacet::learn {
namespace {

constexpr auto setting_name = "records_a_unit";
constexpr std::int64_t one = 1;

}  // namespace

void settle_unit_draw(Settled& plan, const data::Schema& schema) {
  if (!schema.unit) return;
  plan.cipher_delta += random::cipher_term(1, random::most_leaf_words);
  plan.reasons.add(
      "one record of each {}, drawn by a secret coin: the proof is about one record, and "
      "public_row_count counts units",
      *schema.unit);
}

void add_unit_draw(Settled& plan, const data::Schema& schema) {
  if (schema.unit) plan.settings.push_back({setting_name, one});
}

std::optional<data::Dataset> drawn_records(const data::Dataset& dataset, const data::Schema& schema,
                                           const TrainingMeans& means) {
  if (!schema.unit) return std::nullopt;
  return data::one_record_a_unit(dataset, means.source.lease(random::Purpose::sampling, 0, 0));
}

void expect_unit_draw(RecordedParameters& parameters) {
  parameters.expect(setting_name, one, "the method draws");
}

}  // namespace tacet::learn
