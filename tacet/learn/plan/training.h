#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "tacet/base/progress.h"
#include "tacet/base/reducer.h"
#include "tacet/base/threads.h"
#include "tacet/data/dataset.h"
#include "tacet/data/schema/schema.h"
#include "tacet/model/linear_model.h"
#include "tacet/privacy/budget.h"
#include "tacet/privacy/receipt.h"
#include "tacet/random/source/source.h"

/// What every method of training has in common: a plan settled from public facts alone, and a run
/// that carries it out.
namespace tacet::learn {

struct TrainedModel {
  model::LinearModel model;
  privacy::Receipt receipt;
};

/// What training runs on besides the data.
struct TrainingMeans {
  random::Source& source;
  privacy::Reservation& reservation;  ///< booked for the plan's events before the data were read
  base::ThreadPool& threads;
  base::Reducer& reducer;
  base::Supervision supervision = {};
};

/// One line of what was settled. The name is that of the JSON form, `step_size`; a table shows it
/// with spaces.
struct Setting {
  std::string name;
  std::variant<std::int64_t, double, std::string> value;
  bool in_table = true;  ///< false: of interest to programs alone
};

/// A training run that is settled, and not begun: no record has been read.
struct Training {
  std::string method;  ///< as `--method` and the receipt name it
  privacy::Guarantee guarantee{0, 0, privacy::Adjacency::add_remove};  ///< proved for `events`
  privacy::Event events = privacy::no_event();                         ///< what will be released
  double cipher_delta = 0;                                             ///< the cipher's term
  std::vector<Setting> settings;     ///< loss first, then what the method settled, in order
  std::vector<std::string> reasons;  ///< what was chosen and why, a line each

  /// Trains and commits the reservation. With one seed the model has the same bits for any number
  /// of threads. Throws what the method documents; never because of the values of the records.
  std::function<TrainedModel(const data::Dataset&, const data::Schema&, const TrainingMeans&)> run;

  /// With epsilon infinite: the result protects nobody, and says so for ever.
  [[nodiscard]] bool unprotected() const;
};

}  // namespace tacet::learn
