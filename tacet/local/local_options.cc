#include "tacet/local/local_options.h"

#include <array>
#include <limits>

#include "tacet/base/error.h"
#include "tacet/base/names.h"
#include "tacet/data/schema/public_row_count.h"
#include "tacet/learn/plan/binding.h"

namespace tacet::local {

namespace {

using learn::bind;
using learn::free_text;
using learn::integers;
using learn::Parameter;
using learn::positive_reals;
using learn::reals;
using learn::reals_above;
using learn::reals_below;
using learn::reals_between;
using learn::WordList;
using learn::words;
using enum learn::PrivacyRelevance;
using enum learn::ParameterType;

constexpr std::array local_table{
    Parameter{"epsilon", real,
              reals_above(0, 1e4).with_note(
                  "a device that sends its gradient as it is has no privacy at all"),
              "none; must be given",
              "privacy loss bound of all that one device sends, against everybody, the server too",
              guarantee},
    Parameter{"delta", real, reals_below(0, 1).with_note("above 0 for mechanism gaussian alone"),
              "0; for gaussian the largest power of ten below 1/public_row_count^1.1",
              "probability mass on which epsilon may be exceeded", guarantee},
    Parameter{"mechanism", text, words(WordList(mechanism::local_mechanism_names)), "privunit",
              "how a device makes its gradient private", noise},
    Parameter{"embedding", text, words(WordList(mechanism::embedding_names)), "auto",
              "how a gradient inside the ball becomes a direction", noise},
    Parameter{"passes", integer, integers(1, 255), "1",
              "reports of each device; each gets epsilon/passes, of gaussian what composes to it",
              noise, "reports"},
    Parameter{"public-row-count", integer, integers(1, data::max_public_rows),
              "the schema's public_row_count", "number of devices, which is public", noise,
              "devices"},
    Parameter{"learner", text, words({"banco", "local-sgd"}), "banco",
              "what reads the reports; local-sgd needs a `step_size`", utility},
    Parameter{"batch-size", integer, integers(1, std::int64_t{1} << 32, "public-row-count"),
              "the largest power of two that leaves 4,000 rounds",
              "devices a round, whose reports are averaged", utility, "devices"},
    Parameter{"averaging", text,
              words({"anytime", "uniform", "suffix", "last"})
                  .with_note("suffix and last are of local-sgd"),
              "anytime; for local-sgd uniform",
              "which mean of the iterates is the model; with anytime devices see it too", utility},
    Parameter{"certificate", text, words(WordList(certificate_names)),
              "bounded for privunit and djw, else known_noise", "what keeps the bets of banco safe",
              utility},
    Parameter{"weight-scale", real, positive_reals(), "1",
              "size of weights worth reaching; a hint, which costs logarithms when wrong", utility},
    Parameter{"initial-wealth", real, reals(1e-300, 1e300),
              "0.1 W sqrt(rounds (variance + C^2)), of `weight_scale` W and `clipping_norm` C",
              "what banco may lose while it learns nothing", utility, "loss"},
    Parameter{"direction-step", real, reals(1e-3, 1e3), "1",
              "step of the descent that learns the direction of banco", utility},
    Parameter{"weight-power", real, reals(0, 10), "0", "round t counts (t/rounds)^k in banco",
              utility},
    Parameter{"step-size", real, positive_reals(), "none; local-sgd needs one",
              "length of a step along a round's report; trying k of them on the same people "
              "costs k epsilon",
              utility},
    Parameter{"radius", real, positive_reals(), "none",
              "keeps the weights of local-sgd in the ball of this radius", utility},
    Parameter{"calibration", text, words({"tight", "paper", "jun2019"}), "tight",
              "paper: constants of Jun and Orabona (2019), repaired, for l2_laplace", noise},
    Parameter{"loss", text, free_text("as in tacet train; one whose slope is bounded, or squared"),
              "logistic for classes, squared for numbers", "what is minimised", utility},
    Parameter{"loss-parameter", real, free_text("as in tacet train"), "the loss's own",
              "the loss's own number", utility},
    Parameter{"loss-width", real, reals_between(0, std::numeric_limits<double>::infinity()), "0.25",
              "width of the smoothing of losses that also have a `loss_parameter`", utility},
    Parameter{"clipping-norm", real, positive_reals(),
              "the loss's largest slope times the row norm; half the row norm for squared",
              "bound of each gradient, enforced on the device in integers", noise},
    Parameter{"class-weights", text, free_text("NAME=WEIGHT,..., 0.001 to 1000 each"),
              "those of the schema, else all 1",
              "public weights of the classes, divided by the largest", utility},
    Parameter{"threads", integer, integers(1, 1024), "as many as the machine has",
              "worker threads; the result is the same for any number", none},
};

// In the words of this command; the adjacency is no choice.
constexpr std::array device_bindings{
    bind<&learn::CommonOptions::delta>("delta"),
    bind<&learn::CommonOptions::public_row_count>("public-row-count"),
    bind<&learn::CommonOptions::method>("learner"),
};

constexpr std::array local_bindings{
    bind<&LocalOptions::mechanism, mechanism::local_mechanism_names>("mechanism"),
    bind<&LocalOptions::embedding, mechanism::embedding_names>("embedding"),
    bind<&LocalOptions::passes>("passes"),
    bind<&LocalOptions::averaging>("averaging"),
    bind<&LocalOptions::certificate, certificate_names>("certificate"),
    bind<&LocalOptions::initial_wealth>("initial-wealth"),
    bind<&LocalOptions::direction_step>("direction-step"),
    bind<&LocalOptions::weight_power>("weight-power"),
};

}  // namespace

std::span<const learn::Parameter> local_parameters() { return local_table; }

LocalOptions local_options(const learn::OptionValues& values) {
  learn::check_values(local_table, values);
  LocalOptions options;
  options.epsilon = learn::checked_epsilon(values);
  options.loss = learn::loss_of(values);
  learn::read_bound(device_bindings, values, options);
  learn::read_bound(learn::calibration_bindings, values, options);
  learn::read_bound(simulation_bindings, values, options);
  learn::read_bound(learn::ball_bindings, values, options);
  learn::read_bound(learn::class_weight_bindings, values, options);
  learn::read_bound(local_bindings, values, options);
  return options;
}

}  // namespace tacet::local
