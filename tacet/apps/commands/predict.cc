#include <fmt/format.h>

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacet/apps/command.h"
#include "tacet/apps/describe.h"
#include "tacet/apps/shared_options.h"
#include "tacet/apps/spending.h"
#include "tacet/apps/spool_option.h"
#include "tacet/base/atomic_file.h"
#include "tacet/base/error.h"
#include "tacet/data/encode/standardise.h"
#include "tacet/data/owner/schema_check.h"
#include "tacet/data/read/csv.h"
#include "tacet/data/read/read_dataset.h"
#include "tacet/data/read/relay.h"
#include "tacet/learn/plan/prediction_noise.h"
#include "tacet/model/curve_effects.h"
#include "tacet/model/linear_model.h"
#include "tacet/model/model_file.h"

namespace tacet::apps {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view predict_examples =
    "  tacet predict model.json new.csv                       one class (or value) per line\n"
    "  tacet predict model.json new.csv --proba               one probability per class\n"
    "  tacet predict model.json new.csv --threshold 0.3       the positive class above it\n"
    "  tacet predict model.json new.csv --output scores.csv   into a file\n"
    "  tacet predict model.json new.csv --explain             with curves: what each column does\n"
    "\n"
    "Columns are matched by name, columns the model does not know are ignored, and the order of\n"
    "the records is kept. Predictions speak about the records they are made for: treat them as "
    "you\n"
    "treat those records.\n";

constexpr std::string_view not_known = "not known";

enum class Answer { prediction, probability };

/// Takes the output piece by piece.
using Sink = std::function<void(std::string_view)>;

/// What the columns of each record do, of a model with curves: from records that were read once
/// more, by their columns alone.
class Explanation {
 public:
  Explanation(const model::ModelFile& file, const data::Dataset& raw)
      : raw_(raw), reader_(file.schema), effects_(file.schema, file.model) {}

  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> out{"at_means"};
    for (const auto& column : effects_.columns()) out.push_back("effect of " + column);
    out.emplace_back("together");
    return out;
  }
  /// As names() has it: their sum is the prediction.
  [[nodiscard]] std::vector<double> of(std::int64_t row, double prediction) {
    reader_.features(raw_, row, features_);
    auto out = effects_.of(features_);
    out.back() = prediction - effects_.at_means();
    for (std::size_t k = 0; k + 1 < out.size(); ++k) out.back() -= out[k];
    out.insert(out.begin(), effects_.at_means());
    return out;
  }

 private:
  const data::Dataset& raw_;
  data::RawRows reader_;
  model::RecordEffects effects_;
  data::PlainFeatures features_;
};

/// What stands beside each prediction.
struct Beside {
  bool noise = false;  ///< a bound of the standard deviation of privacy's noise, where it is known
  std::optional<learn::PredictionNoise> law{};
  std::optional<Explanation> explained{};
  std::vector<std::string> mapped{};  ///< a text more of each record, or none
};

class Predictor {
 public:
  Predictor(const model::LinearModel& model, const data::Dataset& data, Answer answer,
            double threshold, Beside beside)
      : beside_(std::move(beside)),
        model_(model),
        data_(data),
        answer_(answer),
        threshold_(threshold),
        margins_(static_cast<std::size_t>(model.output_count())),
        probabilities_(model.classes.size()) {}

  /// Predictions of all records as CSV, handed on in pieces.
  void csv(const Sink& sink, const base::CancelToken& cancel) {
    std::string out = header();
    for (std::int64_t row = 0; row < data_.rows(); ++row) {
      out += csv_line(row);
      for (const auto& one : numbers_beside(row)) {
        out += "," + (one.is_null() ? std::string(not_known) : fmt::format("{:.6g}", double(one)));
      }
      if (!beside_.mapped.empty()) {
        out += "," + data::csv_field(beside_.mapped[static_cast<std::size_t>(row)]);
      }
      out += '\n';
      hand_on(out, sink, cancel);
    }
    sink(out);
  }

