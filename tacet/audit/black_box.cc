#include "tacet/audit/black_box.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "tacet/accounting/routes/gaussian.h"
#include "tacet/base/error.h"
#include "tacet/data/words/random_draws.h"

namespace tacet::audit {
namespace {

using Map = Eigen::Map<const Eigen::MatrixXd>;

constexpr std::int64_t pilot_share = 10;  // a tenth
constexpr std::int64_t max_cells = 64;    // the rest is one more

std::size_t place_of(std::int64_t number) { return static_cast<std::size_t>(number); }

/// Runs on both data sets, all of them before anything is looked at.
struct Drawn {
  std::vector<double> one;
  std::vector<double> other;
};

Drawn draw(const Subject& subject, const AuditOptions& options, base::ThreadPool& threads,
           const base::Supervision& supervision) {
  const auto width = static_cast<std::int64_t>(subject.width);
  Drawn drawn{std::vector<double>(place_of(options.trials * width)),
              std::vector<double>(place_of(options.trials * width))};
  const auto blocks = (options.trials + options.block - 1) / options.block;
  const auto piece = std::max<std::int64_t>(1, blocks / 50) * threads.size();
  for (std::int64_t done = 0; done < blocks; done += piece) {
    supervision.step("audit", done, blocks);
    threads.for_blocks(
        2 * std::min(piece, blocks - done), 1, [&](int, std::int64_t begin, std::int64_t end) {
          for (auto item = begin; item < end; ++item) {
            const bool other = item % 2 == 1;
            const auto block = done + item / 2;
            const auto first = block * options.block;
            const auto count = std::min(options.block, options.trials - first);
            auto& side = other ? drawn.other : drawn.one;
            const auto seed = data::RandomDraws::mixed(
                options.seed + 0x9e3779b97f4a7c15U * static_cast<std::uint64_t>(2 * block + other));
            subject.draw(other, seed,
                         std::span(side).subspan(place_of(first * width), place_of(count * width)));
          }
        });
  }
  supervision.step("audit", blocks, blocks);
  return drawn;
}

/// The numbers of one side as one score per run, higher for the other data set.
std::vector<double> along(const Eigen::VectorXd& weights, const std::vector<double>& numbers) {
  const auto width = weights.size();
  const Map runs(numbers.data(), width, std::ssize(numbers) / width);
  const Eigen::VectorXd scores = runs.transpose() * weights;
  return {scores.begin(), scores.end()};
}

/// The direction in which pilot runs differ most (Fisher 1936).
Eigen::VectorXd discriminant(const Drawn& drawn, std::size_t width, std::int64_t pilot) {
  const auto size = static_cast<Eigen::Index>(width);
  Eigen::MatrixXd spread = Eigen::MatrixXd::Zero(size, size);
  Eigen::VectorXd apart = Eigen::VectorXd::Zero(size);
  for (const auto* side : {&drawn.one, &drawn.other}) {
    const Map runs(side->data(), size, pilot);
    const Eigen::VectorXd mean = runs.rowwise().mean();
    const Eigen::MatrixXd centred = runs.colwise() - mean;
    spread += centred * centred.transpose() / static_cast<double>(pilot);
    apart += side == &drawn.other ? mean : -mean;
  }
  // Numbers that are always the same on both sides must not make it singular.
  const double scale = spread.trace() / static_cast<double>(size);
  spread.diagonal().array() += scale > 0 ? 1e-9 * scale : 1.0;
  return spread.ldlt().solve(apart);
}

/// Which runs at the value of a cut belong to its event; of half of them a Bernoulli draw says so.
enum class Ties { none, half, all };

/// An event: a score above `value`, or one of its ties.
struct Cut {
  double value = 0;
  Ties ties = Ties::none;
};

/// Scores of one side, each with its Bernoulli draw.
class Scores {
 public:
  Scores(std::vector<double> scores, std::int64_t pilot, std::uint64_t seed)
      : scores_(std::move(scores)), pilot_(pilot), seed_(seed) {}

