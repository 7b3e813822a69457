#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tacet/apps/command.h"
#include "tacet/apps/describe.h"
#include "tacet/apps/evaluation_report.h"
#include "tacet/apps/outcomes.h"
#include "tacet/apps/receipt_notes.h"
#include "tacet/apps/report_option.h"
#include "tacet/apps/shared_options.h"
#include "tacet/apps/spending.h"
#include "tacet/apps/spool_option.h"
#include "tacet/apps/word_report.h"
#include "tacet/base/error.h"
#include "tacet/data/encode/category_groups.h"
#include "tacet/data/owner/schema_check.h"
#include "tacet/data/read/read_dataset.h"
#include "tacet/data/read/relay.h"
#include "tacet/data/schema/public_row_count.h"
#include "tacet/learn/evaluation.h"
#include "tacet/learn/plan/common_options.h"
#include "tacet/model/model_file.h"
#include "tacet/report/results.h"

namespace tacet::apps {
namespace {

constexpr std::string_view evaluate_examples =
    "  tacet evaluate model.json test.csv --public                 exact metrics\n"
    "  tacet evaluate model.json test.csv --public --by sex        and those of each group\n"
    "  tacet evaluate model.json test.csv --public --threshold 0.3   positive from there on\n"
    "  tacet evaluate model.json test.csv --epsilon 0.5 --delta 1e-6   noisy metrics\n"
    "  tacet evaluate vectors.vec --similarity wordsim.csv         word vectors by public lists\n"
    "\n"
    "Metrics are computed from the records of the file. --public declares that these records need\n"
    "no protection; --epsilon protects them by noise, and the cost adds to whatever else was\n"
    "released about the same people.\n";

class Evaluate : public Command {
 public:
  void declare(CommandLine& line) override {
    auto& options = add(line, "evaluate", "Measure how well a model predicts", evaluate_examples);
    options.add("model", model_, "FILE",
                "Model file that `tacet train` wrote, or word vectors for the lists below",
                Form::required);
    options.add_records("data", data_, "File with records and their true answers", Reading::once,
                        Form::optional);
    options.flag("--public", public_, "The records need no protection: print exact metrics");
    options.flag("--calibration", calibration_,
                 "Add tables of predicted against observed shares for each of several classes; "
                 "two classes always have one");
    threshold_.declare(options);
    options.add("--by", by_, "COLUMN",
                "Also the figures of each group: a column whose categories the schema lists");
    options.add("--epsilon", epsilon_, "NUMBER", "Print noisy metrics at this privacy loss bound");
    options.add("--delta", delta_, "NUMBER",
                "Probability mass on which epsilon may be exceeded [default: the largest power "
                "of ten below 1/public_row_count^1.1, or what fits the account that pays]");
    options.add("--public-row-count", row_count_, "COUNT",
                "Number of records in this file, where it is public; sets the default delta");
    options.add("--adjacency", adjacency_, "NAME",
                "add_remove, zero_out or replace_one [default: as the account that pays, else "
                "add_remove]");
    options.offer("--adjacency", {"add_remove", "zero_out", "replace_one"});
    options.add("--loss-cap", loss_cap_, "NUMBER",
                "Losses above it count as it; not for several classes, which have no single loss "
                "[default: four times the loss of a margin of 0; for numbers the largest loss in "
                "the target's bounds]");
    seed_.declare(options);
    output_.declare_result(options);
    page_.declare(options);
    options.heading("For word vectors, which are public");
    options.add("--similarity", lists_.similarity, "FILE",
                "Rank correlation with people's scores: two words and a number per line");
    options.add("--analogies", lists_.analogies, "FILE",
                "Share of questions answered: four words per line, sections behind ':'");
    options.heading("Options");
    spending_.declare(options);
    spending_.declare_look(options);
    spool_.declare(options);
    notes_.declare(options);
  }

  void run(const Console& console, const base::CancelToken& cancel) override {
    if (page_.wanted() && epsilon_.empty()) {
      throw base::UsageError("--report is about noisy metrics; give --epsilon");
    }
    if (!lists_.similarity.empty() || !lists_.analogies.empty()) return run_on_words(console);
    if (data_.empty()) {
      throw base::UsageError(
          "data is missing: a file with records, or for word vectors --similarity or --analogies");
    }
    if (public_ && !epsilon_.empty()) {
      throw base::UsageError(
          "--public and --epsilon exclude each other: exact metrics of public records, or noisy "
          "ones of private records");
    }
    if (!public_ && epsilon_.empty()) {
      throw base::UsageError(
          "metrics are computed from the records of the file and would reveal something about "
          "them; give --public if these records are public, or --epsilon for noisy metrics");
    }
    if (public_) {
      run_on_public(console, cancel);
    } else {
      run_privately(console, cancel);
    }
  }

