#pragma once

#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "tacet/base/error.h"
#include "tacet/local/http/http_client.h"
#include "tacet/local/http/http_server.h"
#include "tacet/local/service/service.h"

/// The server of local learning in a process of its own, for programs that put load on it.
namespace tacet::bench {

inline double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

inline void use_core(unsigned core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  ::sched_setaffinity(0, sizeof set, &set);
}

struct ServerUse {
  double cpu;        ///< seconds, from its first connection
  double megabytes;  ///< at most
};

/// On one core, or on any (`core` below 0); to be made before the program has other threads.
class ServerProcess {
 public:
  ServerProcess(const std::filesystem::path& state, const local::ListenOptions& options,
                const local::ServiceOptions& service, int core = 0) {
    std::array<int, 2> to{};
    std::array<int, 2> from{};
    if (::pipe(to.data()) != 0 || ::pipe(from.data()) != 0) throw base::IoError("no pipe");
    child_ = ::fork();
    if (child_ == 0) {
      ::close(to[1]);
      if (core >= 0) use_core(static_cast<unsigned>(core));
      serve(state, options, service, to[0], from[1]);
    }
    ::close(to[0]);
    ::close(from[1]);
    in_ = from[0];
    out_ = to[1];
    read(ports_);
  }
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;
  ~ServerProcess() {
    end();
    ::close(in_);
    ::waitpid(child_, nullptr, 0);
  }

  [[nodiscard]] std::uint16_t port() const { return ports_[0]; }
  /// A number of its /metrics, 0 where there is none of that name.
  [[nodiscard]] std::int64_t metric(const std::string& name) const {
    const auto reply =
        local::http_client({.server = {"127.0.0.1", std::to_string(ports_[1]), false}})
            ->exchange({.path = "/metrics"});
    const auto line = reply.body.find("\ntacet_" + name + " ");
    if (line == std::string::npos) return 0;
    return std::atoll(reply.body.c_str() + line + name.size() + 8);
  }
  /// Ends it.
  [[nodiscard]] ServerUse stop() {
    end();
    ServerUse use{};
    read(use);
    return use;
  }

 private:
  /// Tells it by a byte: servers that were begun later hold this end of its pipe too.
  void end() {
    if (out_ < 0) return;
    static_cast<void>(::write(out_, "", 1) > 0);
    ::close(out_);
    out_ = -1;
  }
  template <typename Value>
  void read(Value& value) const {
    if (::read(in_, &value, sizeof value) != sizeof value) {
      throw base::IoError("the server's process ended");
    }
  }

  [[noreturn]] static void serve(const std::filesystem::path& state,
                                 const local::ListenOptions& options,
                                 const local::ServiceOptions& means, int in, int out) {
    {
      local::HttpServer server(options);
      local::HttpServer admin({});
      local::Service service(state, means);
      local::AdminService status(service, server.counters());
      server.start(service);
      admin.start(status);
      const double before = cpu_seconds();
      const std::array<std::uint16_t, 2> ports{server.port(), admin.port()};
      if (::write(out, &ports, sizeof ports) != sizeof ports) ::_exit(1);
      char byte = 0;
      static_cast<void>(::read(in, &byte, 1) > 0);
      rusage usage{};
      ::getrusage(RUSAGE_SELF, &usage);
      const ServerUse used{cpu_seconds() - before, static_cast<double>(usage.ru_maxrss) / 1024};
      if (::write(out, &used, sizeof used) != sizeof used) ::_exit(1);
      server.stop();
      admin.stop();
    }
    ::_exit(0);
  }

  pid_t child_ = -1;
  int in_ = -1;
  int out_ = -1;
  std::array<std::uint16_t, 2> ports_{};
};

}  // namespace tacet::bench
