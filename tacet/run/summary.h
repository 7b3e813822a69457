#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tacet/base/progress.h"
#include "tacet/data/read/column_counts.h"
#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/recorded.h"
#include "tacet/mechanism/point/column_summary.h"
#include "tacet/privacy/budget.h"
#include "tacet/privacy/receipt.h"
#include "tacet/random/source/source.h"

/// The private summary of a table that everybody looks at first: how many records, how many values
/// are missing, quartiles of numbers, counts of categories (docs/proofs/describe.md). Planned from
/// the schema alone, then read and released between the steps of run::spend.
namespace tacet::run {

struct SummaryRequest {
  data::Schema schema;
  std::int64_t max_records_per_unit = 1;  ///< how many of a unit's records count
  privacy::Guarantee asked;               ///< of the whole summary; pure where delta is 0
};

/// How many answers of each kind a summary releases. Public facts decide it.
struct SummaryAnswers {
  std::int64_t columns = 0;
  std::int64_t numeric_columns = 0;  ///< those that have quartiles
  /// Whether the number of records is asked for; else it is public and stated exactly.
  bool counts_records = true;

  /// All of them, at the costs of counts and of a quartile.
  [[nodiscard]] privacy::Event event(const mechanism::SummaryCost& counts,
                                     const mechanism::SummaryCost& quartile) const;
  [[nodiscard]] std::int64_t counts() const { return columns + (counts_records ? 1 : 0); }
  [[nodiscard]] std::int64_t quartiles() const { return 3 * numeric_columns; }
};

struct SummaryPlan {
  std::vector<data::SummaryColumn> columns;
  std::vector<std::optional<mechanism::Grid>> grids;  ///< of numeric columns: possible answers
  mechanism::SummaryCost counts;                      ///< of the counts of one column
  mechanism::SummaryCost quartile;                    ///< of one quartile
  SummaryAnswers answers;
  std::string privacy_unit = "record";
  privacy::Event events = privacy::no_event();
  privacy::Guarantee guarantee{};
  double prg_slack = 0;
};

/// Divides the budget: a quartile gets twice the epsilon of counts. UsageError for a request that
/// no summary can meet, GuaranteeError if the PRG slack leaves nothing of delta.
[[nodiscard]] SummaryPlan plan_summary(const SummaryRequest& request);

/// The receipt of the summary, with the fit of its schema. GuaranteeError where their
/// adjacencies or units differ.
[[nodiscard]] privacy::Receipt summary_receipt(const SummaryRequest& request,
                                               const SummaryPlan& plan,
                                               const random::Source& source);

/// The event of a summary, computed from the parameters of its receipt for the adjacency and the
/// unit that the receipt states. DataError if these contradict each other.
[[nodiscard]] privacy::Event recorded_summary(const privacy::Receipt& receipt,
                                              learn::RecordedParameters& parameters,
                                              const privacy::Event& own);

[[nodiscard]] data::TableCounts read_for_summary(const SummaryRequest& request,
                                                 const data::RecordSource& records,
                                                 random::Source& source,
                                                 const base::CancelToken* cancel);

/// All of it with noise.
struct ColumnSummary {
  std::vector<std::int64_t> counts;  ///< of kinds; below 0 where noise makes it so
  std::optional<mechanism::Quartiles> quartiles{};
};

struct Summary {
  std::int64_t records = 0;              ///< noisy, at least 0; or public and exact
  std::vector<ColumnSummary> columns{};  ///< as the plan's

  /// The share of one kind of the values of a column, of `records`; where noise makes it
  /// impossible, moved into [0, 1].
  [[nodiscard]] double share(std::size_t column, std::size_t kind) const;
};

struct SummaryTools {
  random::Source& source;
  privacy::Reservation& reservation;
  const base::CancelToken* cancel;
};

/// Debits the answers of the plan.
[[nodiscard]] Summary summarise(const SummaryRequest& request, const SummaryPlan& plan,
                                const data::TableCounts& counts, const SummaryTools& tools);

}  // namespace tacet::run
