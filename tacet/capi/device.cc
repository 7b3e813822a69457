#include <algorithm>
#include <charconv>
#include <chrono>
#include <string>
#include <string_view>
#include <thread>

#include "tacet/capi/calls.h"
#include "tacet/capi/objects.h"
#include "tacet/capi/tacet.h"
#include "tacet/local/device/client.h"
#include "tacet/local/service/token.h"

namespace tacet::capi {
namespace {

using internal::Object;
using internal::Objects;

struct DeviceSettings {
  std::string record;
  std::string folder;
  std::string token;
  std::chrono::seconds patience{3600};
};

struct DeviceObject : Object {
  static constexpr const char* kind = "device";
  DeviceObject(local::Task given, local::Policy allowed)
      : task(std::move(given)), policy(std::move(allowed)) {}
  [[nodiscard]] DeviceSettings settings_now() {
    const std::lock_guard lock(turn);
    return settings;
  }
  const local::Task task;
  const local::Policy policy;
  DeviceSettings settings;
};

/// The connection to the server that the program provides.
class ProgramsTransport : public local::Transport {
 public:
  ProgramsTransport(tacet_exchange given, void* context) : exchange_(given), context_(context) {}

  [[nodiscard]] local::HttpReply exchange(const local::HttpRequest& request) override {
    std::string answer(request.max_bytes, '\0');
    const tacet_request asked{request.method.c_str(), request.path.c_str(), request.token.c_str(),
                              request.body.data(),    request.body.size(),  answer.data(),
                              answer.size()};
    tacet_reply reply{};
    const int kind = exchange_(&asked, &reply, context_);
    if (kind == TACET_IO) throw base::IoError("no answer came from the server");
    if (kind == TACET_INTERRUPTED) throw base::Interrupted("cancelled by the program's exchange");
    if (kind != TACET_OK) throw local::UntrustedServer("the server is not who it should be");
    if (reply.status < 100 || reply.status > 999 || reply.size > answer.size()) {
      throw base::UsageError("an exchange gave back status {} and {} bytes where {} find room",
                             reply.status, reply.size, answer.size());
    }
    answer.resize(reply.size);
    constexpr std::int64_t a_day = 86400;
    return {reply.status, std::move(answer),
            std::clamp(reply.retry_seconds, std::int64_t{0}, a_day)};
  }
  // the header demands it of the program
  [[nodiscard]] bool confidential() const override { return true; }

 private:
  tacet_exchange exchange_;
  void* context_;
};

void device_setting(DeviceSettings& settings, std::string_view name, std::string_view value) {
  if (name == "record") {
    settings.record = value;
  } else if (name == "folder") {
    settings.folder = value;
  } else if (name == "token") {
    if (!value.empty() && !local::is_token(value)) {
      throw base::DataError("a token has 64 hexadecimal digits");
    }
    settings.token = value;
  } else if (name == "patience") {
    std::int64_t seconds = -1;
    const auto read = std::from_chars(value.data(), value.data() + value.size(), seconds);
    constexpr auto max = local::max_patience.count();
    if (read.ec != std::errc() || read.ptr != value.data() + value.size() || seconds < 0 ||
        seconds > max) {
      throw base::UsageError("patience must be whole seconds, 0 to {}", max);
    }
    settings.patience = std::chrono::seconds(seconds);
  } else {
    throw base::UsageError("a device has record, folder, token, patience, and nothing else to set");
  }
}

void join(const DeviceObject& device, const DeviceSettings& settings,
          const local::DeviceContext& context, bool resume) {
  if (settings.record.empty() || settings.folder.empty()) {
    throw base::UsageError("a device takes part with a record and a folder: set both");
  }
  const auto result = local::take_part({.task = device.task,
                                        .policy = device.policy,
                                        .record = settings.record,
                                        .folder = settings.folder,
                                        .token = settings.token,
                                        .only_resume = resume,
                                        .patience = settings.patience},
                                       context);
  if (result.answer == "counted") return;
  throw base::IoError(
      "the server took no report of this device at last: {}; its epsilon {} stays spent, since the "
      "report was sent",
      result.answer, device.task.plan.guarantee.epsilon);
}

}  // namespace
}  // namespace tacet::capi

using namespace tacet;        // NOLINT(google-build-using-namespace)
using namespace tacet::capi;  // NOLINT(google-build-using-namespace)

int tacet_device_new(const char* task, size_t size, const char* policy, tacet_device* device) {
  return internal::guarded([&] {
    auto read = local::task_from_text({&internal::wanted(task, "the task"), size}, "the task");
    internal::make<DeviceObject>(
        device, std::move(read),
        local::policy_from_toml(internal::text_of(policy, "the policy"), "the policy"));
  });
}

int tacet_device_set(tacet_device device, const char* name, const char* value) {
  return internal::guarded([&] {
    const auto object = Objects::all().get<DeviceObject>(device);
    const std::lock_guard lock(object->turn);
    device_setting(object->settings, internal::text_of(name, "name"),
                   internal::text_of(value, "value"));
  });
}

int tacet_device_join(tacet_device device, tacet_exchange exchange, tacet_wait wait, void* context,
                      int resume) {
  return internal::guarded([&] {
    const auto object = Objects::all().get<DeviceObject>(device);
    if (exchange == nullptr) throw base::UsageError("exchange is a null pointer");
    ProgramsTransport transport(exchange, context);
    const auto source = random::SecureSource::create();
    const auto sleep = [&](std::chrono::milliseconds time) {
      if (wait == nullptr) return std::this_thread::sleep_for(time);
      if (wait(time.count(), context) != 0) {
        throw base::Interrupted("cancelled by the program's wait");
      }
    };
    join(*object, object->settings_now(),
         {.transport = transport, .source = *source, .wait = sleep}, resume != 0);
  });
}

int tacet_device_rehearse(tacet_device device, uint64_t seed, uint64_t round, const char* model,
                          size_t size, uint64_t report_number, char* frame, size_t room,
                          size_t* needed) {
  return internal::guarded([&] {
    const auto object = Objects::all().get<DeviceObject>(device);
    const std::string_view bytes(&internal::wanted(model, "the model"), size);
    internal::hand_out_bytes(
        local::rehearse_report(object->task, object->settings_now().record,
                               {seed, round, std::string(bytes), report_number}),
        frame, room, needed);
  });
}
