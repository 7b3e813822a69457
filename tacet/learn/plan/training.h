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

/// What every method of training has in common: a plan resolved from public facts alone, a run that
/// carries it out, and the way back from a receipt to its events.
namespace tacet::learn {

struct TrainedModel {
  model::LinearModel model;
  privacy::Receipt receipt;
  data::Schema schema = {};  ///< by which the model reads records
};

/// What training runs on besides the data.
struct TrainingContext {
  random::Source& source;
  privacy::Reservation& reservation;  ///< booked for the plan's events before the data were read
  base::ThreadPool& threads;
  base::Supervision supervision = {};
};

/// Where a setting is shown.
struct Shown {
  bool table = true;    ///< to people, before training
  bool json = true;     ///< to programs, as part of the plan
  bool receipt = true;  ///< in the model file, where `verify` reads it again
};

/// One line of what was resolved. The name is that of the JSON form, `step_size`; a table shows it
/// with spaces.
struct Setting {
  using Value = std::variant<std::int64_t, double, std::string>;
  std::string name;
  Value value;
  Shown shown = {};
};

/// The privacy unit of plans and receipts that protect single records.
inline constexpr std::string_view single_record = "record";

/// Lines about what was chosen and why.
struct Reasons : std::vector<std::string> {
  using std::vector<std::string>::vector;
  /// A line with the values in its places, as fmt::format puts them there.
  template <typename... Values>
  void add(fmt::format_string<Values...> line, Values&&... values) {
    push_back(fmt::format(line, std::forward<Values>(values)...));
  }
};

/// What every method resolves before a record is read. A method's plan is one of these with what is
/// the method's own.
struct MethodPlan {
  std::string method;  ///< as `method` and the receipt name it
  model::Loss loss;
  privacy::Guarantee guarantee{0, 0, privacy::Adjacency::replace_one};  ///< proved for `events`
  privacy::Event events = privacy::no_event();                          ///< what will be released
  std::int64_t public_row_count = 0;             ///< 0: the run does without it
  std::int64_t columns = 0;                      ///< encoded columns
  std::int64_t outputs = 1;                      ///< 1, or one a class
  std::string privacy_unit{single_record};       ///< or the name of the unit column
  std::string sampling_scheme = "full_batch";    ///< how records are chosen, as receipts say it
  Calibration calibration = Calibration::tight;  ///< whose noise
  double prg_slack = 0;                          ///< the PRG slack
  model::ClassWeights class_weights{};           ///< of the records' losses
  std::string class_weights_given;               ///< by their names; empty: none
  std::optional<data::Projection> projection;    ///< by which records are read
  std::optional<FirstRelease> first;             ///< what is released before `events`
  /// How often the run reads all records; what samples read is added up. Nothing if that depends on
  /// the records.
  std::optional<double> passes_over_records;
  std::optional<privacy::Guarantee> claim;  ///< what a paper claims for this noise
  std::vector<Setting> settings;  ///< in order, by the method's list (learn/plan/setting_list.h)
  Reasons reasons;                ///< what was chosen and why, a line each

  /// With epsilon infinite: the result protects nobody, and says so for ever.
  [[nodiscard]] bool unprotected() const;
};

/// How often a training asks records in parts, and how many integers a part answers with at most.
struct PartRounds {
  std::int64_t rounds = 0;  ///< the one that opens the parts included
  std::int64_t numbers = 0;
};

/// A training run that is planned, and not begun: no record has been read.
struct Training : MethodPlan {
  /// Trains and commits the reservation. With one seed the model has the same bits for any number
  /// of threads. Throws what the method documents; never because of the values of the records.
  std::function<TrainedModel(const data::Dataset&, const data::Schema&, const TrainingContext&)>
      run;
  /// The same with records that are given away; null where they are needed to the end.
  std::function<TrainedModel(data::Dataset&&, const data::Schema&, const TrainingContext&)>
      run_last = {};
  /// The same of records that nothing but sums is asked of, wherever they lie
  /// (optimize/parts/part_sums.h): the model has the bits that run() gives it. Null where training
  /// needs the records themselves.
  std::function<TrainedModel(optimize::PartSums&, const data::Schema&, const TrainingContext&)>
      over_parts = {};
  std::string needs_records = {};  ///< why that is null, if there is more to say than the method
  PartRounds part_rounds = {};     ///< of over_parts
  data::Schema schema = {};        ///< the given one, with what training resolves of it
  /// By which records are to be read, where that is another one than `schema`.
  std::optional<data::Schema> raw_schema = {};

