#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tacet/base/progress.h"
#include "tacet/data/read/column_contents.h"
#include "tacet/data/read/record_source.h"
#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/recorded.h"
#include "tacet/mechanism/point/column_facts.h"
#include "tacet/privacy/budget.h"
#include "tacet/random/source/source.h"

/// Bounds and categories taken from private records, for a part of the budget
/// (docs/proofs/schema_fit.md). Planned from public facts alone, then read and fitted between the
/// steps of run::spend.
namespace tacet::run {

/// What is said of a schema before a record is read.
struct FitRequest {
  std::string data;    ///< what the records are called in messages: their file
  data::Schema frame;  ///< its format, the missing values, the unit, a target of classes
  std::string target;  ///< column to predict; empty: none
  std::vector<std::string> ignored;
  std::int64_t max_records_per_unit = 1;  ///< how many of a unit's records count
  double coverage = 0.98;                 ///< share of a column's numbers between its bounds
  std::int64_t max_categories = 50;
  std::int64_t max_hashed = 4096;         ///< features of all hashed and text columns together
  privacy::Guarantee asked;               ///< of the whole schema
  std::vector<std::string> codes = {};    ///< columns whose numbers are codes
  std::vector<std::string> numbers = {};  ///< columns that are none, whatever their names say
  std::vector<std::string> dates = {};    ///< columns of dates, as the frame's format spells them
  data::NumberKind target_kind = data::NumberKind::number;

  /// Whether every value of the column is a code: it is said to be, or its name says so
  /// (code_names.h) and nobody says otherwise.
  [[nodiscard]] bool takes_for_codes(const std::string& name) const;
  [[nodiscard]] bool ignores(const std::string& name) const;
};

/// What the two answers about a column cost. All columns are asked the same, so that a column about
/// which nothing can be found takes its part of the budget: ignore it, and the others get more.
struct FitShares {
  mechanism::AnswerCost kind;             ///< how many numbers and texts there are
  mechanism::AnswerCost bounds_or_texts;  ///< bounds of the numbers, or the frequent texts
  std::int64_t columns = 0;
  double prg_slack = 0;  ///< the PRG slack of all answers
};

struct FitPlan {
  std::vector<std::string> names;  ///< of the columns
  FitShares shares;
  data::SchemaCost cost;  ///< with every answer that may be asked for
};

/// Divides the budget among the columns. UsageError for what no schema can say, and where the
/// public number of records is too small for bounds at this budget; GuaranteeError where the cipher
/// leaves nothing of delta.
[[nodiscard]] FitPlan plan_fit(const FitRequest& request, std::vector<std::string> names,
                               random::Source& source);

/// What a fit released by the parameters of its receipt, for the adjacency and the unit that the
/// receipt states. UsageError or DataError where nothing is proved for these, or where the
/// parameters contradict each other.
[[nodiscard]] privacy::Event recorded_fit(const privacy::Receipt& receipt,
                                          learn::RecordedParameters& parameters,
                                          const privacy::Event& own);

using Contents = std::vector<privacy::Private<data::ColumnContents>>;

/// What reads them: where they are, and who draws a unit's records.
struct FitReading {
  data::RecordSource records;
  random::Source& source;
  const base::CancelToken* cancel;
};

/// DataError where the records' columns are no longer the plan's.
[[nodiscard]] Contents read_for_fit(const FitRequest& request, const FitPlan& plan,
                                    const FitReading& reading);

/// What a fit works with.
struct FitTools {
  random::Source& source;
  privacy::Reservation& reservation;
  const base::CancelToken* cancel;
};

struct Fitted {
  data::Schema schema;
  /// A sentence for each column that the budget was too small for, with what it would take. From
  /// released answers.
  std::vector<std::string> not_found;
  std::string no_target = {};  ///< why the schema has none, although one was asked for; else empty
  /// What released lists and bounds may mean beside what the schema says.
  std::vector<std::string> doubts = {};
  std::vector<std::string> unlisted = {};  ///< columns of texts that no list shows
};

/// The frame with a rule for every column, and its cost; columns about which nothing was found are
/// ignored. Debits the answers of the plan.
[[nodiscard]] Fitted fit(const FitRequest& request, const FitPlan& plan, const Contents& contents,
                         const FitTools& tools);

}  // namespace tacet::run
