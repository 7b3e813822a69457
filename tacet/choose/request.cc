#include "tacet/choose/request.h"

#include <fmt/format.h>

#include "tacet/base/error.h"
#include "tacet/learn/plan/parameters.h"
#include "tacet/model/loss/loss.h"

namespace tacet::choose {
namespace {

constexpr std::string_view total_name = "total-epsilon";

}  // namespace

Request::Request(privacy::Adjacency adjacency) { set("adjacency", to_string(adjacency)); }

Request& Request::set(std::string_view name, std::string value) {
  if (name == total_name) {
    static_cast<void>(learn::parse_real(name, value));
  } else {
    learn::ParameterValues().set(name, value);
  }
  values_.insert_or_assign(std::string(name), std::move(value));
  return *this;
}

Request& Request::minimise(LossFunction value, LossFunction slope, double largest_slope,
                           double largest_curvature) {
  model::CustomFunctions own{.value = std::move(value),
                             .slope = std::move(slope),
                             .largest_slope = largest_slope,
                             .largest_curvature = largest_curvature};
  static_cast<void>(model::custom_loss(model::Labels::signs, own));  // refused here and now
  loss_ = std::make_shared<const model::CustomFunctions>(std::move(own));
  return *this;
}

Request& Request::tune(Tuning tuning) {
  tuning_ = std::move(tuning);
  return *this;
}

std::optional<std::string> Request::value(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::nullopt : std::optional(found->second);
}

learn::ParameterValues Request::values() const {
  const auto total = value(total_name);
  if (total && value("epsilon")) {
    throw base::UsageError("epsilon and total-epsilon exclude each other");
  }
  learn::ParameterValues values;
  for (const auto& [name, text] : values_) {
    values.set(name == total_name ? "epsilon" : std::string_view(name), text);
  }
  return values;
}

std::string Request::text_of(double value) { return fmt::format("{}", value); }

}  // namespace tacet::choose
