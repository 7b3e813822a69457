// The first byte says what is read: a public vocabulary, a corpus of lines or of a table, or both.
// Whatever the bytes, reading ends with words of the vocabulary or with an error of the file's
// structure, a corpus of lines never with any, read with a list or with all of its words; and
// examples are drawn from whatever was read.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/data/words/unit_examples.h"

namespace words_fuzz {

namespace {

using namespace tacet::data;

std::optional<Vocabulary> read_list(std::string_view text) {
  try {
    return read_vocabulary(LineReader(memory_source(text, "v"), "v"), "v");
  } catch (const tacet::base::DataError&) {
    return std::nullopt;
  }
}

void draw(const Corpus& corpus, const Vocabulary& vocabulary, ExampleForm form) {
  const ExampleRule rule{.form = form, .window = 3, .max_examples_per_unit = 4, .negatives = 2};
  rule.validate(vocabulary);
  const UnitExamples examples(corpus, rule, NegativeLaw::uniform(vocabulary));
  UnitExamples::Drawer drawer(examples);
  ExampleList list;
  for (std::int64_t unit = 0; unit < examples.unit_count(); ++unit) {
    list.clear();
    drawer.draw(unit, static_cast<std::uint64_t>(unit), list);
    if (list.size() > 4) std::abort();
    for (std::size_t k = 0; k < list.size(); ++k) {
      for (const auto word : list[k].negatives) {
        if (word < 0 || word >= vocabulary.size()) std::abort();
      }
      if (list[k].context < 0 || list[k].context >= vocabulary.size()) std::abort();
    }
  }
}

void read_texts(std::string_view text, const Vocabulary& vocabulary, const CorpusOptions& options,
                ExampleForm form) {
  std::optional<Corpus> corpus;
  try {
    corpus = read_corpus(memory_source(text, "t"), "t", vocabulary, options);
  } catch (const tacet::base::DataError&) {
    // Of lines only packed ones can be damaged.
    if (!options.table && !text.starts_with("\x1f\x8b")) std::abort();
    return;
  }
  for (std::int64_t r = 0; r < corpus->record_count(); ++r) {
    const auto words = corpus->record(r);
    if (static_cast<std::int64_t>(words.size()) > options.max_words) std::abort();
    for (const auto word : words) {
      const auto least = options.keep_unknown ? Vocabulary::unknown : 0;
      if (word < least || word >= vocabulary.size()) std::abort();
    }
  }
  draw(*corpus, vocabulary, form);
}

// Read with all of their words and numbered by a list afterwards, lines are what the list reads.
void read_open(std::string_view text, const Vocabulary& vocabulary, const CorpusOptions& options) {
  if (text.starts_with("\x1f\x8b") || text.size() > 10'000) return;
  auto open = read_open_corpus(memory_source(text, "t"), "t", options);
  const Vocabulary all(open.words);  // which refuses words that no list may have
  std::vector<std::int32_t> numbers;
  for (std::int32_t k = 0; k < all.size(); ++k) {
    if (all.find(open.words[static_cast<std::size_t>(k)]) != k) std::abort();
    numbers.push_back(vocabulary.find(open.words[static_cast<std::size_t>(k)]));
  }
  open.corpus.renumber(numbers, open.keep_unknown);
  const auto listed = read_corpus(memory_source(text, "t"), "t", vocabulary, options);
  if (open.corpus.record_count() != listed.record_count()) std::abort();
  for (std::int64_t r = 0; r < listed.record_count(); ++r) {
    if (!std::ranges::equal(open.corpus.record(r), listed.record(r))) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  const auto list = read_list(text);
  const auto words = (data[0] & 1) != 0 && list && list->size() > 1
                         ? *list
                         : Vocabulary({"the", "king", "a", "queen"});
  const auto rule = (data[0] & 2) != 0 ? TokenRule::words : TokenRule::blanks;
  read_texts(text, words, {.tokens = rule, .max_words = 5}, ExampleForm::skipgram);
  read_texts(text, words, {.tokens = rule, .keep_unknown = true}, ExampleForm::listed);
  read_open(text, words, {.tokens = rule, .keep_unknown = (data[0] & 4) != 0});
  read_texts(text, words,
             {.tokens = rule, .table = CorpusTable{.text_column = "text", .unit_column = "who"}},
             ExampleForm::cbow);
  return 0;
}

}  // namespace words_fuzz
