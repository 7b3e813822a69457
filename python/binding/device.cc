#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "python/binding/binding.h"
#include "python/binding/supervised.h"
#include "tacet/base/error.h"
#include "tacet/ledger/digest.h"
#include "tacet/local/device/client.h"
#include "tacet/local/http/http_client.h"
#include "tacet/local/service/token.h"

namespace nb = nanobind;

namespace tacet::python {
namespace {

/// A way to the server that the caller brings: `exchange(method, path, token, body, max_bytes)`
/// gives back (status, body, retry_seconds).
class CallersTransport : public local::Transport {
 public:
  CallersTransport(nb::object exchange, bool confidential)
      : exchange_(std::move(exchange)), confidential_(confidential) {}

  [[nodiscard]] local::HttpReply exchange(const local::HttpRequest& request) override {
    const nb::gil_scoped_acquire locked;
    try {
      const auto answer =
          exchange_(request.method, request.path, request.token,
                    nb::bytes(request.body.data(), request.body.size()), request.max_bytes);
      const auto body = nb::cast<nb::bytes>(answer[1]);
      if (body.size() > request.max_bytes) {
        throw base::IoError("the server's answer has more than {} bytes", request.max_bytes);
      }
      return {.status = nb::cast<int>(answer[0]),
              .body = {body.c_str(), body.size()},
              .retry_seconds = nb::cast<std::int64_t>(answer[2])};
    } catch (const nb::cast_error&) {
      throw base::UsageError("a transport gave back something else than a status, bytes, seconds");
    } catch (const nb::python_error& error) {
      if (!error.matches(PyExc_OSError)) throw;
      if (error.matches(PyExc_ValueError)) {  // as ssl.SSLCertVerificationError is both
        throw local::UntrustedServer("the server is not who it should be");
      }
    }
    throw base::IoError("no answer came through the transport that was given");
  }
  [[nodiscard]] bool confidential() const override { return confidential_; }

 private:
  nb::object exchange_;
  bool confidential_;
};

/// What a device is started with, as `tacet join` takes it.
struct Joining {
  std::string task;  ///< a file, or the digest of what the server offers
  std::string policy;
  std::string policy_name;  ///< as messages call it
  std::string record;
  std::string folder;
  std::string token;
  bool only_resume = false;
  std::int64_t patience = 3600;  ///< seconds
};

void wait(std::chrono::milliseconds time, const base::CancelToken& cancel) {
  constexpr std::chrono::milliseconds between_looks(20);
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
    cancel.throw_if_cancelled();
    const auto left = end - std::chrono::steady_clock::now();
    std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(left, between_looks));
  }
}

nb::dict join(const Joining& asked, local::Transport& transport) {
  struct Joined {
    std::string task;
    privacy::Guarantee promised;
    local::ParticipationResult result;
    std::vector<std::string> remarks;
  };
  const auto policy = local::policy_from_toml(asked.policy, asked.policy_name);
  if (!asked.token.empty() && !local::is_token(asked.token)) {
    throw base::DataError("a token has 64 hexadecimal digits");
  }
  const auto source = random::SecureSource::create();
  const auto found = supervised(nb::none(), [&](const base::Supervision& supervision) {
    Joined joined{};
    const local::DeviceContext context{
        .transport = transport,
        .source = *source,
        .wait = [&](std::chrono::milliseconds time) { wait(time, *supervision.cancel); },
        .say = [&](const std::string& text) { joined.remarks.push_back(text); },
        .cancel = supervision.cancel};
    const std::chrono::seconds patience(asked.patience);
    const auto task = ledger::is_digest(asked.task)
                          ? local::fetch_task(asked.task, context, patience)
                          : local::load_task(asked.task);
    joined.task = task.digest;
    joined.promised = task.plan.guarantee;
    joined.result = local::take_part({.task = task,
                                      .policy = policy,
                                      .record = asked.record,
                                      .folder = asked.folder,
                                      .token = asked.token,
                                      .only_resume = asked.only_resume,
                                      .patience = patience},
                                     context);
    return joined;
  });
  nb::dict out;
  out["task"] = found.task;
  out["answer"] = found.result.answer;
  out["resumed"] = found.result.resumed;
  out["epsilon"] = found.promised.epsilon;
  out["delta"] = found.promised.delta;
  out["remarks"] = nb::cast(found.remarks);
  return out;
}

}  // namespace

void bind_device(nb::module_& module) {
  nb::class_<Joining>(module, "Joining")
      .def(nb::init<>())
      .def_rw("task", &Joining::task)
      .def_rw("policy", &Joining::policy)
      .def_rw("policy_name", &Joining::policy_name)
      .def_rw("record", &Joining::record)
      .def_rw("folder", &Joining::folder)
      .def_rw("token", &Joining::token)
      .def_rw("only_resume", &Joining::only_resume)
      .def_rw("patience", &Joining::patience);
  module.def("check_policy", [](const std::string& text, const std::string& name) {
    static_cast<void>(local::policy_from_toml(text, name));
  });
  module.def(
      "join_through",
      [](const Joining& asked, const nb::object& exchange, bool confidential) {
        CallersTransport transport(exchange, confidential);
        return join(asked, transport);
      },
      nb::arg("asked"), nb::arg("exchange"), nb::arg("confidential"));
  module.def(
      "join_server",
      [](const Joining& asked, const std::string& url, const std::string& ca,
         const std::string& certificate, const std::string& key) {
        const auto transport = local::http_client({.server = local::server_address(url),
                                                   .ca = ca,
                                                   .certificate = certificate,
                                                   .key = key});
        return join(asked, *transport);
      },
      nb::arg("asked"), nb::arg("url"), nb::arg("ca"), nb::arg("certificate"), nb::arg("key"));
}

}  // namespace tacet::python
