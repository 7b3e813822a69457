#include "tacet/learn/words/word_options.h"

#include <array>
#include <limits>

#include "tacet/base/names.h"
#include "tacet/learn/plan/binding.h"
#include "tacet/privacy/adjacency.h"

namespace tacet::learn {
namespace {

using enum PrivacyRelevance;
using enum ParameterType;

constexpr std::int64_t max_units = std::int64_t{1} << 32;
constexpr std::int64_t max_selected_words = std::int64_t{1} << 20;

constexpr auto example_form_names =
    base::names<data::ExampleForm>({{data::ExampleForm::skipgram, "skipgram"},
                                    {data::ExampleForm::cbow, "cbow"},
                                    {data::ExampleForm::listed, "pairs"}});

constexpr std::array word_table{
    Parameter{"epsilon", real,
              reals_between(0, std::numeric_limits<double>::infinity())
                  .or_words({"inf"})
                  .with_note("inf protects nobody"),
              "none; must be given", "privacy loss bound of all that training releases", guarantee},
    Parameter{"delta", real, reals_between(0, 1),
              "the largest power of ten below 1/public_row_count^1.1",
              "probability mass on which epsilon may be exceeded", guarantee},
    Parameter{"adjacency", text, words({"add_remove", "zero_out", "replace_one"}), "add_remove",
              "who is a neighbour of whom", guarantee},
    Parameter{"calibration", text, words({"tight", "paper", "zhang2021"}), "tight",
              "whose noise: the least that is proved, or that of Theorem 3 of Zhang, Mironov and "
              "Hejazinia (2021), with what is proved for it",
              noise},
    Parameter{"public-row-count", integer, integers(1, max_units), "none; must be given",
              "number of units (lines, values of `unit`, or pairs), or a public guess of it", noise,
              "units"},
    Parameter{"select-vocabulary", integer, integers(2, max_selected_words),
              "none: a public list or hash",
              "so many words are found in the texts, privately, before training: those that "
              "noisily most units hold",
              noise, "words"},
    Parameter{"vocabulary-epsilon", real, reals(1e-6, 1e3).with_note("below epsilon"),
              "a quarter of epsilon", "of epsilon, what finding the words may cost", noise},
    Parameter{
        "max-words-per-unit", integer, integers(1, 1 << 16), "8",
        "different words that a unit counts in when words are found; of more a secret subset does",
        noise, "words"},
    Parameter{
        "model", text, words(WordList(example_form_names)), "skipgram",
        "what predicts what: a word each word of its window, the window its word, or listed pairs",
        utility},
    Parameter{"dim", integer, integers(1, model::max_word_dimensions), "100", "numbers a vector",
              utility},
    Parameter{"window", integer, integers(1, data::ExampleRule::max_window), "5",
              "words on each side that belong to a word", utility},
    Parameter{"negatives", integer, integers(1, data::ExampleRule::max_negatives), "5",
              "words drawn against each pair", utility},
    Parameter{
        "max-pairs-per-unit", integer, integers(1, data::ExampleRule::examples_per_unit_limit),
        "16; 1 where pairs are units", "most pairs that a unit gives in a step", noise, "pairs"},
    Parameter{"epochs", real, reals(1e-9, 1e6), "10", "how often each unit is read, on average",
              noise},
    Parameter{"steps", integer, integers(1, 1'000'000'000), "epochs times units over `batch_size`",
              "number of steps", noise},
    Parameter{"batch-size", integer, integers(1, max_units, "public-row-count"),
              "what makes 50 steps", "units a step: the expected size of a secret Poisson sample",
              noise, "units"},
    Parameter{"clipping-norm", real, positive_reals(),
              "the square root of the pairs that a unit gives",
              "bound of what a unit adds to a step, enforced in integers", utility},
    Parameter{"step-size", real, positive_reals(), "from public facts",
              "of a row's mean gradient, were all words alike", utility},
    Parameter{"optimizer", text, words(WordList(row_optimizer_names)), "sgd",
              "how a released step moves the vectors", utility},
    Parameter{"selection", text, words(WordList(word_selection_names)),
              "all for small tables, else adafest",
              "which rows of the tables a step may move, and gets noise for", noise},
    Parameter{
        "granularity", text, words(WordList(granularity_names)), "row",
        "whether exponential, permute_and_flip, sparse_vector and uniform choose rows or numbers",
        noise},
    Parameter{"selected", integer, integers(1, std::int64_t{1} << 40),
              "a hundredth of the rows, a thousandth of the numbers",
              "rows or numbers that a step chooses; fixed: words, the first of the list; fest and "
              "adafest_plus: words chosen before training, instead of by a threshold",
              noise},
    Parameter{
        "score-bound", real, positive_reals(), "a third of `clipping_norm`",
        "longer sums of gradients count as this in exponential, permute_and_flip and sparse_vector",
        noise},
    Parameter{"selection-epsilon", real, reals(1e-6, 100),
              "by `selection_share`; exponential: at most 2",
              "of each draw; for sparse_vector of all comparisons of a step", noise},
    Parameter{"selection-share", real, reals(1e-3, 0.9), "0.1; 0.3 for draws and comparisons",
              "share of the privacy that choosing rows gets (of mu squared)", noise},
    Parameter{"threshold", real, reals(0, 1e9), "from public facts",
              "noisy number of units that must touch a word for its rows to be chosen; for "
              "sparse_vector the noisy length of a sum",
              utility},
    Parameter{"second-clip", text, words(WordList(second_clip_names)), "masked",
              "clips each unit's gradient on the chosen rows (masked) or as a whole; then the sum "
              "on the chosen rows as well (aggregate) or not (none)",
              noise},
    Parameter{"aggregate-norm", real, positive_reals(), "none; goes with `second_clip` aggregate",
              "that the sum on the chosen rows is clipped to", noise},
    Parameter{"tables", integer, integers(1, 2), "2",
              "one table shared by words and contexts, or one each", utility},
    Parameter{"vocabulary-order", text, words({"none", "frequency"}), "none",
              "frequency declares that the vocabulary is in the public order of frequency",
              utility},
    Parameter{"start-seed", integer, seeds(std::int64_t{1} << 62), "1",
              "of the vectors before training; public", utility, "seed"},
};

constexpr std::array word_bindings{
    bind<&WordOptions::epsilon>("epsilon"),
    bind<&WordOptions::delta>("delta"),
    bind<&WordOptions::adjacency>("adjacency",
                                  [](const std::string& text, WordOptions& options) {
                                    options.adjacency = privacy::parse_adjacency(text);
                                  }),
    bind<&WordOptions::paper>(
        "calibration",
        [](const std::string& text, WordOptions& options) { options.paper = text != "tight"; }),
    bind<&WordOptions::public_row_count>("public-row-count"),
    bind<&WordOptions::select_vocabulary>("select-vocabulary"),
    bind<&WordOptions::vocabulary_epsilon>("vocabulary-epsilon"),
    bind<&WordOptions::max_words_per_unit>("max-words-per-unit"),
    bind<&WordOptions::dimensions>("dim"),
    bind<&WordOptions::max_pairs_per_unit>("max-pairs-per-unit"),
    bind<&WordOptions::epochs>("epochs"),
    bind<&WordOptions::steps>("steps"),
    bind<&WordOptions::batch_size>("batch-size"),
    bind<&WordOptions::clipping_norm>("clipping-norm"),
    bind<&WordOptions::step_size>("step-size"),
    bind<&WordOptions::optimizer, row_optimizer_names>("optimizer"),
    bind<&WordOptions::selection, word_selection_names>("selection"),
    bind<&WordOptions::granularity, granularity_names>("granularity"),
    bind<&WordOptions::selected>("selected"),
    bind<&WordOptions::score_bound>("score-bound"),
    bind<&WordOptions::selection_epsilon>("selection-epsilon"),
    bind<&WordOptions::selection_share>("selection-share"),
    bind<&WordOptions::threshold>("threshold"),
    bind<&WordOptions::second_clip, second_clip_names>("second-clip"),
    bind<&WordOptions::aggregate_norm>("aggregate-norm"),
    bind<&WordOptions::tables>("tables"),
    bind<&WordOptions::by_frequency>("vocabulary-order",
                                     [](const std::string& text, WordOptions& options) {
                                       options.by_frequency = text == "frequency";
                                     }),
    bind<&WordOptions::start_seed>("start-seed"),
};

constexpr std::array example_bindings{
    bind<&data::ExampleRule::form, example_form_names>("model"),
    bind<&data::ExampleRule::window>("window"),
    bind<&data::ExampleRule::negatives>("negatives"),
};

}  // namespace

std::span<const Parameter> word_parameters() { return word_table; }

WordOptions word_options(const OptionValues& values) {
  check_values(word_parameters(), values);
  WordOptions options;
  read_bound(word_bindings, values, options);
  read_bound(example_bindings, values, options.examples);
  return options;
}

}  // namespace tacet::learn
