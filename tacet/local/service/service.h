#pragma once

#include <cstdint>
#include <filesystem>

#include "tacet/local/http/address.h"
#include "tacet/local/http/http.h"
#include "tacet/local/service/collector.h"
#include "tacet/local/service/metrics.h"
#include "tacet/local/service/writer_queue.h"

namespace tacet::local {

struct ServiceOptions {
  double requests_per_second = 20;  ///< slots and reports of one address; as many tasks and models
  std::int64_t queue = 4096;        ///< applications that wait for a commit
  /// How long a request for a slot waits for one before it is told to come again.
  std::chrono::milliseconds slot_wait{2000};
  EventLog* log = nullptr;  ///< may be null
};

/// Local learning over HTTP, version 1 (docs/reference/local-protocol.md): what a request means,
/// who may make it, and what is answered. Several threads may call it.
class Service : public HttpHandler {
 public:
  Service(const std::filesystem::path& state, const ServiceOptions& options);

  [[nodiscard]] std::optional<HttpAnswer> admit(RequestHead& head) override;
  void answer(const RequestHead& head, std::string body,
              std::function<void(HttpAnswer)> done) override;
  [[nodiscard]] HttpAnswer not_understood() override;
  [[nodiscard]] HttpAnswer overloaded() override;

  [[nodiscard]] const Task& task() const { return collector_.task(); }
  [[nodiscard]] const ServiceCounters& counters() const { return counters_; }
  [[nodiscard]] ServiceSnapshot snapshot() const;
  void read_tokens() { writers_.read_tokens(); }

 private:
  enum class Path { none, task, model, slot, report };
  [[nodiscard]] static Path path_of(const RequestHead& head);
  [[nodiscard]] HttpAnswer refuse(Reason reason, std::int64_t retry_seconds = 0);
  [[nodiscard]] std::optional<Reason> refusal_of(RequestHead& head, Path path);
  [[nodiscard]] std::optional<Reason> refuse_token(RequestHead& head) const;
  [[nodiscard]] static std::string_view methods_of(Path path);
  [[nodiscard]] HttpAnswer read(const RequestHead& head);
  [[nodiscard]] TokenMac mac_of(const RequestHead& head) const;

  ServiceCounters counters_;
  const EventLog* log_;  // may be null
  Collector collector_;
  std::shared_ptr<const std::string> task_text_;
  AddressRates reads_;
  AddressRates rates_;
  WriterQueue writers_;
};

/// What operators see, at an address of its own: /metrics, /health, /ready and a page at /.
/// Several threads may call it.
class AdminService : public HttpHandler {
 public:
  AdminService(const Service& service, const HttpCounters& http) : service_(service), http_(http) {}
  [[nodiscard]] std::optional<HttpAnswer> admit(RequestHead& head) override;
  void answer(const RequestHead& head, std::string body,
              std::function<void(HttpAnswer)> done) override;
  [[nodiscard]] HttpAnswer not_understood() override;
  [[nodiscard]] HttpAnswer overloaded() override;

 private:
  const Service& service_;
  const HttpCounters& http_;
};

}  // namespace tacet::local
