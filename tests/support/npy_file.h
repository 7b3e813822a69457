#pragma once

#include <string>
#include <vector>

namespace tacet::test {

/// The content of an NPY file: `descr` as in "<f8", `shape` as in "(3, 2)".
template <typename T>
[[nodiscard]] std::string npy_text(const std::string& descr, const std::string& shape,
                                   const std::vector<T>& values) {
  const std::string header =
      "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }";
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' + header +
         std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

}  // namespace tacet::test
