#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "tacet/apps/command.h"
#include "tacet/apps/terminal/process.h"
#include "tacet/apps/training_options.h"
#include "tacet/base/error.h"
#include "tacet/local/http/http_server.h"
#include "tacet/local/service/event_log.h"
#include "tacet/local/service/log_file.h"
#include "tacet/local/service/serve_options.h"

namespace tacet::apps {
namespace {

constexpr std::string_view serve_examples =
    "  tacet serve task.json --state task.state --listen 0.0.0.0:8443 \\\n"
    "      --certificate chain.pem --key key.pem --admin 127.0.0.1:9090\n"
    "  tacet serve task.json --state task.state --listen 127.0.0.1:8080    a trial on this "
    "machine\n"
    "\n"
    "SIGTERM answers what was read and ends; SIGHUP reads certificates and tokens anew and opens\n"
    "--log again. The state survives whatever ends the process. docs/how-to/deploy.md says how to "
    "run it.\n";

/// Tells systemd, where it has asked to be told.
void notify(const char* text) {
  const char* path = std::getenv("NOTIFY_SOCKET");
  sockaddr_un address{};
  if (path == nullptr || std::strlen(path) >= sizeof address.sun_path) return;
  address.sun_family = AF_UNIX;
  std::strcpy(address.sun_path, path);
  if (address.sun_path[0] == '@') address.sun_path[0] = '\0';  // a name outside of files
  const int descriptor = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return;
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + std::strlen(path));
  static_cast<void>(::sendto(descriptor, text, std::strlen(text), MSG_NOSIGNAL,
                             reinterpret_cast<const sockaddr*>(&address), size));
  ::close(descriptor);
}

/// Makes room for that many connections, each of which is an open file. Shells allow 1,024 where
/// the system allows more. False if the system does not allow it.
bool make_room(std::int64_t connections) {
  constexpr std::int64_t others = 64;  // the state, its log, the administrator's connections
  const auto wanted = static_cast<rlim_t>(connections + others);
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return false;
  if (limit.rlim_cur >= wanted) return true;
  limit.rlim_cur = std::min(wanted, limit.rlim_max);
  return ::setrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur == wanted;
}

class Serve : public Command {
 public:
  void declare(CommandLine& line) override {
    auto& options = add(line, "serve", "Collect private reports of devices, and learn from them",
                        serve_examples);
    options.add("task", task_, "TASK", "The task file", Form::required);
    options.add("--state", state_, "FILE", "All that the server knows; made when missing",
                Form::required);
    options.add("--listen", listen_, "HOST:PORT", "Where devices come in", Form::required);
    options.add("--certificate", certificate_, "FILE", "PEM: the server's certificate and chain");
    options.add("--key", key_, "FILE", "PEM: its key");
    options.add("--client-ca", client_ca_, "FILE",
                "PEM: devices show a certificate of one of these, whose key is their identity");
    options.add("--admin", admin_, "HOST:PORT",
                "Metrics, health and a status page, on this machine's own address");
    options.flag("--admin-anywhere", admin_anywhere_, "Allow --admin on other addresses");
    options.add("--log", log_, "FILE",
                "Where the log goes, opened again at SIGHUP [default: standard error]");
    options.add("--log-format", log_format_, "NAME", "text or json [default: text]");
    options.offer("--log-format", {"text", "json"});
    options.heading("Limits");
    for (const auto& parameter : local::serve_parameters()) {
      add_parameter(options, parameter, given_);
    }
  }