  [[nodiscard]] const data::Schema& reading_schema() const {
    return raw_schema ? *raw_schema : schema;
  }

  /// The number of records or units that is declared, where one is.
  [[nodiscard]] std::optional<std::int64_t> declared_count() const {
    return public_row_count > 0 ? public_row_count : reading_schema().public_row_count;
  }

  /// Trains on records that nobody needs any more: methods that write them anew hold them once.
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
/// A method's `plan` of two functions: its own options from what was asked, and its plan.
template <auto read, auto plan, auto train>
[[nodiscard]] Training planned_by(const data::Schema& schema, const ParameterValues& asked,
                                  const PlanContext& context) {
  return resolved_training(plan(schema, read(asked), context), train);
}

class RecordedParameters;
class SettingList;

/// From the parameters of a receipt back to the events of its method (learn/plan/recorded.h). `own`
/// is what the receipt says that the method released: numbers that are no parameters are taken from
/// there. Errors where the parameters make no sense.
using RecordedEvents = privacy::Event (*)(const privacy::Receipt& receipt,
                                          RecordedParameters& parameters,
                                          const privacy::Event& own);

/// Checks what only the files of this method hold. DataError if a file does not hold it.
using FileCheck = void (*)(const privacy::Receipt& receipt, const model::ModelFile& file,
                           RecordedParameters& parameters);

/// How an algorithm protects all records of a unit together.
enum class UnitProtection {
  refused,  ///< not at all: its proof is about single records
  drawn,    ///< one record of each, by a secret random draw (unit_draw.h)
  bounded   ///< several, which share one bound
};

/// What an algorithm is proved for. Planning refuses everything else, and check_receipt refuses
/// receipts that state it: both ask the same Proved.
struct Proved {
  privacy::AdjacencySet with_delta;  ///< with delta above 0; what is pure belongs to it as well
  privacy::AdjacencySet pure;        ///< with delta 0
  UnitProtection units = UnitProtection::refused;
  std::string_view why_not = {};  ///< for people: why no other adjacency, and what to do instead
};

/// An algorithm whose receipts can be judged.
struct RecordedAlgorithm {
  std::string_view name;
  Proved proved;
  /// From the parameters to the events; nullptr: nothing but their cost is judged.
  RecordedEvents recorded_events;
};

/// A paper whose schedule and noise a method knows, and the adjacencies that the paper is about.
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
  Problems problems = {.targets = {}};              ///< none: it is no method of training
  std::span<const std::string_view> sampling = {};  ///< schemes, as receipts say them
  /// The parameters it reads besides the common ones, from its bindings (bound_names).
  std::span<const std::string_view> options;
  Training (*plan)(const data::Schema& schema, const ParameterValues& asked,
                   const PlanContext& context);
  RecordedEvents recorded_events;
  bool takes_infinite_epsilon = true;  ///< false: refused, where others fit the exact minimiser
  std::span<const Paper> papers = {};  ///< its own first
  FileCheck check_file = nullptr;
  /// Whether its own run trains with epsilon infinite, where others fit the exact minimiser.
  bool runs_without_noise = false;
  /// Whether it can train on records in parts, which answer with sums; a plan says whether it does.
  bool over_parts = false;
  /// Whether its own run reads packed rows (data/hat_rows.h); others get them unpacked.
  bool reads_packed_rows = false;
  /// The noise up to which numbers get hat functions where nothing is asked (plan/knots.h);
  /// null: they stay lines.
  double (*max_knot_noise)(const data::Schema& schema, const ParameterValues& asked) = nullptr;
  /// Whether it is for those who name it: `auto` and refusals propose others.
  bool named_only = false;
};

inline constexpr std::array<std::string_view, 1> full_batch{"full_batch"};
inline constexpr std::array<std::string_view, 2> full_batch_or_poisson{"full_batch", "poisson"};

/// The paper of a method that has this calibration; nullptr where it has none.
[[nodiscard]] inline const Paper* find_paper(const Method& method, Calibration calibration) {
  for (const auto& paper : method.papers) {
    if (paper.calibration == calibration) return &paper;
  }
  return nullptr;
}

}  // namespace tacet::learn
