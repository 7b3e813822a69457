#include <CLI/CLI.hpp>

int main(int argc, char** argv) {
  CLI::App program{"Trains models on sensitive records with proven differential privacy"};
  program.set_version_flag("--version", "0.1.0");
  CLI11_PARSE(program, argc, argv);
  return 0;
}
