#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tacet/privacy/guarantee.h"

/// Sentences and parts of them that several sections use.
namespace tacet::report {

/// A name that a user gave, in quotes and cut to a length that a sentence can hold.
[[nodiscard]] std::string in_quotes(std::string_view name);
/// "a, b and c" of quoted names; of many the first ones and how many more.
[[nodiscard]] std::string listed(const std::vector<std::string>& names);

/// A share as a percentage that is never below it, "at most 100".
[[nodiscard]] std::string percent_up(double share);
/// A share as a percentage, rounded.
[[nodiscard]] std::string percent(double share);

/// "epsilon 1 at delta 1e-5", both rounded up.
[[nodiscard]] std::string guarantee_in_words(const privacy::Guarantee& guarantee);

/// Who is protected, as the beginning of a sentence: "Each record".
[[nodiscard]] std::string protected_in_words(const std::string& unit);

/// What two neighbours differ in: "whether one record was among the data".
[[nodiscard]] std::string difference_in_words(privacy::Adjacency adjacency,
                                              const std::string& unit);

/// "1 column", "2 columns".
[[nodiscard]] std::string counted(std::size_t count, std::string_view one, std::string_view many);

}  // namespace tacet::report
