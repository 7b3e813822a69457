#include "tacet/optimize/solver/domain.h"

#include "tacet/numeric/rounding.h"
#include "tacet/optimize/solver/domain_projection.h"

namespace tacet::optimize {
namespace {

using numeric::infinity;

void check_size(const char* what, std::size_t given, std::size_t columns) {
  if (given == columns) return;
  throw base::UsageError("{} of the domain must have {} numbers, got {}", what, columns, given);
}

void check_ball(const Ball& ball, std::size_t columns) {
  if (!(ball.radius > 0) || !std::isfinite(ball.radius)) {
    throw base::UsageError("a ball's radius must be positive and finite, got {}", ball.radius);
  }
  if (!ball.centre.empty()) check_size("the centre", ball.centre.size(), columns);
  for (const double value : ball.centre) {
    if (!std::isfinite(value)) throw base::UsageError("a ball's centre must be finite");
  }
}

double length(std::span<const double> values) {
  double square = 0;
  for (const double value : values) square += value * value;
  return std::sqrt(square);
}

struct Check {
  std::size_t columns;

  void operator()(const WholeSpace&) const {}
  void operator()(const Ball& ball) const { check_ball(ball, columns); }
  void operator()(const Lens& lens) const {
    check_ball(lens.first, columns);
    check_ball(lens.second, columns);
    std::vector<double> apart(columns);
    for (std::size_t j = 0; j < columns; ++j) {
      apart[j] =
          internal::centre_of<double>(lens.first, j) - internal::centre_of<double>(lens.second, j);
    }
    if (length(apart) > lens.first.radius + lens.second.radius) {
      throw base::UsageError("the two balls of the domain do not meet");
    }
  }
  void operator()(const Box& box) const {
    check_size("the lower corner", box.lower.size(), columns);
    check_size("the upper corner", box.upper.size(), columns);
    for (std::size_t j = 0; j < columns; ++j) {
      if (!(box.lower[j] <= box.upper[j])) {
        throw base::UsageError("the box is empty in column {}: {} to {}", j, box.lower[j],
                               box.upper[j]);
      }
    }
  }
  void operator()(const Simplex& simplex) const {
    if (!(simplex.total > 0) || !std::isfinite(simplex.total)) {
      throw base::UsageError("a simplex needs a positive finite total, got {}", simplex.total);
    }
  }
};

struct Reach {
  double operator()(const WholeSpace&) const { return infinity; }
  double operator()(const Ball& ball) const { return ball.radius + length(ball.centre); }
  double operator()(const Lens& lens) const {
    return std::min((*this)(lens.first), (*this)(lens.second));
  }
  double operator()(const Box& box) const {
    double square = 0;
    for (std::size_t j = 0; j < box.lower.size(); ++j) {
      const double side = std::max(std::fabs(box.lower[j]), std::fabs(box.upper[j]));
      square += side * side;
    }
    return std::sqrt(square);
  }
  double operator()(const Simplex& simplex) const { return simplex.total; }
};

}  // namespace

Domain checked(Domain domain, std::size_t columns) {
  std::visit(Check{columns}, domain);
  return domain;
}

void project(const Domain& domain, std::span<double> point) {
  internal::project_onto<double>(domain, point);
}

double reach(const Domain& domain) { return std::visit(Reach{}, domain); }

}  // namespace tacet::optimize
