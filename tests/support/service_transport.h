#pragma once

#include <functional>
#include <future>
#include <string>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/local/http/http_client.h"
#include "tacet/local/service/service.h"

namespace tacet::test {

/// A device's way to a service in the same process, which a test can disturb.
class ServiceTransport : public local::Transport {
 public:
  explicit ServiceTransport(local::Service& service) : service_(&service) {}

  [[nodiscard]] local::HttpReply exchange(const local::HttpRequest& request) override {
    requests.push_back(request);
    if (before) before(request);
    auto reply = ask(request);
    if (after) after(request, reply);
    return reply;
  }
  [[nodiscard]] bool confidential() const override { return is_confidential; }
  void reach(local::Service& service) { service_ = &service; }

  std::vector<local::HttpRequest> requests;
  std::function<void(const local::HttpRequest&)> before;  ///< may throw: nothing arrives
  std::function<void(const local::HttpRequest&, local::HttpReply&)>
      after;  ///< or the answer is lost
  bool is_confidential = true;

 private:
  [[nodiscard]] local::HttpReply ask(const local::HttpRequest& request) {
    local::RequestHead head{.method = request.method,
                            .path = request.path,
                            .token = request.token,
                            .address = "192.0.2.1",
                            .secure = true};
    if (request.method == "POST") head.length = request.body.size();
    if (const auto refused = service_->admit(head)) return reply_of(*refused);
    std::promise<local::HttpAnswer> answered;
    service_->answer(head, request.body,
                     [&](const local::HttpAnswer& answer) { answered.set_value(answer); });
    return reply_of(answered.get_future().get());
  }
  static local::HttpReply reply_of(const local::HttpAnswer& answer) {
    return {answer.status, answer.shared ? *answer.shared : answer.body, answer.retry_seconds};
  }

  local::Service* service_;
};

}  // namespace tacet::test
