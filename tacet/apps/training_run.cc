#include "tacet/apps/training_run.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "tacet/apps/coefficient_report.h"
#include "tacet/apps/describe.h"
#include "tacet/apps/describe_curves.h"
#include "tacet/apps/describe_regression.h"
#include "tacet/apps/describe_wide.h"
#include "tacet/apps/training_close.h"
#include "tacet/apps/training_options.h"
#include "tacet/apps/training_warnings.h"
#include "tacet/base/error.h"
#include "tacet/data/read/read_dataset.h"
#include "tacet/data/schema/schema_cost.h"
#include "tacet/learn/exact/exact_minimum.h"
#include "tacet/model/model_file.h"
#include "tacet/privacy/statement.h"
#include "tacet/report/regression.h"

namespace tacet::apps {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t max_coefficients = 30;  // what fits a screen; `tacet show` prints all
constexpr std::string_view standard_output = "-";

int thread_count(const learn::ParameterValues& values) {
  constexpr std::int64_t max_threads = 1024;
  const auto given = values.integer("threads");
  if (!given) return base::available_threads();
  if (*given < 1 || *given > max_threads) {
    throw base::UsageError("threads must be 1 to {}, got {}", max_threads, *given);
  }
  return static_cast<int>(*given);
}

}  // namespace

void TrainingRun::declare_data(Options& options) {
  options.add_records("data", data_, "File with one record per line", Reading::once);
}

void TrainingRun::declare(Options& options) {
  spending_.declare(options);
  notes_.declare(options);
  seed_.declare(options);
  options.add("--output,-o", output_, "FILE", "Model file to write, - for standard output");
  options.flag("--force", force_, "Overwrite the model file");
  spool_.declare(options);
  options.flag("--explain", explain_, "Print every setting that was chosen, and why");
  page_.declare(options);
}

std::unique_ptr<base::ThreadPool> TrainingRun::threads(const Console& console,
                                                       const learn::ParameterValues& values) {
  const int wanted = thread_count(values);
  auto pool = std::make_unique<base::ThreadPool>(wanted);
  if (pool->size() < wanted) {
    console.say(fmt::format("the system started {} of {} threads", pool->size(), wanted));
  }
  return pool;
}

void TrainingRun::refuse_model_at(std::string_view option, const std::string& file) const {
  if (!same_place(file, output_)) return;
  throw base::UsageError(
      "{} and --output name one file, '{}': one would overwrite the other; give two names", option,
      file);
}

void TrainingRun::run(const Job& job, const Console& console,
                      const base::CancelToken& cancel) const {
  const auto source = seed_.source();
  const auto& plan = job.plan;
  const auto& schema = plan.schema;
  // Refused before anything is spent if the training and the fit of the schema have no joint cost.
  static_cast<void>(data::with_schema_cost(schema, {plan.events, plan.guarantee, plan.prg_slack}));
  const auto notes = notes_.notes(schema, spending_.data_set(), job.schema_file);
  warn_before(console, plan);
  page_.refuse_same(output_);
  const auto output = open_output(console);
  const auto spool = spool_.open();
  auto page = page_.open(overwrite());
  std::string written;  // for the page
  ProgressLine progress(console);
  const base::Supervision supervision{.progress = &progress, .cancel = &cancel};
  model::ModelFile file{.schema = schema};
  run::spend(
      expense_of(job.command, plan, job.schema_file), spending_.front(console, cancel), *output,
      [&](data::ByteObserver* seen) {
        progress.announce("reading " + data_);
        return data::read_dataset(data_, plan.reading_schema(),
                                  {.units = data::UnitUse::index,
                                   .cancel = &cancel,
                                   .threads = &job.threads,
                                   .passes = data::Passes::once,
                                   .observers = {seen},
                                   .spool = spool});
      },
      [&](data::Dataset& data, privacy::Reservation& reservation, run::Pieces& result) {
        auto trained = plan.consume(std::move(data), schema,
                                    {.source = *source,
                                     .reservation = reservation,
                                     .threads = job.threads,
                                     .supervision = supervision});
        progress.clear();
        file.schema = std::move(trained.schema);
        file.model = std::move(trained.model);
        file.receipt = data::with_schema_cost(schema, trained.receipt);
        file.receipt.notes = reservation.noted(notes);
        model::write_model(file, [&](std::string_view piece) {
          cancel.throw_if_cancelled();
          result.write(piece);
          if (page) written += piece;
        });
        return trained.receipt.prg_slack;
      });
  report(console, job, file, progress.seconds());
  page_.write(std::move(page), {output_ == standard_output ? std::string() : output_, written},
              console, cancel);
}

