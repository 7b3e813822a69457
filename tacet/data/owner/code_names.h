#pragma once

#include <string_view>

namespace tacet::data {

/// Whether the name of a column says that its numbers are codes and not quantities: one of its
/// words is id, code, zip, postal, postcode, plz, icd, fips or similar. Depends on the name alone.
[[nodiscard]] bool named_like_code(std::string_view name);
/// Whether one of its words is id or key.
[[nodiscard]] bool named_like_identifier(std::string_view name);

/// Whether the last word of a name is a person or thing that records belong to: patient, but not
/// patient_age.
[[nodiscard]] bool named_like_person(std::string_view name);

}  // namespace tacet::data
