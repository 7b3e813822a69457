#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "tacet/apps/command.h"
#include "tacet/apps/describe.h"
#include "tacet/apps/receipt_notes.h"
#include "tacet/apps/recorded_cost.h"
#include "tacet/apps/spending.h"
#include "tacet/apps/training_options.h"
#include "tacet/apps/training_run.h"
#include "tacet/apps/word_options.h"
#include "tacet/base/atomic_file.h"
#include "tacet/base/error.h"
#include "tacet/base/machine.h"
#include "tacet/model/words/word_vectors.h"
#include "tacet/privacy/statement.h"
#include "tacet/run/word_vectors.h"

namespace tacet::apps {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view embed_examples =
    "  tacet embed texts.txt --vocabulary words.txt --epsilon 4 --public-row-count 100000\n"
    "      one document per line; which documents there are is protected\n"
    "  tacet embed posts.csv --text-column text --unit author --vocabulary words.txt\n"
    "      --epsilon 4 --public-row-count 20000     all posts of an author together\n"
    "  tacet embed texts.txt --buckets 20 --epsilon 4 --public-row-count 100000\n"
    "  tacet embed texts.txt --select-vocabulary 5000 --epsilon 4 --public-row-count 100000\n"
    "      the words are found in the texts as well, for a part of epsilon\n"
    "  tacet embed texts.txt --vocabulary words.txt --epsilon 4 --public-row-count 99000 --plan\n"
    "      what would be done and what it costs; reads no text\n"
    "\n"
    "Words and their counts must be public: a vocabulary taken from the texts would tell what is\n"
    "in them. The vectors' receipt is written beside them, for `tacet verify` and `account`.\n";

/// Vectors, their receipt and perhaps the contexts' vectors: all of them appear, or none.
class WordOutput : public run::Output {
 public:
  WordOutput(const std::string& path, const std::string& contexts, model::VectorFormat format,
             base::Overwrite overwrite)
      : path_(path), vectors_(path, overwrite), receipt_(receipt_of_vectors(path), overwrite) {
    if (!contexts.empty()) contexts_.emplace(contexts, overwrite);
    if (format == model::VectorFormat::npy) list_.emplace(model::word_list_of(path), overwrite);
  }

  [[nodiscard]] std::string name() const override { return path_; }
  void write(std::string_view piece) override { vectors_.write(piece); }
  [[nodiscard]] base::AtomicFile& receipt() { return receipt_; }
  [[nodiscard]] std::optional<base::AtomicFile>& contexts() { return contexts_; }
  [[nodiscard]] std::optional<base::AtomicFile>& list() { return list_; }
  void appear() override {
    if (list_) list_->commit();
    receipt_.commit();
    if (contexts_) contexts_->commit();
    vectors_.commit();
  }

 private:
  std::string path_;
  base::AtomicFile vectors_;
  base::AtomicFile receipt_;
  std::optional<base::AtomicFile> contexts_;
  std::optional<base::AtomicFile> list_;
};

class Embed : public Command {
 public:
  void declare(CommandLine& line) override {
    auto& options = add(line, "embed", "Train vectors of words on private texts", embed_examples);
    text_.declare_corpus(options);
    text_.declare(options);
    options.heading("Output");
    options.add("--output,-o", output_, "FILE", "Where the vectors go");
    options.add("--format", format_, "NAME", "text (word2vec's), binary (word2vec's) or npy");
    options.add("--contexts", contexts_, "FILE",
                "Also write the vectors of words as contexts, their bias behind them");
    options.flag("--force", force_, "Overwrite the files");
    options.flag("--plan", plan_only_, "Print what would be done and what it costs; reads no text");
    spending_.declare(options);
    notes_.declare(options);
    seed_.declare(options);
  }