void TrainingRun::warn_before(const Console& console, const learn::Training& plan) const {
  if (plan.unprotected()) {
    console.warn(
        "PRIVACY: NONE (epsilon inf: trained without noise; the model may reveal any record)");
  } else {
    seed_.warn(console);
  }
  for (const auto& warning : training_warnings(plan)) {
    console.say(paragraph("warning: " + warning));
  }
}

/// Opened before anything is booked: an output that cannot be written must not cost any privacy.
std::unique_ptr<run::Output> TrainingRun::open_output(const Console& console) const {
  if (output_ == standard_output) return std::make_unique<ConsoleOutput>(console, output_);
  return std::make_unique<run::FileOutput>(output_, overwrite());
}

std::optional<run::Forecast> TrainingRun::forecast(const learn::Training& plan,
                                                   const std::string& schema_file,
                                                   const Console& console,
                                                   const base::CancelToken& cancel) const {
  if (!names_a_ledger()) return std::nullopt;
  return run::forecast(expense_of("train", plan, schema_file), spending_.front(console, cancel));
}

run::Expense TrainingRun::expense_of(const std::string& command, const learn::Training& plan,
                                     const std::string& schema_file) const {
  return {.command = command,
          .data = data_,
          .privacy_unit = plan.schema.unit.value_or("record"),
          .planned = plan.events,
          .cost = plan.guarantee,
          .schema = {&plan.schema, schema_file},
          .unprotected_reason =
              plan.unprotected() ? "trained with epsilon inf" : seed_.unprotected_reason()};
}

void TrainingRun::report(const Console& console, const Job& job, const model::ModelFile& file,
                         double seconds) const {
  const bool model_went_out = output_ == standard_output;
  if (console.json() && !model_went_out) {
    console.result(json_text(report_json(job, file, seconds)));
    return;
  }
  if (console.quiet()) return;
  const auto text = report_text(job, file, seconds, console);
  if (model_went_out) {
    console.say(text);
  } else {
    console.result(text + "\n");
  }
}

ordered_json TrainingRun::report_json(const Job& job, const model::ModelFile& file,
                                      double seconds) const {
  ordered_json out;
  out["model_file"] = output_;
  out["privacy"] = privacy::statement(file.receipt);
  out["protected"] = file.receipt.is_protected();
  out["plan"] = plan_json(job.plan);
  if (file.model.wide) {
    out["architecture"] = wide_json(file);
  } else if (file.model.table) {
    out["table"] = report::regression_json(file);
  } else {
    out["coefficients"] = coefficient_json(file.model);
  }
  out["prg_slack"] = file.receipt.prg_slack;
  if (const auto optimum = learn::optimum_in_words(file.receipt)) out["optimum"] = *optimum;
  if (job.further.json) job.further.json(out);
  if (job.further.timed) out["seconds"] = std::round(seconds * 1e3) / 1e3;
  return out;
}

std::string TrainingRun::report_text(const Job& job, const model::ModelFile& file, double seconds,
                                     const Console& console) const {
  const auto optimum = learn::optimum_in_words(file.receipt);
  const bool model_went_out = output_ == standard_output;
  const auto where = model_went_out ? std::string("standard output") : output_;
  const TrainingEnd end{.file = file,
                        .terms = job.terms,
                        .model = model_went_out ? std::string() : output_,
                        .data = data_,
                        .data_set = spending_.data_set()};
  return fmt::format(
      "Chosen from public facts{}\n{}\nGuarantee (in full: `tacet show {} --guarantee`)\n"
      "{}{}{}{}\n{}\n{}\nModel written to {}{}\n\n{}",
      explain_ ? "" : " (--explain prints every setting, and why)",
      explain_ ? plan_text(job.plan) : choices_text(job.plan), model_went_out ? "MODEL" : output_,
      guarantee_text(file.receipt), fit_share_text(file.schema, file.receipt.guarantee.adjacency),
      job.further.text, optimum ? "\n" + paragraph(*optimum) : "",
      file.model.wide || file.schema.curves ? "Model" : "Coefficients",
      file.model.wide      ? wide_text(file)
      : file.schema.curves ? curves_summary(file)
      : file.model.table   ? regression_text(file, console)
                           : coefficient_text(file, max_coefficients),
      where, job.further.timed ? fmt::format(" after {:.1f} s", seconds) : "", closing_text(end));
}

}  // namespace tacet::apps
