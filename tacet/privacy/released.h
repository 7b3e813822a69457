#pragma once

#include <string>
#include <type_traits>
#include <utility>

#include "tacet/privacy/event.h"

namespace tacet::mechanism {
class AccessKeys;  // defined in the mechanism module; the one class that can open private values
}

namespace tacet::privacy {

/// The key to private values. Only tacet::mechanism::AccessKeys can make one, so that only a
/// mechanism, which adds noise and debits a reservation, sees what is inside a Private<T>.
class AccessKey {
 private:
  friend class ::tacet::mechanism::AccessKeys;
  constexpr AccessKey() = default;
};

/// A function without state, such as a lambda without captures. Its type alone says what it does,
/// so that a new object of the type can be called in place of the one given.
template <typename Function>
concept Stateless = std::is_empty_v<std::remove_cvref_t<Function>> &&
    std::is_trivially_default_constructible_v<std::remove_cvref_t<Function>>;

/// A value computed from private records. It can be stored, copied and moved, and mapped to another
/// private value; there is no printing, no serialisation, no comparison, no conversion. A mechanism
/// opens it. No type can keep the function of map() from printing, throwing or storing what it
/// sees. So scripts/check_floors lists the files that may call map(), and each of them was
/// reviewed.
template <typename T>
class Private {
 public:
  explicit Private(T value) : value_(std::move(value)) {}

  [[nodiscard]] const T& open(AccessKey /*key*/) const& { return value_; }
  [[nodiscard]] T open(AccessKey /*key*/) && { return std::move(value_); }

  /// A function of a private value is private. Further inputs of `function` must be part of T, or
  /// decide between two functions.
  template <Stateless Function>
  [[nodiscard]] auto map(Function /*function*/) const {
    using Result = std::decay_t<std::invoke_result_t<Function, const T&>>;
    return Private<Result>(Function{}(value_));
  }

 private:
  T value_;
};

/// A value that a mechanism released, with the event that says what it cost.
template <typename T>
class Released {
 public:
  Released(AccessKey /*key*/, T value, Event event)
      : value_(std::move(value)), event_(std::move(event)) {}

  [[nodiscard]] const T& value() const { return value_; }
  [[nodiscard]] const Event& event() const { return event_; }
  /// Moves the value out.
  [[nodiscard]] T take() && { return std::move(value_); }

  /// Post-processing: it costs nothing more, as long as `function` reads no private data.
  template <typename Function>
  [[nodiscard]] auto map(Function&& function) const {
    using Result = std::invoke_result_t<Function, const T&>;
    return Released<Result>(std::forward<Function>(function)(value_), event_);
  }

 private:
  template <typename U>
  friend class Released;

  Released(T value, Event event) : value_(std::move(value)), event_(std::move(event)) {}

  T value_;
  Event event_;
};

/// A value without any privacy guarantee, and the reason: no noise, seeded noise, or no proof.
template <typename T>
class Unprotected {
 public:
  Unprotected(T value, std::string reason) : value_(std::move(value)), reason_(std::move(reason)) {}

  [[nodiscard]] const T& value() const { return value_; }
  [[nodiscard]] const std::string& reason() const { return reason_; }

 private:
  T value_;
  std::string reason_;
};

}  // namespace tacet::privacy
