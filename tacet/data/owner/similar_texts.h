#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

/// Texts of one column that may mean the same. Each answer is one or two sentences that end with
/// what to do, or empty where nothing looks alike.
namespace tacet::data {

using TextCounts = std::map<std::string, std::int64_t, std::less<>>;

/// A text without capital letters, blanks around it and marks that nobody sees.
[[nodiscard]] std::string folded(std::string_view text);

/// About the first two texts that differ by capital letters, by marks that nobody sees, or by
/// blanks, points and dashes between letters.
[[nodiscard]] std::string alike_remark(const std::vector<std::string>& texts,
                                       std::string_view things);
/// About single letters beside the words that they begin: M, F, Male, Female.
[[nodiscard]] std::string initials_remark(const std::vector<std::string>& texts);
/// About a text that occurs once or twice and is one letter away from a usual one: Mael beside many
/// Male.
[[nodiscard]] std::string misspelt_remark(const TextCounts& counts);

}  // namespace tacet::data