 private:
  void run_on_words(const Console& console) const {
    if (!data_.empty() || !epsilon_.empty() || public_) {
      throw base::UsageError(
          "--similarity and --analogies measure word vectors by public lists: no records, no "
          "--public and no --epsilon belong to them");
    }
    const auto output = output_.open(console);
    output->write(word_report(load_vectors(console, model_), lists_, output_.json(console)));
    output->appear();
  }

  void run_on_public(const Console& console, const base::CancelToken& cancel) const {
    auto file = model::load_model(model_);
    model::expect_margins(file.model);
    const auto groups = groups_of(file.schema);
    warn_if_unprotected(console, file.receipt);
    if (calibration_) expect_calibration(file.model);
    // A loss that is a name alone has no value; what needs one is refused before the data are read.
    if (file.model.classes.empty()) static_cast<void>(model::loss_value(file.model.loss, 0, 1));
    const OutcomeOptions options{.threshold = threshold_.margin(file.model),
                                 .keep_probabilities = calibration_,
                                 .groups = groups.get()};
    file.schema.unit.reset();  // exact metrics of public records bound nobody's part
    file.schema.cost.reset();
    data::SchemaCheck mapped;
    const auto spool = spool_.open();
    const auto output = output_.open(console);
    ProgressLine progress(console);
    auto look = unprotected_use(name(), data_, "exact metrics (--public)");
    look.look_schema = file.receipt.notes.schema_sha256;
    run::spend(
        look, spending_.front(console, cancel), *output,
        [&](data::ByteObserver* seen) {
          progress.announce("reading " + data_);
          base::ThreadPool threads(base::available_threads());
          data::Relay check(
              [&](std::unique_ptr<data::ByteSource> bytes) {
                mapped = data::check_values(std::move(bytes), data_, file.schema);
              },
              &cancel);
          auto records = data::read_dataset(data_, file.schema,
                                            {.cancel = &cancel,
                                             .threads = &threads,
                                             .passes = data::Passes::once,
                                             .observers = {&check, seen},
                                             .spool = spool});
          if (!check.finish()) mapped = data::check_values(data_, file.schema);
          return records;
        },
        [&](const data::Dataset& data, privacy::Reservation&, run::Pieces& result) {
          progress.clear();
          if (data.rows() == 0) throw base::DataError("'{}' has no records", data_);
          const auto outcomes = outcomes_of(file.model, data, options, cancel);
          if (outcomes[0].records == 0) {
            throw base::DataError("no record of '{}' has a target, so there is nothing to measure",
                                  data_);
          }
          const auto strange = data::strange_target(mapped, file.schema, data_);
          if (!strange.empty()) console.warn(strange);
          const auto subject = subject_of(file.model, groups.get());
          result.write(output_.json(console) ? exact_json(subject, outcomes, mapped)
                                             : exact_text(subject, outcomes, mapped));
          return 0.0;
        });
  }

  /// The groups that --by asks for; nullptr without it.
  [[nodiscard]] std::unique_ptr<data::CategoryGroups> groups_of(const data::Schema& schema) const {
    if (by_.empty()) return nullptr;
    return std::make_unique<data::CategoryGroups>(schema, by_);
  }

  [[nodiscard]] EvaluationSubject subject_of(const model::LinearModel& model,
                                             const data::CategoryGroups* groups) const {
    return {.model = model,
            .by = by_,
            .groups = groups == nullptr ? std::vector<std::string>() : groups->names()};
  }

  [[nodiscard]] learn::EvaluationOptions private_options(const model::ModelFile& file,
                                                         const data::CategoryGroups* groups,
                                                         const privacy::Guarantee& chosen) const {
    const double epsilon = number_option("--epsilon", epsilon_, "a number above 0");
    if (!(epsilon > 0)) throw base::UsageError("--epsilon must be above 0, got {}", epsilon);
    return {.epsilon = privacy::Epsilon(epsilon),
            .delta = privacy::Delta(chosen.delta),
            .adjacency = chosen.adjacency,
            .loss_cap = loss_cap_.empty() ? std::nullopt
                                          : std::optional(number_option("--loss-cap", loss_cap_,
                                                                        "a number above 0")),
            .privacy_unit = file.schema.unit.value_or("record"),
            .public_row_count = public_row_count(),
            .threshold = threshold_.margin(file.model),
            .groups = groups == nullptr ? 1 : static_cast<std::int64_t>(groups->names().size()),
            .targets_may_miss = !file.schema.target ||
                                file.schema.target->missing_target == data::MissingTarget::drop};
  }