  void run(const Console& console, const base::CancelToken& cancel) override {
    auto options = local::serve_options(given_);
    static_cast<void>(format());
    check_log();
    const auto task = local::load_task(task_);
    // Whatever can be refused is refused before the state is touched.
    local::HttpServer server(devices_at(options));
    const auto admin = admin_server();
    static_cast<void>(local::StateFile::make(state_, task));
    local::StateFile(state_, ledger::Access::read).expect(task);
    survive_closed_pipes();
    auto& hung_up = catch_hangups();
    local::LogFile file(log_);
    const bool brief = console.quiet() && log_.empty();
    local::EventLog log(format(), [&](local::LogLevel level, std::string_view line) {
      return (brief && level == local::LogLevel::info) || file.write(line);
    });
    options.service.log = &log;
    local::Service service(state_, options.service);
    local::AdminService status(service, server.counters());
    server.start(service);
    if (admin) admin->start(status);
    announce(log, task, server, admin.get());
    if (!make_room(options.http.connections)) {
      log.note(local::LogLevel::warning, "few_open_files",
               "the system allows fewer open files than --connections may need: a few clients "
               "could keep all others out (ulimit -n, LimitNOFILE of systemd)");
    }
    notify("READY=1");
    while (!cancel.cancelled()) {
      if (hung_up.exchange(false)) reload(log, file, server, service);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    notify("STOPPING=1");
    server.drain(std::chrono::seconds(10));
    server.stop();
    if (admin) admin->stop();
    log.note(local::LogLevel::info, "stopped",
             "Stopped; everything that was acknowledged is stored");
  }

 private:
  [[nodiscard]] local::ListenOptions devices_at(const local::ServeOptions& options) const {
    auto at = local::listen_at("--listen", listen_);
    if (certificate_.empty() != key_.empty()) {
      throw base::UsageError("--certificate and --key go together; give both, or none for a trial");
    }
    if (!client_ca_.empty() && certificate_.empty()) {
      throw base::UsageError("--client-ca needs a --certificate and a --key of the server");
    }
    at.certificate = certificate_;
    at.key = key_;
    at.client_ca = client_ca_;
    at.limits = options.http;
    at.threads = options.threads;
    return at;
  }

  [[nodiscard]] std::unique_ptr<local::HttpServer> admin_server() const {
    if (admin_.empty()) return nullptr;
    auto server = std::make_unique<local::HttpServer>(local::listen_at("--admin", admin_));
    if (server->loopback() || admin_anywhere_) return server;
    throw base::UsageError(
        "--admin must be an address of this machine alone, 127.0.0.1:9090 say; --admin-anywhere "
        "allows others, for those who keep strangers away by other means");
  }

  [[nodiscard]] local::LogFormat format() const {
    if (log_format_.empty() || log_format_ == "text") return local::LogFormat::text;
    if (log_format_ == "json") return local::LogFormat::json;
    throw base::UsageError("--log-format must be text or json, got '{}'", log_format_);
  }

  /// A log is written to whatever the file holds.
  void check_log() const {
    namespace fs = std::filesystem;
    if (log_.empty()) return;
    std::error_code none;
    const auto place = fs::weakly_canonical(fs::absolute(log_, none), none);
    const auto same = [&](const std::string& file) {  // a state that is not made yet, too
      return fs::equivalent(log_, file, none) ||
             (!place.empty() && place == fs::weakly_canonical(fs::absolute(file, none), none));
    };
    for (const auto& file : {task_, state_, state_ + "-wal", state_ + "-shm", state_ + ".serving",
                             certificate_, key_, client_ca_}) {
      if (file.empty() || !same(file)) continue;
      throw base::UsageError(
          "--log would write into '{}', which the server needs; name another file", file);
    }
  }

  void announce(local::EventLog& log, const local::Task& task, const local::HttpServer& server,
                const local::HttpServer* admin) const {
    const auto url = [](const char* scheme, const std::string& host, std::uint16_t port) {
      const bool six = host.find(':') != std::string::npos;
      return fmt::format("{}://{}:{}", scheme, six ? '[' + host + ']' : host, port);
    };
    const auto address = url(certificate_.empty() ? "http" : "https",
                             local::listen_at("--listen", listen_).host, server.port());
    log.note(local::LogLevel::info, "started",
             fmt::format("Serving task {} at {}", task.digest, address),
             {{"task", task.digest},
              {"address", address},
              {"rounds", task.plan.rounds},
              {"batch_size", task.plan.batch}});
    if (admin != nullptr) {
      const auto page = url("http", local::listen_at("--admin", admin_).host, admin->port());
      log.note(local::LogLevel::info, "admin", "Metrics and status at " + page,
               {{"address", page}});
    }
    if (certificate_.empty()) {
      log.note(local::LogLevel::warning, "no_certificate",
               server.loopback() ? "without --certificate tokens are taken from this machine only"
                                 : "without --certificate no token is taken here: give one, or "
                                   "listen at 127.0.0.1");
    }
  }

  void reload(local::EventLog& log, local::LogFile& file, local::HttpServer& server,
              local::Service& service) const {
    const auto attempt = [&](const char* event, const char* stays, const auto& act) {
      try {
        act();
      } catch (const base::Error& error) {
        log.note(local::LogLevel::warning, event, fmt::format("{}; {}", error.what(), stays));
      }
    };
    attempt("log_failed", "the log goes where it went", [&] { file.open_again(); });
    log.note(local::LogLevel::info, "hangup", "SIGHUP: tokens and certificates are read anew");
    service.read_tokens();
    if (certificate_.empty()) return;
    attempt("certificate_failed", "the certificate stays what it was",
            [&] { server.read_certificates(); });
  }

  std::string task_;
  std::string state_;
  std::string listen_;
  std::string certificate_;
  std::string key_;
  std::string client_ca_;
  std::string admin_;
  std::string log_;
  std::string log_format_;
  bool admin_anywhere_ = false;
  learn::OptionValues given_;
};

}  // namespace

std::unique_ptr<Command> make_serve() { return std::make_unique<Serve>(); }

}  // namespace tacet::apps
