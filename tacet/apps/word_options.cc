#include "tacet/apps/word_options.h"

#include <fmt/format.h>

#include <cmath>

#include "tacet/apps/command.h"
#include "tacet/apps/training_options.h"
#include "tacet/base/error.h"

namespace tacet::apps {
void WordTextOptions::declare_corpus(Options& options) {
  options.add_records("corpus", corpus_, "Text with a document a line, or a table (.csv, .tsv)",
                      Reading::repeated);
}

void WordTextOptions::declare(Options& options) {
  options.heading("Text and words");
  options.add("--vocabulary,-v", vocabulary_, "FILE",
              "Public list of words, one a line, with or without a public count behind each");
  options.add("--buckets", buckets_, "BITS",
              "Instead of a list: 2^BITS vectors, words sharing one by a public hash, 1 to 30");
  options.add("--min-count", min_count_, "COUNT", "Leave out words whose public count is lower");
  options.add("--sample", sample_, "NUMBER",
              "Leave out tokens of frequent words at random, by their public counts, as word2vec "
              "does with 1e-3");
  options.flag("--negatives-by-count", by_counts_,
               "Draw words against pairs by their public count to the power 3/4, not all alike");
  options.add("--text-column", text_column_, "COLUMN", "The file is a table; its text is in here");
  options.add("--unit", unit_, "COLUMN",
              "Column of the table: all texts of one value are protected together");
  options.flag(
      "--words", words_,
      "Tokens are runs of letters and digits, in lower case, instead of all between blanks");
  options.add("--max-words", max_, "COUNT",
              "A text counts with its first so many words [default: 10000]");
  options.flag("--pairs-as-units", pairs_as_units_,
               "Protect each pair of words by itself: neither a text nor its author is protected");
  options.heading("Training");
  for (const auto& row : learn::word_parameters()) add_parameter(options, row, given_);
  options.add("--threads", threads_, "COUNT",
              "Worker threads; the result is the same for any number [default: as many as the "
              "machine has]");
}

data::Vocabulary WordTextOptions::vocabulary() const {
  if (const auto options = training(); options.select_vocabulary) {
    if (!vocabulary_.empty() || !buckets_.empty() || !min_count_.empty()) {
      throw base::UsageError(
          "--select-vocabulary finds the words in the texts; leave out --vocabulary, --buckets and "
          "--min-count");
    }
    if (options.pairs_as_units) {
      throw base::UsageError(
          "--select-vocabulary counts words of texts and --pairs-as-units protects pairs, which "
          "are found by their words; give a public list with --vocabulary");
    }
    return learn::words_to_be_found(options);
  }
  if (vocabulary_.empty() == buckets_.empty()) {
    throw base::UsageError(
        "words need a public list (--vocabulary FILE) or a public hash (--buckets BITS), one of "
        "them: words taken from the texts would say what is in them, unless that is paid for "
        "(--select-vocabulary)");
  }
  if (!buckets_.empty()) {
    const auto bits = integer_option("--buckets", buckets_, "1 to 30");
    if (bits < 1 || bits > 30) {
      throw base::UsageError("--buckets must be 1 to 30, got {}", bits);
    }
    if (!min_count_.empty()) {
      throw base::UsageError("--min-count needs public counts, which hashed words have not");
    }
    return data::Vocabulary::hashed(static_cast<int>(bits));
  }
  auto words = data::read_vocabulary(vocabulary_);
  if (min_count_.empty()) return words;
  return words.with_counts_from(count_option("--min-count", min_count_, 1));
}

learn::WordOptions WordTextOptions::training() const {
  auto options = learn::word_options(given_);
  options.pairs_as_units = pairs_as_units_;
  options.negatives_by_count = by_counts_;
  if (!sample_.empty()) {
    options.sample = number_option("--sample", sample_, "a number above 0");
  }
  return options;
}

void WordTextOptions::fit_to(const std::optional<run::AccountTerms>& terms,
                             const Console& console) {
  const auto options = learn::word_options(given_);
  if (!terms || std::isinf(options.epsilon)) return;
  if (!given_.contains("adjacency")) given_["adjacency"] = to_string(terms->adjacency);
  if (given_.contains("delta")) return;
  GuaranteeChoice choice{.adjacency = {}, .usual_adjacency = terms->adjacency};
  if (options.public_row_count) {
    choice.usual_delta = learn::default_delta(*options.public_row_count);
  }
  const auto delta = chosen_delta(choice, terms, console);
  if (delta == 0.0) {
    refuse_in_account(base::GuaranteeError("vectors of words need a delta above 0"), *terms,
                      other_account("--epsilon 1 --delta 1e-6"));
  }
  if (delta && delta != choice.usual_delta) given_["delta"] = fmt::format("{}", *delta);
}

std::string WordTextOptions::unit() const {
  if (!unit_.empty() && text_column_.empty()) {
    throw base::UsageError("--unit names a column of a table; --text-column is missing");
  }
  if (pairs_as_units_) {
    if (!unit_.empty()) {
      throw base::UsageError("--unit and --pairs-as-units contradict each other; give one");
    }
    return "pair";
  }
  return unit_.empty() ? "record" : unit_;
}

data::OpenCorpus WordTextOptions::read(const data::Vocabulary& vocabulary,
                                       const learn::WordOptions& training,
                                       const base::CancelToken& cancel) const {
  data::CorpusOptions options{.tokens = words_ ? data::TokenRule::words : data::TokenRule::blanks,
                              .keep_unknown = training.examples.needs_unknown(),
                              .cancel = &cancel};
  if (!max_.empty()) options.max_words = count_option("--max-words", max_, 2);
  if (!text_column_.empty()) {
    options.table = data::CorpusTable{.text_column = text_column_};
    if (!unit_.empty()) options.table->unit_column = unit_;
    if (corpus_.ends_with(".tsv") || corpus_.ends_with(".tsv.gz")) {
      options.table->format.separator = '\t';
      options.table->format.quote.reset();  // texts may begin with one; tabs end fields
    }
  }
  if (training.select_vocabulary) return data::read_open_corpus(corpus_, options);
  return {data::read_corpus(corpus_, vocabulary, options)};
}

run::Expense WordTextOptions::expense_of(const std::string& command, const learn::WordPlan& plan,
                                         const SeedOption& seed) const {
  return {.command = command,
          .data = corpus_,
          .privacy_unit = plan.privacy_unit,
          .planned = plan.events,
          .cost = plan.guarantee,
          .unprotected_reason =
              plan.unprotected() ? "trained with epsilon inf" : seed.unprotected_reason()};
}

}  // namespace tacet::apps
