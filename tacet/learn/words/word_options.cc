#include "tacet/learn/words/word_options.h"

#include <array>

#include "tacet/privacy/adjacency.h"

namespace tacet::learn {
namespace {

using enum PrivacyRelevance;
constexpr auto real = ParameterType::real;
constexpr auto integer = ParameterType::integer;
constexpr auto text = ParameterType::text;
using Given = OptionReading<WordOptions>;

constexpr std::int64_t max_units = std::int64_t{1} << 32;
constexpr std::int64_t max_selected_words = std::int64_t{1} << 20;

constexpr std::array<OptionRow<WordOptions>, 31> word_table{{
    {"epsilon", real, "above 0, or inf for a run that protects nobody", "none; must be given",
     "privacy loss bound of all that training releases", guarantee,
     [](const Given& given) {
       given.options.epsilon = parse_real(given.name, given.text);
       if (!(given.options.epsilon > 0)) given.refuse();
     }},
    {"delta", real, "above 0 and below 1", "the largest power of ten below 1/public-row-count^1.1",
     "probability mass on which epsilon may be exceeded", guarantee,
     [](const Given& given) {
       given.options.delta = parse_real(given.name, given.text);
       if (!(*given.options.delta > 0 && *given.options.delta < 1)) given.refuse();
     }},
    {"adjacency", text, "add_remove, zero_out or replace_one", "add_remove",
     "who is a neighbour of whom", guarantee,
     [](const Given& given) { given.options.adjacency = privacy::parse_adjacency(given.text); }},
    {"calibration", text, "tight, paper or zhang2021", "tight",
     "whose noise: the least that is proved, or that of Theorem 3 of Zhang, Mironov and Hejazinia "
     "(2021), with what is proved for it",
     noise,
     [](const Given& given) {
       given.options.paper = given.word({"tight", "paper", "zhang2021"}) != 0;
     }},
    {"public-row-count", integer, "1 to 2^32", "none; must be given",
     "number of units (lines, values of --unit, or pairs), or a public guess of it", noise,
     [](const Given& given) { given.options.public_row_count = given.integer(1, max_units); }},
    {"select-vocabulary", integer, "2 to 2^20", "none: a public list or hash",
     "so many words are found in the texts, privately, before training: those that noisily most "
     "units hold",
     noise,
     [](const Given& given) {
       given.options.select_vocabulary = given.integer(2, max_selected_words);
     }},
    {"vocabulary-epsilon", real, "above 0, below epsilon", "a quarter of epsilon",
     "of epsilon, what finding the words may cost", noise,
     [](const Given& given) { given.options.vocabulary_epsilon = given.real(1e-6, 1e3); }},
    {"max-words-per-unit", integer, "1 to 2^16", "8",
     "different words that a unit counts in when words are found; of more a secret subset does",
     noise,
     [](const Given& given) { given.options.max_words_per_unit = given.integer(1, 1 << 16); }},
    {"model", text, "skipgram, cbow or pairs", "skipgram",
     "what predicts what: a word each word of its window, the window its word, or listed pairs",
     utility,
     [](const Given& given) {
       given.options.examples.form =
           static_cast<data::ExampleForm>(given.word({"skipgram", "cbow", "pairs"}));
     }},
    {"dim", integer, "1 to 4096", "100", "numbers a vector", utility,
     [](const Given& given) {
       given.options.dimensions = given.integer(1, model::max_word_dimensions);
     }},
    {"window", integer, "1 to 100", "5", "words on each side that belong to a word", utility,
     [](const Given& given) {
       given.options.examples.window = given.integer(1, data::ExampleRule::max_window);
     }},
    {"negatives", integer, "1 to 100", "5", "words drawn against each pair", utility,
     [](const Given& given) {
       given.options.examples.negatives = given.integer(1, data::ExampleRule::max_negatives);
     }},
    {"max-pairs-per-unit", integer, "1 to 2^20", "16; 1 where pairs are units",
     "most pairs that a unit gives in a step", noise,
     [](const Given& given) {
       given.options.max_pairs_per_unit =
           given.integer(1, data::ExampleRule::examples_per_unit_limit);
     }},
    {"epochs", real, "above 0 to 10^6", "10", "how often each unit is read, on average", noise,
     [](const Given& given) { given.options.epochs = given.real(1e-9, 1e6); }},
    {"steps", integer, "1 to 10^9", "epochs times units over batch-size", "number of steps", noise,
     [](const Given& given) { given.options.steps = given.integer(1, 1'000'000'000); }},
    {"batch-size", integer, "1 to public-row-count", "what makes 50 steps",
     "units a step: the expected size of a secret Poisson sample", noise,
     [](const Given& given) { given.options.batch_size = given.integer(1, max_units); }},
    {"clipping-norm", real, "1e-9 to 1e9", "the square root of the pairs per unit gives",
     "bound of what a unit adds to a step, enforced in integers", utility,
     [](const Given& given) { given.options.clipping_norm = given.real(1e-9, 1e9); }},
    {"step-size", real, "1e-9 to 1e9", "from public facts",
     "of a row's mean gradient, were all words alike", utility,
     [](const Given& given) { given.options.step_size = given.real(1e-9, 1e9); }},
    {"optimizer", text, "sgd, momentum, adagrad, adam or adam_dense_zero", "sgd",
     "how a released step moves the vectors", utility,
     [](const Given& given) {
       given.options.optimizer = row_optimizer_names.find(given.text);
       if (!given.options.optimizer) given.refuse();
     }},
    {"selection", text,
     "all, adafest, adafest_plus, fest, exponential, permute_and_flip, sparse_vector, uniform or "
     "fixed",
     "all for small tables, else adafest",
     "which rows of the tables a step may move, and gets noise for", noise,
     [](const Given& given) {
       given.options.selection = word_selection_names.find(given.text);
       if (!given.options.selection) given.refuse();
     }},
    {"granularity", text, "row or coordinate", "row",
     "whether exponential, permute_and_flip, sparse_vector and uniform choose rows or numbers",
     noise,
     [](const Given& given) {
       given.options.granularity = granularity_names.find(given.text);
       if (!given.options.granularity) given.refuse();
     }},
    {"selected", integer, "1 to 2^40", "a hundredth of the rows, a thousandth of the numbers",
     "rows or numbers that a step chooses; fixed: words, the first of the list; fest and "
     "adafest_plus: words chosen before training, instead of by a threshold",
     noise,
     [](const Given& given) { given.options.selected = given.integer(1, std::int64_t{1} << 40); }},
    {"score-bound", real, "1e-9 to 1e9", "a third of clipping-norm",
     "longer sums of gradients count as this in exponential, permute_and_flip and sparse_vector",
     noise, [](const Given& given) { given.options.score_bound = given.real(1e-9, 1e9); }},
    {"selection-epsilon", real, "1e-6 to 100", "by selection-share; exponential: at most 2",
     "of each draw; for sparse_vector of all comparisons of a step", noise,
     [](const Given& given) { given.options.selection_epsilon = given.real(1e-6, 100); }},
    {"selection-share", real, "0.001 to 0.9", "0.1; 0.3 for draws and comparisons",
     "share of the privacy that choosing rows gets (of mu squared)", noise,
     [](const Given& given) { given.options.selection_share = given.real(1e-3, 0.9); }},
    {"threshold", real, "0 to 1e9", "from public facts",
     "noisy number of units that must touch a word for its rows to be chosen; for sparse_vector "
     "the noisy length of a sum",
     utility, [](const Given& given) { given.options.threshold = given.real(0, 1e9); }},
    {"second-clip", text, "masked, aggregate or none", "masked",
     "clips each unit's gradient on the chosen rows (masked) or as a whole; then the sum on the "
     "chosen rows as well (aggregate) or not (none)",
     noise,
     [](const Given& given) {
       const auto second = second_clip_names.find(given.text);
       if (!second) given.refuse();
       given.options.second_clip = *second;
     }},
    {"aggregate-norm", real, "1e-9 to 1e9", "none; goes with second-clip aggregate",
     "that the sum on the chosen rows is clipped to", noise,
     [](const Given& given) { given.options.aggregate_norm = given.real(1e-9, 1e9); }},
    {"tables", integer, "1 or 2", "2", "one table shared by words and contexts, or one each",
     utility,
     [](const Given& given) { given.options.tables = static_cast<int>(given.integer(1, 2)); }},
    {"vocabulary-order", text, "none or frequency", "none",
     "frequency declares that the vocabulary is in the public order of frequency", utility,
     [](const Given& given) {
       given.options.by_frequency = given.word({"none", "frequency"}) == 1;
     }},
    {"start-seed", integer, "0 to 2^62", "1", "of the vectors before training; public", utility,
     [](const Given& given) {
       given.options.start_seed =
           static_cast<std::uint64_t>(given.integer(0, std::int64_t{1} << 62));
     }},
}};

}  // namespace

std::span<const OptionRow<WordOptions>> word_parameters() { return word_table; }

WordOptions word_options(const OptionValues& values) {
  WordOptions options;
  read_options(word_parameters(), values, options);
  return options;
}

}  // namespace tacet::learn
