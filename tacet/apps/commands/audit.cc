#include <fmt/format.h>

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/apps/command.h"
#include "tacet/apps/describe.h"
#include "tacet/apps/expect_claim.h"
#include "tacet/apps/one_run_report.h"
#include "tacet/apps/spending.h"
#include "tacet/apps/terminal/text.h"
#include "tacet/apps/training_run.h"
#include "tacet/apps/word_options.h"
#include "tacet/audit/inserted.h"
#include "tacet/audit/memorisation.h"
#include "tacet/base/error.h"
#include "tacet/learn/words/word_training.h"

namespace tacet::apps {
namespace {

using nlohmann::ordered_json;

/// Normalisers of phrases are kept for all words that begin or go on with.
constexpr std::int32_t max_audited_words = 8192;
constexpr std::int64_t usual_canaries = 1000;

/// What both audits share: a training of `tacet embed` with texts inserted, booked as any other, of
/// which only the vectors are looked at.
class Audit : public Command {
 public:
  void run(const Console& console, const base::CancelToken& cancel) final {
    const auto options = text_.training();
    refuse(options);
    const auto vocabulary = text_.vocabulary();
    expect_few(vocabulary);
    check(options);
    const auto plan =
        expect_claim([&] { return learn::plan_words(vocabulary, text_.unit(), options); });
    learn::ParameterValues values;
    if (!text_.threads().empty()) values.set("threads", text_.threads());
    const auto pool = TrainingRun::threads(console, values);
    if (plan.unprotected()) {
      console.warn("PRIVACY: NONE (epsilon inf: what is printed may reveal any text)");
    } else {
      seed_.warn(console);
    }
    const auto source = seed_.source();
    ConsoleOutput output(console);
    ProgressLine progress(console);
    const base::Supervision supervision{.progress = &progress, .cancel = &cancel};
    run::spend(
        text_.expense_of(name(), plan, seed_), spending_.front(console, cancel), output,
        [&] { return text_.read(vocabulary, options, cancel); },
        [&](data::OpenCorpus& texts, privacy::Reservation& reservation, run::Pieces& result) {
          // Behind the addresses of all steps and choices: which texts are inserted, and random
          // draws of the measurement.
          const random::KeystreamBlock block(
              source->claim(random::Purpose::sampling, plan.vocabulary_step() + 1, 0));
          std::uint64_t word = 0;
          random::KeystreamBlockReader(block).words(0, {&word, 1});
          data::RandomDraws draws(word);
          insert(texts.corpus, vocabulary.size(), draws);
          const auto trained = learn::train_words(texts.corpus, vocabulary, plan,
                                                  {.source = *source,
                                                   .reservation = reservation,
                                                   .threads = *pool,
                                                   .supervision = supervision});
          progress.clear();
          const auto released = audit::released_words(trained.rows, plan.shape);
          result.write(report(console, {released, trained.receipt.guarantee, draws}));
          return trained.receipt.prg_slack;
        });
    if (!fault_.empty()) throw base::GuaranteeError("{}", fault_);
  }

 protected:
  void declare_training(Options& options) {
    text_.declare_corpus(options);
    text_.declare(options);
    options.heading("Output");
    spending_.declare(options);
    seed_.declare(options);
  }

  /// What was released, what it promises, and random draws that no text depends on.
  struct Seen {
    const audit::ReleasedWords& released;
    const privacy::Guarantee& claim;
    data::RandomDraws& draws;
  };

  virtual void check(const learn::WordOptions& options) = 0;
  virtual void insert(data::Corpus& texts, std::int32_t words, data::RandomDraws& draws) = 0;
  [[nodiscard]] virtual std::string report(const Console& console, const Seen& seen) = 0;

  std::string fault_;  ///< what to report if a claim is refuted

 private:
  void refuse(const learn::WordOptions& options) const {
    if (options.select_vocabulary) {
      throw base::UsageError(
          "what is inserted is made of words that are known before; give a public list with "
          "--vocabulary");
    }
    if (text_.unit() != "record") {
      throw base::UsageError(
          "each text that is inserted is a unit of its own; leave out --unit and --pairs-as-units");
    }
    if (options.examples.form == data::ExampleForm::listed) {
      throw base::UsageError("phrases are texts; use --model skipgram or cbow");
    }
  }

