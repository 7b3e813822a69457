#include "tacet/learn/method.h"

#include <gtest/gtest.h>

#include <set>

#include "tacet/base/error.h"
#include "tacet/learn/parameters.h"

namespace tacet::learn {
namespace {

TEST(Method, UnknownNamesAreRefusedWithTheKnownOnes) {
  try {
    (void)find_method("magic");
    FAIL() << "a method named magic";
  } catch (const base::UsageError& error) {
    for (const auto& method : methods()) {
      EXPECT_NE(std::string(error.what()).find(method.name), std::string::npos) << method.name;
    }
  }
}

TEST(Method, ReadsOnlyDeclaredParametersAndEachParameterHasAReader) {
  std::set<std::string_view> read;
  for (const auto& method : methods()) {
    for (const auto name : method.options) {
      EXPECT_NE(find_parameter(name), nullptr) << method.name << " reads " << name;
      ParameterValues values;
      values.set(name, find_parameter(name)->type == ParameterType::text ? "word" : "1");
      EXPECT_NO_THROW(check_parameters(method, values)) << method.name << " " << name;
      read.insert(name);
    }
  }
  // Whatever no method lists is read by all.
  for (const auto& parameter : parameters()) {
    if (read.contains(parameter.name)) continue;
    ParameterValues values;
    values.set(parameter.name, parameter.type == ParameterType::text ? "word" : "1");
    for (const auto& method : methods()) {
      EXPECT_NO_THROW(check_parameters(method, values)) << method.name << " " << parameter.name;
    }
  }
}

}  // namespace
}  // namespace tacet::learn
