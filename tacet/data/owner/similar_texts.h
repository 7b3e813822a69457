#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

/// Texts of one column that may mean the same. Each answer is one or two sentences that end with
/// what to do; empty if nothing looks the same.
namespace tacet::data {

using TextCounts = std::map<std::string, std::int64_t, std::less<>>;

/// A text in lower case, without blanks around it and without invisible characters.
[[nodiscard]] std::string folded(std::string_view text);

/// About the first two texts that differ only by case, by invisible characters, or by blanks,
/// points and dashes between letters.
[[nodiscard]] std::string alike_remark(const std::vector<std::string>& texts,
                                       std::string_view things);
/// About single letters beside words that begin with them: M, F, Male, Female.
[[nodiscard]] std::string initials_remark(const std::vector<std::string>& texts);
/// About a text that occurs once or twice and differs by one letter from a frequent one: Mael
/// beside many Male.
[[nodiscard]] std::string misspelt_remark(const TextCounts& counts);

}  // namespace tacet::data