  static void expect_few(const data::Vocabulary& vocabulary) {
    if (vocabulary.size() <= max_audited_words && vocabulary.size() >= 3) return;
    throw base::UsageError(
        "an audit compares phrases of all words, of which there may be 3 to {}; the vocabulary has "
        "{}: use --min-count, a shorter list or fewer --buckets",
        max_audited_words, vocabulary.size());
  }

  WordTextOptions text_;
  SpendingOptions spending_;
  SeedOption seed_;
};

constexpr std::string_view one_run_examples =
    "  tacet audit one-run texts.txt --vocabulary words.txt --epsilon 4 --public-row-count 100000\n"
    "      inserts each of 1000 texts or not, by a random draw, trains once, and guesses which\n"
    "  tacet audit one-run data.csv --schema s.toml --epsilon 4 --canaries 6 --public\n"
    "      of a table, with the options of `tacet train`: `tacet audit one-run --schema s.toml "
    "--help`\n"
    "\n"
    "The bound holds at 95 %. Exit code 5 where the claim is refuted. A bound below the claim\n"
    "proves nothing.\n";

class OneRun : public Audit {
 public:
  void declare(CommandLine& line) override {
    if (audits_a_table(line)) return;
    auto& options =
        add(line, "audit one-run", "Bound epsilon from below by one training with inserted texts",
            one_run_examples);
    declare_training(options);
    options.heading("Audit");
    options.add("--canaries", canaries_, "COUNT",
                "Texts that are inserted or not, each by a random draw [default: 1000]");
    options.add("--guesses", guesses_, "COUNT",
                "How many of them are guessed at, fixed beforehand [default: a tenth]");
    options.add("--copies", copies_, "COUNT",
                "How often each is inserted; the bound is then that of one copy [default: 1]");
  }

 protected:
  void check(const learn::WordOptions& options) override {
    if (options.adjacency != privacy::Adjacency::add_remove) {
      throw base::UsageError(
          "texts are inserted or not, which bounds epsilon under add_remove alone; leave out "
          "--adjacency {}",
          to_string(options.adjacency));
    }
    count_ = canaries_.empty() ? usual_canaries : count_option("--canaries", canaries_, 1);
    made_ = guess_count(guesses_, count_);
    times_ = copies_.empty() ? 1 : count_option("--copies", copies_, 1);
  }

  void insert(data::Corpus& texts, std::int32_t words, data::RandomDraws& draws) override {
    constexpr std::int64_t repeats = 8;  // so that most pairs of its text are the phrase's
    phrases_ = audit::random_phrases(count_, words, draws);
    for (const auto& phrase : phrases_) {
      inserted_.push_back(draws.below(2) == 1);
      if (inserted_.back()) audit::insert_phrase(texts, phrase, times_, repeats);
    }
  }

  std::string report(const Console& console, const Seen& seen) override {
    audit::PhraseModel model(seen.released);
    std::vector<double> surprises;
    for (const auto& phrase : phrases_) surprises.push_back(model.surprise(phrase));
    const auto guesses = audit::guess(surprises, inserted_, made_);
    fault_ = one_run_refutation(guesses, times_, seen.claim);
    return one_run_report(console, guesses, times_, seen.claim);
  }

 private:
  std::string canaries_;
  std::string guesses_;
  std::string copies_;
  std::int64_t count_ = 0;
  std::int64_t made_ = 0;
  std::int64_t times_ = 1;
  std::vector<audit::Phrase> phrases_;
  std::vector<bool> inserted_;
};

constexpr std::string_view memorisation_examples =
    "  tacet audit memorisation texts.txt --vocabulary words.txt --epsilon 4\n"
    "      --public-row-count 100000 --insertions 9\n"
    "\n"
    "Whether a model prefers phrases that were inserted is no bound of epsilon, in neither\n"
    "direction: for that there is `tacet audit one-run`.\n";

class Memorisation : public Audit {
 public:
  void declare(CommandLine& line) override {
    auto& options = add(line, "audit memorisation",
                        "Rank inserted phrases among others after training", memorisation_examples);
    declare_training(options);
    options.heading("Audit");
    options.add("--canaries", canaries_, "COUNT", "Phrases that are inserted [default: 1000]");
    options.add("--insertions", insertions_, "COUNT", "How often each is [default: 3]");
    options.add("--phrases", others_, "COUNT",
                "Among so many others each is ranked [default: 10000]");
  }

