#include "tacet/data/owner/code_names.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace tacet::data {
namespace {

/// The words of a name in lower case. The names admission_type_id, admissionTypeID and `Admission
/// type ID` have three.
std::vector<std::string> name_words(std::string_view name) {
  std::vector<std::string> words(1);
  bool after_lower = false;
  for (const char c : name) {
    const bool lower = c >= 'a' && c <= 'z';
    const bool upper = c >= 'A' && c <= 'Z';
    const bool digit = c >= '0' && c <= '9';
    if ((upper && after_lower) || !(lower || upper || digit)) words.emplace_back();
    if (upper) words.back() += static_cast<char>(c - 'A' + 'a');
    if (lower || digit) words.back() += c;
    after_lower = lower;
  }
  return words;
}

template <std::size_t Size>
bool has_word(std::string_view name, const std::array<std::string_view, Size>& listed) {
  const auto words = name_words(name);
  return std::ranges::any_of(
      words, [&](const auto& word) { return std::ranges::find(listed, word) != listed.end(); });
}

}  // namespace

bool named_like_code(std::string_view name) {
  constexpr std::array<std::string_view, 23> words{
      "id",    "key", "code", "codes", "zip", "zipcode", "postal", "postcode",
      "plz",   "icd", "icd9", "icd10", "drg", "cpt",     "ndc",    "atc",
      "naics", "sic", "fips", "isco",  "soc", "iban",    "ssn"};
  return has_word(name, words);
}

bool named_like_identifier(std::string_view name) {
  constexpr std::array<std::string_view, 7> words{"id",   "key",     "ssn",     "mrn",
                                                  "uuid", "rowname", "rownames"};
  // Names that pandas and readr give to columns without a name.
  return has_word(name, words) || name.starts_with("Unnamed: ") || name.starts_with("...");
}

bool named_like_person(std::string_view name) {
  constexpr std::array<std::string_view, 13> words{
      "patient", "person", "subject", "participant", "respondent", "customer", "client",
      "member",  "user",   "pupil",   "student",     "employee",   "household"};
  return std::ranges::find(words, name_words(name).back()) != words.end();
}

}  // namespace tacet::data