  void json(const Sink& sink, const base::CancelToken& cancel) {
    std::string out = "{\n";
    if (!model_.classes.empty()) {
      out += " \"classes\": " + ordered_json(model_.classes).dump() + ",\n";
    }
    out += answer_ == Answer::probability ? " \"probabilities\": [" : " \"predictions\": [";
    for (std::int64_t row = 0; row < data_.rows(); ++row) {
      out += row > 0 ? ",\n  " : "\n  ";
      out += json_value(row).dump();
      hand_on(out, sink, cancel);
    }
    out += "\n ]";
    if (const auto names = names_beside(); !names.empty()) {
      out += ",\n \"beside\": {\"columns\": " + ordered_json(names).dump() + ", \"records\": [";
      for (std::int64_t row = 0; row < data_.rows(); ++row) {
        out += row > 0 ? ",\n  " : "\n  ";
        evaluate(row);
        out += numbers_beside(row).dump();
        hand_on(out, sink, cancel);
      }
      out += "\n ]}";
    }
    if (!beside_.mapped.empty()) out += ",\n \"mapped\": " + ordered_json(beside_.mapped).dump();
    sink(out + "\n}\n");
  }

 private:
  static void hand_on(std::string& out, const Sink& sink, const base::CancelToken& cancel) {
    constexpr std::size_t piece = std::size_t{1} << 16;
    if (out.size() < piece) return;
    cancel.throw_if_cancelled();
    sink(out);
    out.clear();
  }

  /// Noise is that of a number on its own scale, or of the margin, which then stands beside it.
  [[nodiscard]] bool on_scale() const {
    return model_.task == model::PredictionTask::regression &&
           link_of(model_.loss) == model::Link::identity;
  }
  [[nodiscard]] std::vector<std::string> names_beside() const {
    std::vector<std::string> out;
    if (beside_.noise && !on_scale()) out.emplace_back("margin");
    if (beside_.noise) out.emplace_back("noise_sd_at_most");
    if (beside_.explained) {
      for (auto& name : beside_.explained->names()) out.push_back(std::move(name));
    }
    return out;
  }
  /// The figures beside the prediction of the record that was evaluated last; null if one is not
  /// known.
  ordered_json numbers_beside(std::int64_t row) {
    auto out = ordered_json::array();
    if (beside_.noise && !on_scale()) out.push_back(margins_[0]);
    if (beside_.noise && beside_.law) out.push_back(beside_.law->stddev(data_, row));
    if (beside_.noise && !beside_.law) out.push_back(nullptr);
    if (beside_.explained) {
      const double predicted = model::regression_value(model_, margins_[0]);
      for (const double one : beside_.explained->of(row, predicted)) out.push_back(one);
    }
    return out;
  }

  [[nodiscard]] std::string header() const {
    std::string more;
    for (const auto& name : names_beside()) more += "," + data::csv_field(name);
    more += beside_.mapped.empty() ? "\n" : ",mapped\n";
    if (answer_ == Answer::prediction) return "prediction" + more;
    std::string line;
    for (const auto& name : model_.classes)
      line += (line.empty() ? "" : ",") + data::csv_field(name);
    return line + more;
  }

  void evaluate(std::int64_t row) {
    model::margins(model_, data_, row, margins_);
    if (answer_ == Answer::probability) {
      model::class_probabilities(model_, margins_, probabilities_);
    }
  }

  [[nodiscard]] const std::string& class_name() const {
    return model_
        .classes[static_cast<std::size_t>(model::predicted_class(model_, margins_, threshold_))];
  }

  std::string csv_line(std::int64_t row) {
    evaluate(row);
    if (answer_ == Answer::probability) {
      return fmt::format("{:.6g}", fmt::join(probabilities_, ","));
    }
    if (model_.task == model::PredictionTask::regression) {
      return fmt::format("{:.10g}", model::regression_value(model_, margins_[0]));
    }
    return data::csv_field(class_name());
  }

  ordered_json json_value(std::int64_t row) {
    evaluate(row);
    if (answer_ == Answer::probability) return probabilities_;
    if (model_.task == model::PredictionTask::regression) {
      return model::regression_value(model_, margins_[0]);
    }
    return class_name();
  }

  Beside beside_;
  const model::LinearModel& model_;
  const data::Dataset& data_;
  Answer answer_;
  double threshold_;  // of the margin
  std::vector<double> margins_;
  std::vector<double> probabilities_;
};

class Predict : public Command {
 public:
  void declare(CommandLine& line) override {
    auto& options = add(line, "predict", "Apply a model to records", predict_examples);
    options.add("model", model_, "FILE", "Model file that `tacet train` wrote", Form::required);
    options.add_records("data", data_, "File with the records, in the format of the training file",
                        Reading::once);
    options.flag("--proba", proba_, "Print the probability of each class");
    threshold_.declare(options);
    options.flag("--mapped", mapped_,
                 "Add the columns of each record whose values were missing, unknown or out of "
                 "bounds and became what the schema says");
    options.flag(
        "--explain", explain_,
        "Of a model with curves: add what each column's value alone does, the other numbers "
        "at their means, and what all together add to that");
    options.flag(
        "--noise", noise_,
        "Add a bound of the standard deviation that the noise of the training's steps has in "
        "each prediction, or 'not known'");
    output_.declare(options);
    spool_.declare(options);
  }