  void run(const Console& console, const base::CancelToken& cancel) override {
    const auto vocabulary = text_.vocabulary();
    std::optional<run::AccountTerms> terms;
    if (!plan_only_) {
      terms = spending_.terms(console, cancel, text_.corpus());
      text_.fit_to(terms, console);
    }
    const auto options = text_.training();
    auto plan = in_account(
        terms,
        "vectors of words need a delta above 0. " + other_account("--epsilon 1 --delta 1e-6"),
        [&] { return learn::plan_words(vocabulary, text_.unit(), options); });
    if (plan_only_) return print_plan(console, plan);
    const auto format = model::vector_format(format_);
    learn::ParameterValues values;
    if (!text_.threads().empty()) values.set("threads", text_.threads());
    const auto pool = TrainingRun::threads(console, values);
    warn(console, plan);
    const auto source = seed_.source();
    const auto notes = notes_.notes({}, spending_.data_set());
    WordOutput output(output_, contexts_, format,
                      force_ ? base::Overwrite::allow : base::Overwrite::refuse);
    ProgressLine progress(console);
    const base::Supervision supervision{.progress = &progress, .cancel = &cancel};
    privacy::Receipt receipt;
    run::spend(
        text_.expense_of(name(), plan, seed_), spending_.front(console, cancel), output,
        [&] {
          progress.announce(fmt::format("reading {}", text_.corpus()));
          return text_.read(vocabulary, options, cancel);
        },
        [&](data::OpenCorpus& texts, privacy::Reservation& reservation, run::Pieces& result) {
          const learn::TrainingContext context{.source = *source,
                                               .reservation = reservation,
                                               .threads = *pool,
                                               .supervision = supervision};
          const auto found = run::train_vectors(plan, vocabulary, options, texts, context);
          progress.clear();
          plan = found.plan;
          receipt = found.trained.receipt;
          receipt.notes = reservation.noted(notes);
          run::write_vectors(found, run::VectorsOf::words, format, [&](std::string_view piece) {
            cancel.throw_if_cancelled();
            result.write(piece);
          });
          if (auto& contexts = output.contexts()) {
            run::write_vectors(found, run::VectorsOf::contexts, format,
                               [&](std::string_view piece) { contexts->write(piece); });
          }
          if (auto& list = output.list()) {
            for (std::int32_t k = 0; k < found.vocabulary.size(); ++k) {
              list->write(found.vocabulary.word(k) + "\n");
            }
          }
          output.receipt().write(privacy::receipt_to_json(receipt) + "\n");
          return receipt.prg_slack;
        });
    report(console, plan, receipt, progress.seconds());
  }

 private:
  void warn(const Console& console, const learn::WordPlan& plan) const {
    if (plan.unprotected()) {
      console.warn(
          "PRIVACY: NONE (epsilon inf: trained without noise; the vectors may reveal any text)");
    } else {
      seed_.warn(console);
    }
    warn_of_memory(console, plan);
    if (plan.privacy_unit == "pair") {
      console.warn(
          "PRIVACY: of single pairs of words; neither a sentence nor its author is protected");
    }
  }

  // Rows are stored once a step chose them: what that may come to is known from public facts.
  static void warn_of_memory(const Console& console, const learn::WordPlan& plan) {
    const double bytes = static_cast<double>(plan.shape.rows()) *
                         static_cast<double>(plan.shape.width()) * sizeof(float);
    const auto memory = static_cast<double>(base::machine_memory());
    if (memory <= 0 || bytes <= memory) return;
    console.warn(fmt::format(
        "were every row chosen in the end, the vectors alone would take {:.0f} GB of memory, and "
        "this machine has {:.0f} GB; few rows are, unless steps or the threshold make it so",
        bytes * 1e-9, memory * 1e-9));
  }

  static void print_plan(const Console& console, const learn::WordPlan& plan) {
    const auto shown = spelled(learn::Training{plan, {}}, console);
    console.result(console.json() ? json_text(plan_json(shown)) : plan_text(shown));
  }

  void report(const Console& console, const learn::WordPlan& plan, const privacy::Receipt& receipt,
              double seconds) const {
    const auto shown = spelled(learn::Training{plan, {}}, console);
    if (console.json()) {
      ordered_json out;
      out["vectors"] = output_;
      out["receipt"] = receipt_of_vectors(output_);
      out["privacy"] = privacy::statement(receipt);
      out["protected"] = receipt.is_protected();
      out["plan"] = plan_json(shown);
      out["prg_slack"] = receipt.prg_slack;
      out["seconds"] = std::round(seconds * 1e3) / 1e3;
      console.result(json_text(out));
      return;
    }
    if (console.quiet()) return;
    console.result(
        fmt::format("Chosen from public facts\n{}\nGuarantee\n{}{}\n"
                    "Vectors of {} words written to {} after {:.1f} s\n",
                    plan_text(shown), receipt.is_protected() ? "" : privacy_line(receipt) + "\n",
                    guarantee_text(receipt), plan.shape.words, output_, seconds));
  }

  WordTextOptions text_;
  std::string output_ = "vectors.vec";
  std::string format_ = "text";
  std::string contexts_;
  bool force_ = false;
  bool plan_only_ = false;
  SpendingOptions spending_;
  NotesOptions notes_;
  SeedOption seed_;
};

}  // namespace

std::unique_ptr<Command> make_embed() { return std::make_unique<Embed>(); }

}  // namespace tacet::apps