 protected:
  void check(const learn::WordOptions& /*options*/) override {
    count_ = canaries_.empty() ? usual_canaries : count_option("--canaries", canaries_, 1);
    times_ = insertions_.empty() ? 3 : count_option("--insertions", insertions_, 1);
    ranked_ = others_.empty() ? 10000 : count_option("--phrases", others_, 10);
  }

  void insert(data::Corpus& texts, std::int32_t words, data::RandomDraws& draws) override {
    phrases_ = audit::random_phrases(count_, words, draws);
    for (const auto& phrase : phrases_) audit::insert_phrase(texts, phrase, times_, 1);
  }

  std::string report(const Console& console, const Seen& seen) override {
    audit::PhraseModel model(seen.released);
    const auto words = seen.released.words();
    const auto inserted = test(model, phrases_, words, seen.draws);
    const auto control =
        test(model, audit::random_phrases(count_, words, seen.draws), words, seen.draws);
    // What group privacy of that many copies would say of one. It is no bound.
    const double heuristic = 1 / static_cast<double>(times_);
    if (console.json()) {
      return json_text({{"canaries", count_},
                        {"insertions", times_},
                        {"phrases", ranked_},
                        {"inserted", json_of(inserted)},
                        {"control", json_of(control)},
                        {"claimed_epsilon", json_number(seen.claim.epsilon)},
                        {"delta", seen.claim.delta}});
    }
    TextTable table({"", "distance", "p-value", "mean exposure (bits)", "in the highest tenth"});
    add_row(table, "inserted", inserted);
    add_row(table, "not inserted", control);
    return fmt::format(
        "Ranks of {} phrases, each inserted {} times, among {} others\n{}"
        "Claimed: {}. Ranks bound no epsilon; where those of phrases inserted {} times are "
        "uniform\n"
        "some say \"empirical epsilon {:.2g}\", a heuristic that proves nothing.\n",
        count_, times_, ranked_, table.text(), claim_text(seen.claim), times_, heuristic);
  }

 private:
  audit::RankTest test(audit::PhraseModel& model, const std::vector<audit::Phrase>& phrases,
                       std::int32_t words, data::RandomDraws& draws) const {
    std::vector<std::int64_t> ranks;
    for (const auto& phrase : phrases) {
      const auto others = audit::random_endings(phrase, ranked_, words, draws);
      const double tie = static_cast<double>(draws.next() >> 11) * 0x1p-53;
      ranks.push_back(model.rank(phrase, others, tie));
    }
    return audit::test_ranks(ranks, ranked_);
  }

  static ordered_json json_of(const audit::RankTest& test) {
    return {{"shares", test.shares},
            {"distance", test.distance},
            {"p_value", test.p_value},
            {"mean_exposure", test.mean_exposure}};
  }

  static void add_row(TextTable& table, const std::string& what, const audit::RankTest& test) {
    table.add({what, fmt::format("{:.4f}", test.distance), fmt::format("{:.4g}", test.p_value),
               fmt::format("{:.3f}", test.mean_exposure), fmt::format("{:.3f}", test.shares[9])});
  }

  std::string canaries_;
  std::string insertions_;
  std::string others_;
  std::int64_t count_ = 0;
  std::int64_t times_ = 1;
  std::int64_t ranked_ = 0;
  std::vector<audit::Phrase> phrases_;
};

}  // namespace

std::unique_ptr<Command> make_audit_one_run() { return std::make_unique<OneRun>(); }
std::unique_ptr<Command> make_audit_memorisation() { return std::make_unique<Memorisation>(); }

}  // namespace tacet::apps