  void run(const Console& console, const base::CancelToken& cancel) override {
    auto file = model::load_model(model_);
    model::expect_margins(file.model);
    warn_if_unprotected(console, file.receipt);
    if (proba_) expect_probabilities(file.model);
    if (explain_) expect_curves(file);
    if (noise_ && file.model.output_count() != 1) {
      throw base::UsageError(
          "--noise bounds one number, or the margin of two classes; this model "
          "has {}",
          file.model.output_count());
    }
    const double threshold = threshold_.margin(file.model);
    file.schema.unit.reset();  // whose record it is plays no part in a prediction
    file.schema.cost.reset();  // nor does what its fit cost, which names that unit
    ProgressLine progress(console);
    progress.announce("reading " + data_);
    base::ThreadPool threads(base::available_threads());
    Beside beside{.noise = noise_};
    if (noise_) beside.law = learn::PredictionNoise::of(file);
    const auto raw_schema = data::raw_schema(file.schema);
    const data::ReadOptions plain{.target = data::TargetUse::absent, .cancel = &cancel};
    data::Dataset raw(raw_schema.unlabelled_shape());
    std::optional<data::Relay> check;
    std::optional<data::Relay> again;
    std::vector<data::ByteObserver*> observers;
    if (mapped_) {
      check.emplace(
          [&](std::unique_ptr<data::ByteSource> bytes) {
            beside.mapped = data::mapped_columns(std::move(bytes), data_, file.schema);
          },
          &cancel);
      observers.push_back(&*check);
    }
    if (explain_) {
      again.emplace(
          [&](std::unique_ptr<data::ByteSource> bytes) {
            raw = data::internal::read_csv(std::move(bytes), data_, raw_schema, plain);
          },
          &cancel);
      observers.push_back(&*again);
    }
    const auto data = data::read_dataset(data_, file.schema,
                                         {.target = data::TargetUse::absent,
                                          .cancel = &cancel,
                                          .threads = &threads,
                                          .passes = data::Passes::once,
                                          .observers = observers,
                                          .spool = spool_.open()});
    if (check && !check->finish()) beside.mapped = data::mapped_columns(data_, file.schema);
    if (again && !again->finish()) raw = data::read_dataset(data_, raw_schema, plain);
    progress.clear();
    if (explain_) beside.explained.emplace(file, raw);
    Predictor predictor(file.model, data, proba_ ? Answer::probability : Answer::prediction,
                        threshold, std::move(beside));
    write(console, predictor, cancel);
  }

 private:
  static void expect_probabilities(const model::LinearModel& model) {
    if (model.has_probabilities()) return;
    throw base::UsageError(
        "--proba needs a classifier trained with the logistic loss; this model predicts a {} with "
        "the {} loss",
        model.task == model::PredictionTask::regression ? "number" : "class",
        loss_name(model.loss));
  }

  static void expect_curves(const model::ModelFile& file) {
    if (file.schema.curves) return;
    throw base::UsageError(
        "--explain is for models with curves; of this one `tacet report` has a table of what each "
        "value of each column adds");
  }

  void write(const Console& console, Predictor& predictor, const base::CancelToken& cancel) const {
    const auto to = [&](const Sink& sink) {
      if (console.json()) {
        predictor.json(sink, cancel);
      } else {
        predictor.csv(sink, cancel);
      }
    };
    if (output_.file().empty()) {
      to([&](std::string_view piece) { console.result(piece); });
      return;
    }
    base::AtomicFile file(output_.file(), output_.overwrite());
    to([&](std::string_view piece) { file.write(piece); });
    file.commit();
    console.say(fmt::format("predictions written to {}", output_.file()));
  }

  std::string model_;
  std::string data_;
  OutputOptions output_;
  bool proba_ = false;
  bool mapped_ = false;
  bool explain_ = false;
  bool noise_ = false;
  ThresholdOption threshold_;
  SpoolOption spool_;
};

}  // namespace

std::unique_ptr<Command> make_predict() { return std::make_unique<Predict>(); }

}  // namespace tacet::apps
