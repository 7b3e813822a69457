#pragma once

#include <string>

namespace tacet::learn {

/// Whose noise and schedule a plan carries out. A user asks for `tight` or `paper`, the method says
/// which paper that is; what is proved about the paper's noise is stated, never what it claims.
enum class Calibration {
  tight,        ///< the least noise that is proved
  wang2021,     ///< Wang, Lei, Ying, Zhang: gradient and output
  kifer2012,    ///< Kifer, Smith, Thakurta: objective
  asi2021,      ///< Asi, Levy, Duchi: localized and growth
  feldman2020,  ///< Feldman, Koren, Talwar: phased-erm
};

/// As options and receipts name it.
[[nodiscard]] inline std::string to_string(Calibration calibration) {
  return calibration == Calibration::tight ? "tight" : "paper";
}

}  // namespace tacet::learn
