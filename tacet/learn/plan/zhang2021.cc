#include "tacet/learn/plan/zhang2021.h"

#include <cmath>

namespace tacet::learn::zhang2021 {

Claim group_step(const Claim& whole, std::int64_t m, std::int64_t T) {
  const auto groups = static_cast<double>(m);
  const auto steps = static_cast<double>(T);
  return {whole.epsilon * groups / (2 * std::sqrt(2 * steps * std::log(2 / whole.delta))),
          whole.delta * groups / (2 * steps)};
}

bool group_premise(std::int64_t m, std::int64_t T) {
  return static_cast<double>(m) <= 10 * std::sqrt(static_cast<double>(T));
}

double step_delta(const Steps& steps, double delta) {
  return delta * steps.n / (4 * steps.b * steps.T);
}

double growth(const Steps& steps, double delta) {
  // n / (2 b T delta') = 2 / delta.
  return 4 * steps.b / steps.n * std::sqrt(steps.T * std::log(2 / delta));
}

double noise_part(double sigma, double step_delta) {
  return 2 * std::sqrt(2 * std::log(1.25 / step_delta)) / sigma;
}

double noise_for(double epsilon, double step_delta) { return noise_part(epsilon, step_delta); }

double draw_epsilon(double epsilon, std::int64_t k, double step_delta) {
  return epsilon / std::sqrt(2 * static_cast<double>(k) * std::log(1 / step_delta));
}

bool step_premise(const Steps& steps, double parts) {
  return steps.b / steps.n * parts <= 1 / std::sqrt(steps.T);
}

}  // namespace tacet::learn::zhang2021
