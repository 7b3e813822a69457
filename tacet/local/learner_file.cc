#include "tacet/local/learner_file.h"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/base/sha256.h"

namespace tacet::local {
namespace {

constexpr std::uint64_t learner_version = 1;
constexpr std::size_t word = 8;
constexpr std::size_t digest_size = 64;

enum class Kind : std::uint64_t { banco, local_sgd };

// What writes and reads call field after field, in one order that stands below once.
class Writer {
 public:
  void operator()(std::uint64_t value) {
    for (std::size_t i = 0; i < word; ++i) text_ += static_cast<char>(value >> (8 * i) & 0xff);
  }
  void operator()(std::int64_t value) { (*this)(static_cast<std::uint64_t>(value)); }
  void operator()(double value) { (*this)(std::bit_cast<std::uint64_t>(value)); }
  void operator()(bool value) { (*this)(std::uint64_t{value}); }
  template <typename Name>
  requires std::is_enum_v<Name>
  void operator()(Name value, Name /*last*/) { (*this)(static_cast<std::uint64_t>(value)); }
  void operator()(const std::vector<double>& values) {
    (*this)(std::uint64_t{values.size()});
    for (const double value : values) (*this)(value);
  }
  std::string text_ = std::string(learner_magic);
};

class Reader {
 public:
  Reader(std::string_view bytes, std::string_view file_name) : rest_(bytes), name_(file_name) {}

  [[noreturn]] void refuse(std::string_view what) const {
    throw base::DataError("{}: {}", name_, what);
  }
  void operator()(std::uint64_t& value) {
    if (rest_.size() < word) refuse("a learner's state that is cut off");
    value = 0;
    for (std::size_t i = 0; i < word; ++i) {
      value |= std::uint64_t{static_cast<unsigned char>(rest_[i])} << (8 * i);
    }
    rest_.remove_prefix(word);
  }
  void operator()(std::int64_t& value) {
    std::uint64_t bits = 0;
    (*this)(bits);
    value = static_cast<std::int64_t>(bits);
  }
  void operator()(double& value) {
    std::uint64_t bits = 0;
    (*this)(bits);
    value = std::bit_cast<double>(bits);
  }
  void operator()(bool& value) {
    std::uint64_t bits = 0;
    (*this)(bits);
    if (bits > 1) refuse("a switch that is neither on nor off");
    value = bits == 1;
  }
  template <typename Name>
  requires std::is_enum_v<Name>
  void operator()(Name& value, Name last) {
    std::uint64_t bits = 0;
    (*this)(bits);
    if (bits > static_cast<std::uint64_t>(last)) refuse("a choice that is not known");
    value = static_cast<Name>(bits);
  }
  void operator()(std::vector<double>& values) {
    std::uint64_t size = 0;
    (*this)(size);
    if (size > rest_.size() / word) refuse("a learner's state that is cut off");
    values.resize(size);
    for (double& value : values) (*this)(value);
  }
  [[nodiscard]] bool done() const { return rest_.empty(); }

 private:
  std::string_view rest_;
  std::string_view name_;
};

void bound_fields(auto& field, auto& settings, auto& state) {
  field(settings.bounds.report);
  field(settings.bounds.domain);
  field(state.bounded.cut);
  field(state.bounded.refused);
}

void fields(auto& field, auto& settings, auto& state) requires requires { settings.certificate; }
{
  field(settings.dimension);
  field(settings.certificate.kind, CertificateKind::bounded);
  field(settings.certificate.range);
  field(settings.certificate.constant);
  field(settings.initial_wealth);
  field(settings.direction_step);
  field(settings.average, PointAverage::anytime);
  field(settings.weight_power);
  field(settings.rounds);
  field(state.observed);
  for (auto* sum : {&state.gain, &state.penalty, &state.squares, &state.weight}) {
    field(sum->sum);
    field(sum->rest);
  }
  field(state.direction);
  field(state.mean);
  bound_fields(field, settings, state);
}

void fields(auto& field, auto& settings, auto& state) requires requires { settings.step_size; }
{
  field(settings.dimension);
  field(settings.step_size);
  field(settings.falling_steps);
  field(settings.average, SgdAverage::last);
  field(settings.radius);
  field(settings.rounds);
  field(state.observed);
  field(state.averaged);
  field(state.iterate);
  field(state.mean);
  bound_fields(field, settings, state);
}

template <typename Kept, typename Settings, typename State>
Kept read(Reader& reader) {
  Settings settings;
  State state;
  fields(reader, settings, state);
  if (!reader.done()) reader.refuse("more than a learner's state");
  try {
    return Kept(settings, std::move(state));
  } catch (const base::Error& error) {
    reader.refuse(error.what());
  }
}

std::string digest_of(std::string_view text) {
  base::Sha256 sum;
  sum.add(text);
  return sum.digest();
}

}  // namespace

std::string to_bytes(const Learner& learner) {
  Writer writer;
  writer(learner_version);
  writer(std::uint64_t{learner.index()});
  std::visit([&](const auto& kept) { fields(writer, kept.settings(), kept.state()); }, learner);
  return writer.text_ + digest_of(writer.text_);
}

Learner learner_from_bytes(std::string_view bytes, std::string_view file_name) {
  Reader whole(bytes, file_name);
  if (!bytes.starts_with(learner_magic)) whole.refuse("no state of a learner");
  if (bytes.size() < learner_magic.size() + 2 * word + digest_size) {
    whole.refuse("a learner's state that is cut off");
  }
  const auto content = bytes.substr(0, bytes.size() - digest_size);
  Reader reader(content.substr(learner_magic.size()), file_name);
  std::uint64_t found = 0;
  reader(found);
  if (found != learner_version) {
    whole.refuse(fmt::format("a learner's state of version {}; this program reads version {}",
                             found, learner_version));
  }
  if (digest_of(content) != bytes.substr(content.size())) {
    whole.refuse("the checksum is not that of the content: the file was cut or changed");
  }
  Kind kind{};
  reader(kind, Kind::local_sgd);
  if (kind == Kind::banco) return read<Banco, BancoSettings, BancoState>(reader);
  return read<LocalSgd, LocalSgdSettings, LocalSgdState>(reader);
}

}  // namespace tacet::local
