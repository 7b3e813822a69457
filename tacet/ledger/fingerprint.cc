#include "tacet/ledger/fingerprint.h"

#include <openssl/evp.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/ledger/column_order.h"
#include "tacet/ledger/digest.h"

namespace tacet::ledger {
namespace {

constexpr std::size_t block_bytes = 64;
using Digest = std::array<unsigned char, 32>;

struct FreeContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_MD_CTX, FreeContext>;

void require(bool fine) {
  if (!fine) throw base::InternalError("SHA-256 is not available");
}

constexpr std::size_t max_columns = std::size_t{1} << 20;
constexpr std::size_t max_kept = std::size_t{1} << 19;  // values and records that are kept

/// Adds, or subtracts, mod 2^256.
void add_words(std::array<std::uint64_t, 4>& sum, const Digest& digest, bool taken_away) {
  std::array<std::uint64_t, 4> words{};
  std::memcpy(words.data(), digest.data(), digest.size());
  bool carry = taken_away;  // subtraction adds the complement of x, plus 1
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::uint64_t with_carry = 0;
    const auto word = taken_away ? ~words[i] : words[i];
    const bool first = __builtin_add_overflow(word, std::uint64_t{carry}, &with_carry);
    const bool second = __builtin_add_overflow(sum[i], with_carry, &sum[i]);
    carry = first || second;
  }
}

/// A key for SipHash, derived from a key for HMAC.
std::array<std::uint64_t, 2> half_of(const Digest& digest, std::size_t half) {
  std::array<std::uint64_t, 2> key{};
  std::memcpy(key.data(), digest.data() + half * sizeof(key), sizeof(key));
  return key;
}

template <typename... Numbers>
std::string bytes_of(const Numbers&... numbers) {
  std::string bytes;
  (bytes.append(reinterpret_cast<const char*>(&numbers), sizeof(numbers)), ...);
  return bytes;
}

Context new_context() {
  Context context(EVP_MD_CTX_new());
  require(context != nullptr);
  return context;
}

}  // namespace

/// HMAC (RFC 2104) with both halves of the key absorbed already: a record costs two copies instead
/// of two more blocks.
struct Fingerprint::Keyed {
  Context inner = new_context();
  Context outer = new_context();
  Context work = new_context();
  SipHash value{{}};
  SipHash place{{}};

  explicit Keyed(std::string_view key) {
    std::array<unsigned char, block_bytes> pad{};
    for (const auto& [context, byte] :
         {std::pair{inner.get(), 0x36U}, std::pair{outer.get(), 0x5cU}}) {
      for (std::size_t i = 0; i < block_bytes; ++i) {
        const unsigned char from_key =
            i < key.size() ? static_cast<unsigned char>(key[i]) : static_cast<unsigned char>(0);
        pad[i] = static_cast<unsigned char>(from_key ^ byte);
      }
      require(EVP_DigestInit_ex(context, EVP_sha256(), nullptr) == 1 &&
              EVP_DigestUpdate(context, pad.data(), pad.size()) == 1);
    }
    const auto keys = hmac("tacet values");
    value = SipHash(half_of(keys, 0));
    place = SipHash(half_of(keys, 1));
  }

  Keyed(const Keyed& other) : value(other.value), place(other.place) {
    require(EVP_MD_CTX_copy_ex(inner.get(), other.inner.get()) == 1 &&
            EVP_MD_CTX_copy_ex(outer.get(), other.outer.get()) == 1);
  }
  Keyed& operator=(const Keyed&) = delete;

  Digest hmac(std::string_view message) {
    Digest digest{};
    require(EVP_MD_CTX_copy_ex(work.get(), inner.get()) == 1 &&
            EVP_DigestUpdate(work.get(), message.data(), message.size()) == 1 &&
            EVP_DigestFinal_ex(work.get(), digest.data(), nullptr) == 1);
    require(EVP_MD_CTX_copy_ex(work.get(), outer.get()) == 1 &&
            EVP_DigestUpdate(work.get(), digest.data(), digest.size()) == 1 &&
            EVP_DigestFinal_ex(work.get(), digest.data(), nullptr) == 1);
    return digest;
  }
};

Fingerprint::Fingerprint(std::string_view key) {
  if (!is_digest(key)) throw base::InternalError("a fingerprint needs a ledger's key");
  keyed_ = std::make_unique<Keyed>(key);
}
Fingerprint::Fingerprint(Fingerprint&&) noexcept = default;
Fingerprint& Fingerprint::operator=(Fingerprint&&) noexcept = default;
Fingerprint::~Fingerprint() = default;

Fingerprint::Fingerprint(const Fingerprint& other)
    : keyed_(std::make_unique<Keyed>(*other.keyed_)),
      whole_(other.whole_),
      read_(other.read_),
      read_columns_(other.read_columns_),
      fields_(other.fields_),
      read_fields_(other.read_fields_),
      has_value_(other.has_value_),
      has_read_value_(other.has_read_value_),
      bytes_(other.bytes_) {}

Fingerprint Fingerprint::copy() const { return *this; }

void Fingerprint::read_only(std::vector<bool> columns) {
  const bool all = std::ranges::find(columns, false) == columns.end();
  read_columns_ = all ? std::vector<bool>() : std::move(columns);
}

bool Fingerprint::reads(std::size_t column) const {
  return column < read_columns_.size() && read_columns_[column];
}

