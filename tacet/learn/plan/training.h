#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tacet/base/progress.h"
#include "tacet/base/threads.h"
#include "tacet/data/dataset.h"
#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/calibration.h"
#include "tacet/learn/plan/common_options.h"
#include "tacet/learn/plan/problems.h"
#include "tacet/model/class_weights.h"
#include "tacet/model/linear_model.h"
#include "tacet/privacy/adjacency.h"
#include "tacet/privacy/budget.h"
#include "tacet/privacy/receipt.h"
#include "tacet/random/source/source.h"

namespace tacet::model {
struct ModelFile;
}
namespace tacet::optimize {
class PartSums;
}

/// What all methods of training have in common: a plan from public facts alone, a run that carries
/// it out, and the inverse from a receipt to its events.
namespace tacet::learn {

struct TrainedModel {
  model::LinearModel model;
  privacy::Receipt receipt;
  data::Schema schema = {};  ///< with which the model reads records
};

/// The resources of a training besides its data.
struct TrainingContext {
  random::Source& source;
  /// booked for the events of the plan before the data were read
  privacy::Reservation& reservation;
  base::ThreadPool& threads;
  base::Supervision supervision = {};
};

/// Where a setting is shown.
struct Shown {
  bool table = true;    ///< to people, before training
  bool json = true;     ///< to programs, in the plan's JSON
  bool receipt = true;  ///< in the model file, from which `verify` reads it back
};

/// A setting of a plan. The name is that of the JSON form, `step_size`; a table shows it with
/// spaces.
struct Setting {
  using Value = std::variant<std::int64_t, double, std::string>;
  std::string name;
  Value value;
  Shown shown = {};
};

/// The privacy unit of plans and receipts that protect single records.
inline constexpr std::string_view single_record = "record";

/// One line for each choice, with the reason.
struct Reasons : std::vector<std::string> {
  using std::vector<std::string>::vector;
  /// A line with the values in its places, as fmt::format puts them there.
  template <typename... Values>
  void add(fmt::format_string<Values...> line, Values&&... values) {
    push_back(fmt::format(line, std::forward<Values>(values)...));
  }
};

/// The plan of any method, made before a record is read. A method's own plan extends it.
struct MethodPlan {
  std::string method;  ///< the name in `method` and in the receipt
  model::Loss loss;
  privacy::Guarantee guarantee{0, 0, privacy::Adjacency::replace_one};  ///< proved for `events`
  privacy::Event events = privacy::no_event();                          ///< what will be released
  std::int64_t public_row_count = 0;             ///< 0: the run does not need it
  std::int64_t columns = 0;                      ///< encoded columns
  std::int64_t outputs = 1;                      ///< 1, or one a class
  std::string privacy_unit{single_record};       ///< or the name of the unit column
  std::string sampling_scheme = "full_batch";    ///< how records are chosen, as receipts name it
  Calibration calibration = Calibration::tight;  ///< whose noise
  double prg_slack = 0;                          ///< the PRG slack
  model::ClassWeights class_weights{};           ///< of the records' losses
  std::string class_weights_given;               ///< by the names of classes; empty: none
  std::optional<data::Projection> projection;    ///< by which records are read
  std::optional<FirstRelease> first;             ///< a release before `events`
  /// How often the run reads all records; parts that samples read are added up. Absent if that
  /// depends on the records.
  std::optional<double> passes_over_records;
  std::optional<privacy::Guarantee> claim;  ///< what a paper claims for this noise
  std::vector<Setting> settings;  ///< in order, by the method's list (learn/plan/setting_list.h)
  Reasons reasons;                ///< one line for each choice, with the reason

  /// Whether epsilon is infinite: the result protects nobody, and is marked so for ever.
  [[nodiscard]] bool unprotected() const;
};

/// How often a training queries records in parts, and the largest number of integers in an answer.
struct PartRounds {
  std::int64_t rounds = 0;  ///< including the one that opens the parts
  std::int64_t numbers = 0;
};

/// A training run that is planned, and not begun: no record has been read.
struct Training : MethodPlan {
  /// Trains and commits the reservation. With the same seed the model has the same bits for any
  /// number of threads. Throws what the method documents, but never because of the values of the
  /// records.
  std::function<TrainedModel(const data::Dataset&, const data::Schema&, const TrainingContext&)>
      run;
  /// As `run`, but takes the records; null if they are needed to the end.
  std::function<TrainedModel(data::Dataset&&, const data::Schema&, const TrainingContext&)>
      run_last = {};
  /// As `run`, for records of which only sums are asked, wherever they are
  /// (optimize/parts/part_sums.h). The model has the same bits. Null if training needs the records
  /// themselves.
  std::function<TrainedModel(optimize::PartSums&, const data::Schema&, const TrainingContext&)>
      over_parts = {};
  /// why that is null, if there is more to say than the method's name
  std::string needs_records = {};
  PartRounds part_rounds = {};  ///< of over_parts
  data::Schema schema = {};     ///< the given schema, with what training added to it
  /// The schema for reading records, if it differs from `schema`.
  std::optional<data::Schema> raw_schema = {};

  [[nodiscard]] const data::Schema& reading_schema() const {
    return raw_schema ? *raw_schema : schema;
  }

