#include <iostream>

#include "tacet/base/version.h"

int main() {
  std::cout << "tacet " << tacet::base::version << '\n';
  return 0;
}