void Fingerprint::add_number(std::size_t column, double number) {
  has_value_ = true;
  has_read_value_ = has_read_value_ || reads(column);
  if (number == 0) return;
  add_value(column, 'n', std::string_view(reinterpret_cast<const char*>(&number), sizeof(number)));
}

void Fingerprint::add_text(std::size_t column, std::string_view text) {
  has_value_ = true;
  has_read_value_ = has_read_value_ || reads(column);
  add_value(column, 't', text);
}

void Fingerprint::add_value(std::size_t column, char kind, std::string_view bytes) {
  bytes_.assign(1, kind).append(bytes);
  const Field field{static_cast<std::uint32_t>(std::min(column, max_columns)),
                    keyed_->value(bytes_)};
  fields_.push_back(field);
  if (reads(column)) read_fields_.push_back(field);
}

void Fingerprint::end_record() {
  if (std::exchange(has_value_, false)) add_record(whole_, fields_);
  if (std::exchange(has_read_value_, false)) add_record(read_, read_fields_);
  fields_.clear();
  read_fields_.clear();
}

void Fingerprint::add(std::string_view record) {
  add_text(0, record);
  end_record();
}

void Fingerprint::add_record(Table& table, const Fields& fields) const {
  if (++table.records == 1) table.first = fields;
  if (table.sums) return add_to(*table.sums, fields);
  table.kept.insert(table.kept.end(), fields.begin(), fields.end());
  table.ends.push_back(table.kept.size());
  // Without the first record there may be few enough values to keep.
  const auto max = max_kept + table.first.size() + 1;
  if (table.kept.size() + table.ends.size() <= max) return;
  table.sums = sums_of(table, false);
  table.kept = Fields();
  table.ends = std::vector<std::size_t>();
}

void Fingerprint::add_to(Sums& sums, std::span<const Field> fields, bool taken_away) const {
  SipDigest record;
  for (const auto& field : fields) record += field.value;
  add_words(sums.sum, keyed_->hmac(bytes_of(fields.size(), record.low, record.high)), taken_away);
  for (const auto& [column, value] : fields) {
    if (column >= sums.columns.size()) sums.columns.resize(column + 1);
    const auto place = keyed_->place(bytes_of(value.low, value.high, record.low, record.high));
    auto& sum = sums.columns[column];
    sum = taken_away ? SipDigest{sum.low - place.low, sum.high - place.high}
                     : SipDigest{sum.low + place.low, sum.high + place.high};
  }
}

Fingerprint::Sums Fingerprint::sums_of(const Table& table, bool without_first) const {
  Sums sums = table.sums.value_or(Sums());
  const std::span<const Field> kept(table.kept);
  std::size_t first = 0;
  for (const auto end : table.ends) {
    add_to(sums, kept.subspan(first, end - first));
    first = end;
  }
  if (without_first) add_to(sums, table.first, true);
  return sums;
}

Fingerprint::Sums Fingerprint::ordered_sum(const Table& table, bool without_first) const {
  const std::size_t left_out = without_first ? 1 : 0;
  std::vector<internal::PlacedValue> values;
  std::vector<std::size_t> ends;
  std::map<std::uint32_t, std::uint32_t> places;  // of the columns that have a value
  for (std::size_t k = left_out; k < table.ends.size(); ++k) {
    for (auto j = k == 0 ? 0 : table.ends[k - 1]; j < table.ends[k]; ++j) {
      const auto next = static_cast<std::uint32_t>(places.size());
      const auto place = places.emplace(table.kept[j].column, next).first->second;
      values.push_back({place, table.kept[j].value.low});
    }
    ends.push_back(values.size());
  }
  const auto ranks = internal::column_ranks({values, ends}, places.size());
  Sums sums;
  std::vector<std::pair<std::uint32_t, SipDigest>> record;
  const auto* field = table.kept.data() + (without_first ? table.first.size() : 0);
  std::size_t first = 0;
  for (const auto end : ends) {
    record.clear();
    for (; first < end; ++first, ++field) {
      record.emplace_back(ranks[values[first].column], field->value);
    }
    std::ranges::sort(record);
    std::string bytes = bytes_of(record.size());
    for (const auto& [rank, value] : record) bytes += bytes_of(rank, value.low, value.high);
    add_words(sums.sum, keyed_->hmac(bytes), false);
  }
  return sums;
}

std::string Fingerprint::digest() const { return digest_of(whole_); }

std::optional<std::string> Fingerprint::digest_without_first() const {
  if (whole_.records < 2) return std::nullopt;
  return digest_of(whole_, true);
}

std::string Fingerprint::digest_of_read() const {
  return digest_of(read_columns_.empty() ? whole_ : read_);
}

std::string Fingerprint::digest_of(const Table& table, bool without_first) const {
  auto size = table.kept.size() + table.ends.size();
  if (without_first) size -= table.first.size() + 1;
  const bool few = !table.sums && size <= max_kept;
  auto [sum, columns] = few ? ordered_sum(table, without_first) : sums_of(table, without_first);
  std::string text = fmt::format("tacet records {}\n{}\n", few ? "in order" : "in sums",
                                 table.records - (without_first ? 1 : 0));
  for (const auto word : sum) text += fmt::format("{:016x}", word);
  std::erase(columns, SipDigest{});  // the columns without a value
  std::ranges::sort(columns);
  for (const auto& [low, high] : columns) text += fmt::format("\n{:016x}{:016x}", high, low);
  const auto digest = keyed_->hmac(text);
  std::string result;
  for (const unsigned char byte : digest) result += fmt::format("{:02x}", byte);
  return result;
}

}  // namespace tacet::ledger