  /// The declared number of records or units, if there is one.
  [[nodiscard]] std::optional<std::int64_t> declared_count() const {
    return public_row_count > 0 ? public_row_count : reading_schema().public_row_count;
  }

  /// Trains on records that nobody needs afterwards. Methods that rewrite them hold each record
  /// only once.
  [[nodiscard]] TrainedModel consume(data::Dataset records, const data::Schema& of,
                                     const TrainingContext& context) const {
    return run_last ? run_last(std::move(records), of, context) : run(records, of, context);
  }
};

/// The training run that a method's plan stands for.
template <typename Plan>
[[nodiscard]] Training resolved_training(Plan plan,
                                         TrainedModel (*train)(const data::Dataset&,
                                                               const data::Schema&, const Plan&,
                                                               const TrainingContext&)) {
  Training training{plan, {}};
  training.run = [plan = std::move(plan), train](const data::Dataset& dataset,
                                                 const data::Schema& schema,
                                                 const TrainingContext& context) {
    return train(dataset, schema, plan, context);
  };
  return training;
}
/// Makes a method's `plan` out of two functions: one reads its own options, the other plans.
template <auto read, auto plan, auto train>
[[nodiscard]] Training planned_by(const data::Schema& schema, const ParameterValues& asked,
                                  const PlanContext& context) {
  return resolved_training(plan(schema, read(asked), context), train);
}

class RecordedParameters;
class SettingList;

/// From the parameters of a receipt back to the events of its method (learn/plan/recorded.h). `own`
/// is the receipt's event of the method's releases, for numbers that are not parameters. Throws if
/// the parameters make no sense.
using RecordedEvents = privacy::Event (*)(const privacy::Receipt& receipt,
                                          RecordedParameters& parameters,
                                          const privacy::Event& own);

/// Checks properties that only files of this method have. DataError if one is missing.
using FileCheck = void (*)(const privacy::Receipt& receipt, const model::ModelFile& file,
                           RecordedParameters& parameters);

/// How an algorithm protects all records of a unit together.
enum class UnitProtection {
  refused,  ///< not accepted: the proof is about single records
  drawn,    ///< one record of each takes part, by a secret random draw (unit_draw.h)
  bounded   ///< several, which share one bound
};

/// For which adjacencies and units an algorithm is proved. Planning refuses all others, and
/// check_receipt refuses receipts that state others: both read the same Proved.
struct Proved {
  privacy::AdjacencySet with_delta;  ///< with delta above 0; includes those of `pure`
  privacy::AdjacencySet pure;        ///< with delta 0
  UnitProtection units = UnitProtection::refused;
  std::string_view why_not = {};  ///< for people: why no other adjacency, and what to do instead
};

/// An algorithm whose receipts can be checked.
struct RecordedAlgorithm {
  std::string_view name;
  Proved proved;
  /// Converts parameters to events; nullptr: only the cost of the events can be checked.
  RecordedEvents recorded_events;
};

/// A paper whose schedule and noise a method can use, and the adjacencies of the paper.
struct Paper {
  Calibration calibration;
  privacy::AdjacencySet about = privacy::every_adjacency;
};

/// A method of training. Each room of methods ends with its own; learn/method.cc lists them.
struct Method {
  std::string_view name;
  std::string_view help;               ///< one line
  privacy::Adjacency usual_adjacency;  ///< the command line's default
  Proved proved;
  Problems problems = {.targets = {}};              ///< empty if it is not a method of training
  std::span<const std::string_view> sampling = {};  ///< schemes, as receipts say them
  /// The parameters it reads besides the common ones, from its bindings (bound_names).
  std::span<const std::string_view> options;
  Training (*plan)(const data::Schema& schema, const ParameterValues& asked,
                   const PlanContext& context);
  RecordedEvents recorded_events;
  /// false: refused; otherwise an infinite epsilon gives the exact minimiser
  bool takes_infinite_epsilon = true;
  std::span<const Paper> papers = {};  ///< its own first
  FileCheck check_file = nullptr;
  /// Whether its own run also trains with an infinite epsilon; others then fit the exact minimiser.
  bool runs_without_noise = false;
  /// Whether it can train on records in parts, which answer with sums; a plan says whether it does.
  bool over_parts = false;
  /// Whether its own run reads packed rows (data/hat_rows.h); others get them unpacked.
  bool reads_packed_rows = false;
  /// The largest noise for which numbers get hat functions if the user does not say (plan/knots.h);
  /// null: they stay lines.
  double (*max_knot_noise)(const data::Schema& schema, const ParameterValues& asked) = nullptr;
  /// Whether it is used only if the user names it: `auto` and refusals propose other methods.
  bool named_only = false;
};

inline constexpr std::array<std::string_view, 1> full_batch{"full_batch"};
inline constexpr std::array<std::string_view, 2> full_batch_or_poisson{"full_batch", "poisson"};

/// The paper of a method with this calibration; nullptr if there is none.
[[nodiscard]] inline const Paper* find_paper(const Method& method, Calibration calibration) {
  for (const auto& paper : method.papers) {
    if (paper.calibration == calibration) return &paper;
  }
  return nullptr;
}

}  // namespace tacet::learn
