// One reading of a file into an encoded data set: read_bench FILE SCHEMA THREADS. Prints its wall
// and processor time in seconds, the peak of the process's memory in MB and the records. Run side
// by side with other readers by readers.py.

#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <ctime>

#include "tacet/data/read/read_dataset.h"

int main(int count, char** words) {
  if (count != 4) return 2;
  const auto schema = tacet::data::load_schema(words[2]);
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t work = std::clock();
  tacet::base::ThreadPool threads(std::atoi(words[3]));
  const auto data = tacet::data::read_dataset(words[1], schema,
                                              {.threads = threads.size() > 1 ? &threads : nullptr});
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  const double processor = static_cast<double>(std::clock() - work) / CLOCKS_PER_SEC;
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  fmt::print("{} {} {} {}\n", wall.count(), processor, static_cast<double>(use.ru_maxrss) / 1e3,
             data.rows());
  return 0;
}
