#include "tacet/learn/plan/unit_draw.h"

#include "tacet/data/dataset.h"
#include "tacet/random/source/source.h"

namespace tacet::learn {

void resolve_unit_draw(MethodPlan& plan, const data::Schema& schema) {
  if (!schema.unit) return;
  plan.prg_slack += random::prg_slack_of(1, random::max_block_words);
  plan.reasons.add(
      "one record of each {}, drawn at random in secret: the proof is about one record, and "
      "public_row_count counts units",
      *schema.unit);
}

std::optional<data::Dataset> drawn_records(const data::Dataset& dataset, const data::Schema& schema,
                                           const TrainingContext& context) {
  if (!schema.unit) return std::nullopt;
  return data::one_record_per_unit(dataset, context.source.claim(random::Purpose::sampling, 0, 0));
}

}  // namespace tacet::learn
