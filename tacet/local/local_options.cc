#include "tacet/local/local_options.h"

#include <array>

namespace tacet::local {

namespace {

using LocalReading = learn::OptionReading<LocalOptions>;
using enum learn::PrivacyRelevance;
constexpr auto real_type = learn::ParameterType::real;
constexpr auto integer_type = learn::ParameterType::integer;
constexpr auto text_type = learn::ParameterType::text;

constexpr std::array table{
    LocalParameter{"epsilon", real_type, "above 0 to 10^4", "none; must be given",
                   "privacy loss bound of all that one device sends, against everybody, the server "
                   "too",
                   guarantee, nullptr},
    LocalParameter{"delta", real_type, "above 0 and below 1, for mechanism gaussian alone",
                   "0; for gaussian the largest power of ten below 1/public-row-count^1.1",
                   "probability mass on which epsilon may be exceeded", guarantee, nullptr},
    LocalParameter{"mechanism", text_type,
                   "privunit, privunitg, djw, l2_laplace, coordinate_laplace or gaussian",
                   "privunit", "how a device makes its gradient private", noise,
                   [](const LocalReading& given) {
                     given.options.mechanism = mechanism::local_mechanism_names.find(given.text);
                     if (!given.options.mechanism) given.refuse();
                   }},
    LocalParameter{"embedding", text_type, "auto, sign or lift", "auto",
                   "how a gradient inside the ball becomes a direction", noise,
                   [](const LocalReading& given) {
                     const auto found = mechanism::embedding_names.find(given.text);
                     if (!found) given.refuse();
                     given.options.embedding = *found;
                   }},
    LocalParameter{
        "passes", integer_type, "1 to 255", "1",
        "reports of each device; each gets epsilon/passes, of gaussian what composes to it", noise,
        [](const LocalReading& given) { given.options.passes = given.integer(1, 255); }},
    LocalParameter{"public-row-count", integer_type, "1 to 2^32", "the schema's public_row_count",
                   "number of devices, which is public", noise, nullptr},
    LocalParameter{"learner", text_type, "banco or local-sgd", "banco",
                   "what reads the reports; local-sgd needs a step size", utility,
                   [](const LocalReading& given) {
                     given.options.linear.method =
                         given.word({"banco", "local-sgd"}) == 0 ? "banco" : "local-sgd";
                   }},
    LocalParameter{"batch-size", integer_type, "1 to public-row-count",
                   "the largest power of two that leaves 4,000 rounds",
                   "devices a round, whose reports are averaged", utility, nullptr},
    LocalParameter{
        "averaging", text_type, "anytime or uniform; for local-sgd uniform, suffix or last",
        "anytime; for local-sgd uniform",
        "which mean of the iterates is the model; with anytime devices see it too", utility,
        [](const LocalReading& given) {
          (void)given.word({"anytime", "uniform", "suffix", "last"});
          given.options.averaging = given.text;
        }},
    LocalParameter{"certificate", text_type, "bounded, known_noise or symmetric",
                   "bounded for privunit and djw, else known_noise",
                   "what keeps the bets of banco safe", utility,
                   [](const LocalReading& given) {
                     given.options.certificate = static_cast<CertificateKind>(
                         given.word({"known_noise", "symmetric", "bounded"}));
                   }},
    LocalParameter{"weight-scale", real_type, "1e-9 to 1e9", "1",
                   "size of weights worth reaching; a hint, which costs logarithms when wrong",
                   utility, nullptr},
    LocalParameter{"initial-wealth", real_type, "above 0, in units of loss",
                   "0.1 weight-scale sqrt(rounds (variance + clipping-norm^2))",
                   "what banco may lose while it learns nothing", utility,
                   [](const LocalReading& given) {
                     given.options.initial_wealth = given.real(1e-300, 1e300);
                   }},
    LocalParameter{
        "direction-step", real_type, "1e-3 to 1e3", "1",
        "step of the descent that learns the direction of banco", utility,
        [](const LocalReading& given) { given.options.direction_step = given.real(1e-3, 1e3); }},
    LocalParameter{
        "weight-power", real_type, "0 to 10", "0", "round t counts (t/rounds)^k in banco", utility,
        [](const LocalReading& given) { given.options.weight_power = given.real(0, 10); }},
    LocalParameter{"step-size", real_type, "1e-9 to 1e9", "none; local-sgd needs one",
                   "length of a step along a round's report; trying k of them on the same people "
                   "costs k epsilon",
                   utility, nullptr},
    LocalParameter{"radius", real_type, "1e-9 to 1e9", "none",
                   "keeps the weights of local-sgd in the ball of this radius", utility, nullptr},
    LocalParameter{"calibration", text_type, "tight, paper or jun2019", "tight",
                   "paper: constants of Jun and Orabona (2019), repaired, for l2_laplace", noise,
                   nullptr},
    LocalParameter{"loss", text_type, "as in tacet train; one whose slope is bounded, or squared",
                   "logistic for classes, squared for numbers", "what is minimised", utility,
                   nullptr},
    LocalParameter{"loss-parameter", real_type, "as in tacet train", "the loss's own",
                   "the loss's own number", utility, nullptr},
    LocalParameter{"loss-width", real_type, "above 0", "0.25",
                   "width of the smoothing of losses that also have a loss-parameter", utility,
                   nullptr},
    LocalParameter{"clipping-norm", real_type, "1e-9 to 1e9",
                   "the loss's largest slope times the row norm; half the row norm for squared",
                   "bound of each gradient, enforced on the device in integers", noise, nullptr},
    LocalParameter{"class-weights", text_type, "NAME=WEIGHT,..., 0.001 to 1000 each", "all 1",
                   "public weights of the classes, divided by the largest", utility, nullptr},
    LocalParameter{"threads", integer_type, "1 to 1024", "as many as the machine has",
                   "worker threads; the result is the same for any number", none, nullptr},
};

}  // namespace

std::span<const LocalParameter> local_parameters() { return table; }

LocalOptions local_options(const learn::OptionValues& values) {
  LocalOptions options;
  learn::ParameterValues shared;
  for (const auto& row : table) {
    const auto given = values.find(row.name);
    if (row.read == nullptr && given != values.end()) shared.set(row.name, given->second);
  }
  options.linear = learn::linear_options(shared, privacy::Adjacency::replace_one);
  options.linear.method = "banco";
  learn::read_options(local_parameters(), values, options);
  return options;
}

}  // namespace tacet::local
