#include "tacet/data/read/array_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tacet/base/error.h"

namespace tacet::data {
namespace array_reader_test {

/// An NPY file of version 1 as numpy writes it, but for the padding of its header.
std::string npy(const std::string& header, const std::string& bytes) {
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' + header +
         bytes;
}

template <typename T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

template <typename T>
std::vector<double> read_as(const std::string& descr, const std::vector<T>& values) {
  const std::string file = npy("{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" +
                                   std::to_string(values.size()) + ",), }\n",
                               bytes_of(values));
  ArrayReader reader(memory_source(file, "a.npy"), "a.npy");
  std::vector<double> read(static_cast<std::size_t>(reader.size()));
  reader.read(std::span(read));
  reader.expect_end();
  return read;
}

std::string error_of(const std::string& file) {
  try {
    ArrayReader reader(memory_source(file, "a.npy"), "a.npy");
    std::vector<double> read(static_cast<std::size_t>(std::min<std::int64_t>(reader.size(), 100)));
    reader.read(std::span(read));
    reader.expect_end();
  } catch (const base::DataError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ArrayReader, ReadsEveryKindOfNumber) {
  const std::vector<double> expected = {1, 2, 3};
  EXPECT_EQ(read_as<std::uint8_t>("|u1", {1, 2, 3}), expected);
  EXPECT_EQ(read_as<std::int8_t>("|i1", {1, 2, 3}), expected);
  EXPECT_EQ(read_as<std::uint16_t>("<u2", {1, 2, 3}), expected);
  EXPECT_EQ(read_as<std::int16_t>("<i2", {1, 2, 3}), expected);
  EXPECT_EQ(read_as<std::uint32_t>("<u4", {1, 2, 3}), expected);
  EXPECT_EQ(read_as<std::int32_t>("<i4", {1, 2, 3}), expected);
  EXPECT_EQ(read_as<std::uint64_t>("<u8", {1, 2, 3}), expected);
  EXPECT_EQ(read_as<std::int64_t>("<i8", {1, 2, 3}), expected);
  EXPECT_EQ(read_as<float>("<f4", {1, 2, 3}), expected);
  EXPECT_EQ(read_as<double>("<f8", {1, 2, 3}), expected);
}

TEST(ArrayReader, ReadsShapesAndTheMachinesIntegers) {
  const std::string file = npy("{'descr': '<i8', 'fortran_order': False, 'shape': (2, 3), }",
                               bytes_of<std::int64_t>({1, -2, 3, 4, 5, std::int64_t{1} << 62}));
  ArrayReader reader(memory_source(file, "a.npy"), "a.npy");
  EXPECT_EQ(reader.shape(), (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(reader.row_size(), 3);
  std::vector<std::int64_t> values(6);
  reader.read(std::span(values));
  EXPECT_EQ(values[1], -2);
  EXPECT_EQ(values[5], std::int64_t{1} << 62);
}

TEST(ArrayReader, ReadsIdxImages) {
  const std::string file =
      std::string("\0\0\x08\x03\0\0\0\x02\0\0\0\x01\0\0\0\x02", 16) + "\x01\xff\x03\x04";
  ArrayReader reader(memory_source(file, "images"), "images");
  EXPECT_EQ(reader.shape(), (std::vector<std::int64_t>{2, 1, 2}));
  std::vector<double> values(4);
  reader.read(std::span(values));
  EXPECT_EQ(values, (std::vector<double>{1, 255, 3, 4}));
  EXPECT_NO_THROW(reader.expect_end());
}

TEST(ArrayReader, WrongHeadersAndLengthsAreClearErrors) {
  const auto header = [](const std::string& descr, const std::string& order,
                         const std::string& shape) {
    return "{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }";
  };
  const std::string eight(8, '\1');
  EXPECT_EQ(error_of("garbage"), "a.npy: neither an NPY file nor an IDX file of bytes");
  EXPECT_EQ(error_of(""), "a.npy: the file ends before its header's shape is filled");
  EXPECT_EQ(error_of(npy(header("'<f8'", "False", "(1,)"), eight)), "no error");
  EXPECT_EQ(error_of(npy(header("'<f8'", "False", "(2,)"), eight)),
            "a.npy: the file ends before its header's shape is filled");
  EXPECT_EQ(error_of(npy(header("'<f8'", "False", "(1,)"), eight + "x")),
            "a.npy: bytes are left behind the array of the header's shape");
  EXPECT_NE(error_of(npy(header("'>f8'", "False", "(1,)"), eight)).find("NPY type"),
            std::string::npos);
  EXPECT_NE(error_of(npy(header("'<U8'", "False", "(1,)"), eight)).find("NPY type"),
            std::string::npos);
  EXPECT_NE(error_of(npy(header("'|O'", "False", "(1,)"), eight)).find("NPY type"),
            std::string::npos);
  EXPECT_NE(error_of(npy(header("'<f8'", "True", "(1, 1)"), eight)).find("by columns"),
            std::string::npos);
  EXPECT_NE(error_of(npy(header("'<f8'", "Maybe", "(1,)"), eight)).find("fortran_order"),
            std::string::npos);
  for (const char* shape :
       {"(x,)", "(-1,)", "(1.5,)", "1", "(99999999999999999999,)",
        "(9223372036854775807, 9223372036854775807)", "(0, 9223372036854775807)"}) {
    EXPECT_NE(error_of(npy(header("'<f8'", "False", shape), eight)).find("shape"),
              std::string::npos)
        << shape;
  }
  EXPECT_NE(error_of(npy("{}", eight)).find("NPY type"), std::string::npos);
  EXPECT_NE(error_of(std::string("\x93NUMPY\x09\x00", 8) + eight).find("version"),
            std::string::npos);
}

TEST(ArrayReader, AnArrayOfFloatsGivesNoIntegers) {
  const std::string file =
      npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }", bytes_of<double>({1}));
  ArrayReader reader(memory_source(file, "a.npy"), "a.npy");
  std::int64_t value = 0;
  EXPECT_THROW(reader.read(std::span(&value, 1)), base::DataError);
}

}  // namespace array_reader_test
}  // namespace tacet::data