  [[nodiscard]] std::optional<std::int64_t> public_row_count() const {
    if (row_count_.empty()) return std::nullopt;
    const auto count = count_option("--public-row-count", row_count_, 1);
    data::check_public_row_count("--public-row-count", count);
    return count;
  }

  /// What was said of adjacency and delta, or what fits the account that pays.
  [[nodiscard]] privacy::Guarantee chosen_guarantee(const Console& console,
                                                    const std::optional<run::AccountTerms>& terms,
                                                    const data::Schema& schema) const {
    GuaranteeChoice choice{.adjacency = adjacency_,
                           .usual_adjacency = privacy::Adjacency::add_remove,
                           .delta = delta_};
    if (const auto count = public_row_count()) choice.usual_delta = learn::default_delta(*count);
    // What an account leaves open is chosen by what is public of the records it was trained on.
    if (terms && !choice.usual_delta) {
      constexpr double usual = 1e-6;
      const auto count = schema.public_row_count;
      choice.usual_delta = count ? learn::default_delta(*count) : usual;
    }
    const auto delta = chosen_delta(choice, terms, console);
    if (delta) return {0, *delta, chosen_adjacency(choice, terms)};
    throw base::UsageError(
        "give --delta, or --public-row-count where the number of records in this file is public");
  }

  void run_privately(const Console& console, const base::CancelToken& cancel) const {
    if (calibration_) throw base::UsageError("--calibration needs --public");
    const auto source = seed_.source();
    const auto file = model::load_model(model_);
    model::expect_margins(file.model);
    const auto groups = groups_of(file.schema);
    const auto terms = spending_.terms(console, cancel, data_);
    const auto options =
        private_options(file, groups.get(), chosen_guarantee(console, terms, file.schema));
    warn_if_unprotected(console, file.receipt);
    seed_.warn(console);
    const auto plan = in_account(terms, way_with_delta(),
                                 [&] { return learn::plan_evaluation(file.model, options); });
    auto notes = notes_.notes(file.schema, spending_.data_set());
    // The model's schema is the one that it was trained with.
    notes.schema_sha256 = file.receipt.notes.schema_sha256;
    const auto spool = spool_.open();
    page_.refuse_same(output_.file());
    const auto output = output_.open(console);
    auto page = page_.open(output_.overwrite());
    std::string released;  // for the page
    ProgressLine progress(console);
    run::spend(
        {.command = name(),
         .data = data_,
         .privacy_unit = plan.privacy_unit,
         .planned = plan.event,
         .cost = plan.guarantee,
         .unprotected_reason = seed_.unprotected_reason()},
        spending_.front(console, cancel), *output,
        [&](data::ByteObserver* seen) {
          progress.announce("reading " + data_);
          base::ThreadPool threads(base::available_threads());
          return data::read_dataset(data_, file.schema,
                                    {.units = data::UnitUse::index,
                                     .cancel = &cancel,
                                     .threads = &threads,
                                     .passes = data::Passes::once,
                                     .observers = {seen},
                                     .spool = spool});
        },
        [&](const data::Dataset& data, privacy::Reservation& reservation, run::Pieces& result) {
          auto found = learn::evaluate({data, file.model, groups.get()}, plan, *source, reservation,
                                       &cancel);
          found.receipt.notes = reservation.noted(notes);
          progress.clear();
          const auto subject = subject_of(file.model, groups.get());
          released = json_text(report::evaluation_json(subject, plan, found));
          result.write(output_.json(console) ? released : noisy_text(subject, plan, found));
          return found.receipt.prg_slack;
        });
    page_.write(std::move(page), {output_.json(console) ? output_.file() : std::string(), released},
                console, cancel);
  }

  [[nodiscard]] static std::string way_with_delta() {
    return "noisy figures need a delta above 0. --public --attested-look REASON shows exact ones "
           "to the owner alone, at no cost, or take an account with a delta: " +
           other_account("--epsilon 1 --delta 1e-6");
  }

  static void expect_calibration(const model::LinearModel& model) {
    if (model.has_probabilities()) return;
    throw base::UsageError("--calibration needs a classifier trained with the logistic loss");
  }

  std::string model_;
  std::string data_;
  bool public_ = false;
  bool calibration_ = false;
  std::string epsilon_;
  std::string delta_;
  std::string row_count_;
  std::string adjacency_;
  std::string loss_cap_;
  std::string by_;
  WordLists lists_;
  ThresholdOption threshold_;
  SeedOption seed_;
  OutputOptions output_;
  SpendingOptions spending_;
  NotesOptions notes_;
  SpoolOption spool_;
  ReportOption page_;
};

}  // namespace

std::unique_ptr<Command> make_evaluate() { return std::make_unique<Evaluate>(); }

}  // namespace tacet::apps
