#pragma once

#include <string>

#include "tacet/base/names.h"

namespace tacet::learn {

/// Whose noise and schedule a plan uses: ours, or those of a paper. In both cases the stated
/// guarantee is proved; the paper's claim is reported as a claim. Each method lists its papers, and
/// `paper` means the first of them. Receipts of versions before 0.2.0 say `paper`.
enum class Calibration {
  tight,        ///< the smallest noise that is proved to be enough
  paper,        ///< the first paper of the method
  wang2021,     ///< Wang, Lei, Ying, Zhang: gradient and output
  arora2022,    ///< Arora, Bassily, Guzman, Menart, Ullah: gradient and regularized-output
  kifer2012,    ///< Kifer, Smith, Thakurta: objective
  asi2021,      ///< Asi, Levy, Duchi: localized and growth
  feldman2020,  ///< Feldman, Koren, Talwar: phased-erm
  wang2018,     ///< Wang: adassp
  jun2019,      ///< Jun, Orabona: banco
  zhang2021,    ///< Zhang, Mironov, Hejazinia: sparse-groups and vectors of words
};

inline constexpr auto calibration_names =
    base::names<Calibration>({{Calibration::tight, "tight"},
                              {Calibration::paper, "paper"},
                              {Calibration::wang2021, "wang2021"},
                              {Calibration::arora2022, "arora2022"},
                              {Calibration::kifer2012, "kifer2012"},
                              {Calibration::asi2021, "asi2021"},
                              {Calibration::feldman2020, "feldman2020"},
                              {Calibration::wang2018, "wang2018"},
                              {Calibration::jun2019, "jun2019"},
                              {Calibration::zhang2021, "zhang2021"}});

/// The name in options and receipts.
[[nodiscard]] inline std::string to_string(Calibration calibration) {
  return calibration_names.of(calibration);
}

}  // namespace tacet::learn