  [[nodiscard]] Seen above(const Cut& cut, bool of_pilot) const {
    const auto first = of_pilot ? 0 : pilot_;
    const auto last = of_pilot ? pilot_ : std::ssize(scores_);
    std::int64_t count = 0;
    for (auto i = first; i < last; ++i) {
      const double score = scores_[place_of(i)];
      count += score > cut.value || (score == cut.value && counts(cut.ties, i)) ? 1 : 0;
    }
    return {count, last - first};
  }
  [[nodiscard]] std::span<const double> pilot() const {
    return std::span(scores_).first(place_of(pilot_));
  }
  [[nodiscard]] const std::vector<double>& all() const { return scores_; }

 private:
  [[nodiscard]] bool counts(Ties ties, std::int64_t run) const {
    if (ties != Ties::half) return ties == Ties::all;
    return (data::RandomDraws::mixed(seed_ + static_cast<std::uint64_t>(run)) & 1U) != 0;
  }
  std::vector<double> scores_;
  std::int64_t pilot_;
  std::uint64_t seed_;
};

double mean_of(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

/// Quantiles of the pilot runs of both sides, denser toward the ends.
std::vector<Cut> candidates(const Scores& one, const Scores& other) {
  std::vector<Cut> cuts;
  for (const auto* side : {&one, &other}) {
    std::vector<double> sorted(side->pilot().begin(), side->pilot().end());
    std::ranges::sort(sorted);
    const auto count = static_cast<double>(sorted.size());
    for (double share = .5; share * count >= 1; share /= 1.25) {
      const auto place = static_cast<std::size_t>(share * count);
      for (const double value : {sorted[place], sorted[sorted.size() - 1 - place]}) {
        for (const auto ties : {Ties::none, Ties::half, Ties::all}) cuts.push_back({value, ties});
      }
    }
  }
  return cuts;
}

/// What the counted runs would show if they were as the pilot's. One more of what is seldom: that
/// the pilot did not see it is no proof.
Seen scaled(const Seen& pilot, std::int64_t more) {
  const auto times = std::min(pilot.times + more, pilot.runs);
  return {times * (pilot_share - 1), pilot.runs * (pilot_share - 1)};
}

/// What the pilot runs choose: a cut per direction, and whether both count as one.
struct Chosen {
  Cut up;    ///< above it is the other data set
  Cut down;  ///< below it is the first one
  bool together = false;
};

/// How often each side is above one cut and below the other.
TwoWays seen_at(const Chosen& cuts, const Scores& one, const Scores& other, bool pilot) {
  return {other.above(cuts.up, pilot), one.above(cuts.up, pilot),
          other.above(cuts.down, pilot).complement(), one.above(cuts.down, pilot).complement()};
}

Chosen choose(const Scores& one, const Scores& other, double delta, double level) {
  Chosen chosen;
  double max_up = -1;
  double max_down = -1;
  for (const auto& cut : candidates(one, other)) {
    // Half of an atom has its likelihood ratio, by fewer runs. It could only be lucky in the pilot.
    if (cut.ties == Ties::half) continue;
    const auto first = one.above(cut, true);
    const auto second = other.above(cut, true);
    const double up = epsilon_refuted(scaled(second, 0), scaled(first, 1), delta, level / 4);
    const double down = epsilon_refuted(scaled(first.complement(), 0),
                                        scaled(second.complement(), 1), delta, level / 4);
    if (up > max_up) chosen.up = cut;
    if (down > max_down) chosen.down = cut;
    max_up = std::max(max_up, up);
    max_down = std::max(max_down, down);
  }
  // By what the counted runs would show. The better of two directions was luckier in the pilot than
  // both together, so that it must show a twentieth more.
  const auto pilot = seen_at(chosen, one, other, true);
  const TwoWays counted{scaled(pilot.one_up, 0), scaled(pilot.other_up, 1),
                        scaled(pilot.one_down, 1), scaled(pilot.other_down, 0)};
  chosen.together = 1.02 * epsilon_refuted_together(counted, delta, level) >
                    epsilon_refuted(counted, delta, level);
  return chosen;
}

Errors errors_at(const Cut& cut, const Scores& one, const Scores& other, bool pilot) {
  return {one.above(cut, pilot), other.above(cut, pilot).complement()};
}

/// The cut that lies furthest below the curve in the pilot runs.
Cut below(const TradeOff& curve, const Scores& one, const Scores& other) {
  Cut best;
  double furthest = -2;
  for (const auto& cut : candidates(one, other)) {
    const auto errors = errors_at(cut, one, other, true);
    const auto share = [](const Seen& seen) {
      return static_cast<double>(seen.times + 1) / static_cast<double>(seen.runs + 1);
    };
    const double depth = curve.misses(share(errors.alarms)) - share(errors.misses);
    if (depth > furthest) best = cut;
    furthest = std::max(furthest, depth);
  }
  return best;
}

std::vector<Finding::Point> points_of(const Scores& one, const Scores& other) {
  std::vector<double> sorted(one.all());
  sorted.insert(sorted.end(), other.all().begin(), other.all().end());
  std::ranges::sort(sorted);
  std::vector<Finding::Point> points;
  constexpr std::size_t number = 40;
  for (std::size_t i = 1; i < number; ++i) {
    const Cut cut{sorted[i * sorted.size() / number], Ties::half};
    const auto share = [](const Seen& seen) {
      return static_cast<double>(seen.times) / static_cast<double>(seen.runs);
    };
    const auto errors = errors_at(cut, one, other, false);
    const Finding::Point point{share(errors.alarms), share(errors.misses)};
    // Where many outcomes are equal, so are cuts.
    if (points.empty() || point != points.back()) points.push_back(point);
  }
  return points;
}

/// Bounds at a level, and at which levels they refute the claim.
template <typename Bound>
void conclude(Finding& finding, const Subject& subject, double level, const Bound& bound) {
  finding.epsilon_at_least = bound(level);
  finding.refuted = finding.epsilon_at_least > subject.claim.epsilon;
  finding.p_value = p_value([&](double of) { return bound(of) > subject.claim.epsilon; });
}

void look_at_gaussians(Finding& finding, const Subject& subject, const Scores& one,
                       const Scores& other, double level) {
  const Cut middle{(mean_of(one.pilot()) + mean_of(other.pilot())) / 2, Ties::none};
  const auto errors = errors_at(middle, one, other, false);
  finding.mu_at_least = mu_refuted(errors, level);
  conclude(finding, subject, level, [&](double of) {
    return accounting::gaussian::epsilon_below(mu_refuted(errors, of),
                                               privacy::Delta(subject.claim.delta));
  });
}

void look_at_cuts(Finding& finding, const Subject& subject, const Scores& one, const Scores& other,
                  double level) {
  // Both tests, of the claim and of the curve, share the level.
  const double share = subject.event ? 2 : 1;
  const auto chosen = choose(one, other, subject.claim.delta, level / share);
  const auto seen = seen_at(chosen, one, other, false);
  if (chosen.together) finding.how += ", and both directions as one statement";
  const double delta = subject.claim.delta;
  conclude(finding, subject, level, [&](double of) {
    return chosen.together ? epsilon_refuted_together(seen, delta, of / share)
                           : epsilon_refuted(seen, delta, of / share);
  });
  if (!subject.event) return;
  const TradeOff curve(*subject.event, subject.claim.adjacency, subject.claim.epsilon);
  const auto errors = errors_at(below(curve, one, other), one, other, false);
  const auto violated = [&](double of) { return curve.violated(errors, of / share); };
  finding.below_curve = violated(level);
  finding.refuted = finding.refuted || finding.below_curve;
  finding.p_value = std::min(finding.p_value, p_value(violated));
}

/// Each outcome that the pilot saw, and all others together.
void look_at_cells(Finding& finding, const Subject& subject, const Drawn& drawn, std::int64_t pilot,
                   double level) {
  std::set<double> cells;
  for (const auto* side : {&drawn.one, &drawn.other}) {
    for (std::int64_t i = 0; i < pilot && std::ssize(cells) < max_cells; ++i) {
      cells.insert((*side)[place_of(i)]);
    }
  }
  const auto seen = [&](const std::vector<double>& side, auto matches) -> Seen {
    return {std::count_if(side.begin() + pilot, side.end(), matches), std::ssize(side) - pilot};
  };
  std::vector<std::pair<Seen, Seen>> counts;
  for (const double cell : cells) {
    const auto same = [cell](double outcome) { return outcome == cell; };
    counts.emplace_back(seen(drawn.one, same), seen(drawn.other, same));
  }
  const auto rest = [&](double outcome) { return !cells.contains(outcome); };
  counts.emplace_back(seen(drawn.one, rest), seen(drawn.other, rest));
  for (const auto& [one, other] : counts) {
    finding.points.push_back(
        {static_cast<double>(one.times) / static_cast<double>(one.runs),
         1 - static_cast<double>(other.times) / static_cast<double>(other.runs)});
  }
  conclude(finding, subject, level, [&](double of) {
    const double each = of / static_cast<double>(counts.size());
    double max = 0;
    for (const auto& [one, other] : counts) {
      max = std::max(max, epsilon_refuted({one, other, one, other}, subject.claim.delta, each));
    }
    return max;
  });
}

void check(const Subject& subject, const AuditOptions& options) {
  if (!(options.confidence > 0 && options.confidence < 1)) {
    throw base::UsageError("`confidence` is between 0 and 1, got {}", options.confidence);
  }
  if (options.trials < min_trials) {
    throw base::UsageError("`trials` must be at least {}, got {}", min_trials, options.trials);
  }
  if (options.trials > max_trials) {
    throw base::UsageError("`trials` must be at most {}, got {}", max_trials, options.trials);
  }
  if (!std::isfinite(subject.claim.epsilon)) {
    throw base::UsageError("an infinite epsilon promises nothing that could be refuted");
  }
  const double level = 1 - options.confidence;
  if (max_refutable(options.trials, subject.claim.delta, level) > subject.claim.epsilon) return;
  auto enough = options.trials;
  while (max_refutable(enough, subject.claim.delta, level) <= subject.claim.epsilon) {
    if (enough == max_trials) {
      throw base::UsageError(
          "no number of trials could refute epsilon {:.4g} at this confidence; audit a smaller one",
          subject.claim.epsilon);
    }
    enough = std::min(2 * enough, max_trials);
  }
  throw base::UsageError(
      "{} trials could not refute epsilon {:.4g} at this confidence, whatever they show; take {} "
      "or more",
      options.trials, subject.claim.epsilon, enough);
}

}  // namespace

std::string to_string(Statistic statistic) {
  switch (statistic) {
    case Statistic::ratio:
      return "cuts that a tenth of the runs choose";
    case Statistic::cells:
      return "each outcome by itself";
    case Statistic::direction:
      return "cuts along the direction in which a tenth of the runs differ most";
  }
  throw base::InternalError("an unknown statistic");
}

double max_refutable(std::int64_t trials, double delta, double level) {
  const auto counted = trials - trials / pilot_share;
  const Seen always{counted, counted};
  const Seen never{0, counted};
  // With a curve beside the claim each has half of the level.
  return epsilon_refuted_together({always, never, never, always}, delta, level / 2);
}

Finding audit(const Subject& subject, const AuditOptions& options, base::ThreadPool& threads,
              const base::Supervision& supervision) {
  check(subject, options);
  const double level = 1 - options.confidence;
  const auto pilot = options.trials / pilot_share;
  auto drawn = draw(subject, options, threads, supervision);
  Finding finding;
  finding.trials = options.trials;
  finding.confidence = options.confidence;
  finding.how = to_string(subject.statistic);
  if (subject.statistic == Statistic::cells) {
    look_at_cells(finding, subject, drawn, pilot, level);
    return finding;
  }
  if (subject.statistic == Statistic::direction) {
    const auto weights = discriminant(drawn, subject.width, pilot);
    drawn = {along(weights, drawn.one), along(weights, drawn.other)};
  }
  const Scores one(std::move(drawn.one), pilot, data::RandomDraws::mixed(options.seed + 1));
  const Scores other(std::move(drawn.other), pilot, data::RandomDraws::mixed(options.seed + 2));
  if (subject.gaussian) {
    finding.how =
        subject.width > 1 || subject.statistic == Statistic::direction
            ? "both error rates of a threshold along the direction in which a tenth of the "
              "runs differ most, as those of two Gaussians"
            : "both error rates of a threshold, as those of two Gaussians";
    look_at_gaussians(finding, subject, one, other, level);
  } else {
    look_at_cuts(finding, subject, one, other, level);
  }
  finding.points = points_of(one, other);
  return finding;
}

}  // namespace tacet::audit
