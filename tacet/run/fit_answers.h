#pragma once

#include <string>
#include <vector>

#include "tacet/data/schema/schema.h"
#include "tacet/mechanism/point/column_facts.h"
#include "tacet/run/schema_fit.h"

/// Turns the released answers of a fit into a schema. It reads nothing else.
namespace tacet::run::internal {

/// Why the schema has no target: there are too few numbers for bounds, of which `need` would be
/// enough.
[[nodiscard]] std::string why_no_target(const std::string& target,
                                        const mechanism::KindCounts& counts, double need);

/// What released lists and bounds look like that the schema does not say: numbers, dates or codes
/// for a missing value in a spelling that was not named.
[[nodiscard]] std::vector<std::string> doubts_of(const FitRequest& request,
                                                 const data::Schema& schema);

/// Columns of texts that no list shows: of a file they may be numbers in another spelling.
[[nodiscard]] std::vector<std::string> unlisted_texts(const FitRequest& request,
                                                      const data::Schema& schema);

/// Why a line of names may lack a column, by the look of that line; empty: nothing is strange.
[[nodiscard]] std::string about_names(const std::vector<std::string>& names);

/// A column between released bounds; days are whole.
[[nodiscard]] data::NumericColumn numbers_between(const mechanism::Bounds& found, bool dates);

/// At most `max` features of all hashed and text columns together, as many for each.
void cap_hashed(std::int64_t max, data::Schema& schema);

/// A schema of ignored columns alone says nothing and cannot be read: where nothing was found, the
/// first column that was asked for becomes two buckets.
void keep_one_column(const FitRequest& request, data::Schema& schema);

}  // namespace tacet::run::internal
