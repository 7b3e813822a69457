#pragma once

#include <string>

#include "tacet/data/schema/schema.h"
#include "tacet/mechanism/point/column_facts.h"
#include "tacet/run/schema_fit.h"

/// What a fit makes of released answers alone.
namespace tacet::run::internal {

/// Why the schema has no target: too few numbers for bounds, of which `need` would do.
[[nodiscard]] std::string why_no_target(const std::string& target,
                                        const mechanism::KindCounts& counts, double need);

/// A column between released bounds; days are whole.
[[nodiscard]] data::NumericColumn numbers_between(const mechanism::Bounds& found, bool dates);

/// At most `most` features of all hashed and text columns together, as many for each.
void cap_hashed(std::int64_t most, data::Schema& schema);

/// A schema of ignored columns alone says nothing and cannot be read: where nothing was found, the
/// first column that was asked for becomes two buckets.
void keep_one_column(const FitRequest& request, data::Schema& schema);

}  // namespace tacet::run::internal
