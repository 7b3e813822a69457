#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tacet/data/dataset.h"
#include "tacet/data/schema/curves.h"
#include "tacet/data/schema/file_kind.h"
#include "tacet/data/schema/projection.h"
#include "tacet/data/schema/spelling.h"
#include "tacet/data/schema/standard.h"
#include "tacet/privacy/event.h"
#include "tacet/privacy/guarantee.h"

/// The schema says, from public knowledge alone, how a file becomes bounded feature rows: which
/// columns count, their bounds and categories, and what happens to every value outside of them.
/// Nothing of it is ever inferred from private data, unless by a private mechanism whose cost it
/// then states. docs: data/schemas/README.md.
///
/// Example:
///
///     const data::Schema schema = data::schema_from_toml(R"(
///       [[column]]
///       name = "age"
///       kind = "numeric"
///       lower = 17
///       upper = 90
///     )", "inline");
///     const std::int64_t columns = schema.encoded_column_count();  // 2: age and the intercept
namespace tacet::data {

/// A number in public bounds, clipped to them and mapped to a feature around zero
/// (schema/numeric_map.h).
struct NumericColumn {
  double lower = 0;
  double upper = 1;
  bool log1p = false;               ///< map by log(1 + x) before scaling; needs lower > -1
  std::optional<double> fill{};     ///< stands for a missing or unreadable value; absent: what the
                                    ///< feature 0 means
  std::optional<double> typical{};  ///< the value of feature 0; the middle when absent
  std::optional<bool> centre{};     ///< false: from the lower bound on, as flags and shares are
  /// Hat functions beside the number, which make a curve of its weight (schema/numeric_map.h); 0:
  /// none. Absent: none, unless training decides for some.
  std::optional<std::int64_t> knots{};
  /// A further feature that is 1 where the value is missing and 0 elsewhere.
  bool missing_indicator = false;
  /// Step of which effects and odds ratios are told; absent: half the distance of the bounds.
  std::optional<double> step{};
  /// One feature a bin, for the bin that the number is in. `bins` (0: none) are of equal width (in
  /// log(1 + x) with log1p); `edges` ascend strictly between the bounds and end all bins but one.
  std::int64_t bins = 0;
  std::vector<double> edges{};
  bool bins_only = false;          ///< bins instead of the number
  std::optional<double> period{};  ///< sine and cosine of 2 pi x / period instead of the number

  std::optional<Standard> standard{};  ///< absent: by the bounds alone
  bool date = false;                   ///< days since 1970-01-01

  // How many features of each kind it has, in this order (schema/numeric_map.h).
  [[nodiscard]] std::int64_t line_count() const { return period ? 2 : bins_only ? 0 : 1; }
  [[nodiscard]] std::int64_t hat_functions() const { return knots.value_or(0); }
  [[nodiscard]] std::int64_t bin_count() const {
    return edges.empty() ? bins : static_cast<std::int64_t>(edges.size()) + 1;
  }
  [[nodiscard]] std::int64_t width() const {
    return line_count() + hat_functions() + bin_count() + (missing_indicator ? 1 : 0);
  }
  /// How many of them one number can make differ from 0.
  [[nodiscard]] std::int64_t touched() const {
    return line_count() + (hat_functions() > 0 ? 2 : 0) + (bin_count() > 0 ? 1 : 0) +
           (missing_indicator ? 1 : 0);
  }
};

/// What a value outside the public categories becomes.
enum class OtherRule {
  zero,   ///< no feature at all
  column  ///< a feature of its own
};

enum class Coding {
  one_hot,  ///< one feature a category
  sign      ///< exactly two categories: one feature, -1 for the first and +1 for the second
};

/// A value of a public list. A value that is missing and not in the list follows `other`.
struct CategoricalColumn {
  std::vector<std::string> categories;
  OtherRule other = OtherRule::zero;
  Coding coding = Coding::one_hot;
  /// What each feature holds in place of 1, `other` last, as training released it; empty: 1.
  std::vector<double> scales{};
  /// The category that regression tables compare the others with, one of `categories`; absent: the
  /// first. Only method inference reads it.
  std::optional<std::string> reference{};
  static constexpr double min_scale = 1.0 / 16;
  static constexpr double max_scale = 16;

  [[nodiscard]] std::int64_t width() const {
    if (coding == Coding::sign) return 1;
    return static_cast<std::int64_t>(categories.size()) + (other == OtherRule::column ? 1 : 0);
  }
  /// Of the feature at a place below width().
  [[nodiscard]] double scale(std::size_t place) const { return scales.empty() ? 1 : scales[place]; }
};

/// A value with too many possible categories to list: one of 2^bits buckets by the public hash.
struct HashedColumn {
  int bits = 16;  ///< 1 to 30
};

/// Free text: the set of its lower-cased words in 2^bits buckets by the public hash, scaled to
/// norm 1.
struct TextColumn {
  int bits = 18;  ///< 1 to 30
};

/// Several ids in one field: the set of them, of norm 1 however many there are (encode/id_bag.h).
struct IdsColumn {
  char separator = ' ';  ///< ASCII, no line break
  std::int64_t max_ids =
      64;         ///< how many different ids of a record count: the first ones; 1 to 1024
  int bits = 16;  ///< any texts, in 2^bits buckets by the public hash; 1 to 30
  /// Instead: whole numbers from 0 to below it, which have a feature each; any other id is dropped.
  std::optional<std::int64_t> count{};
};

/// What several columns of the file hold together: one of 2^bits buckets by the public hash.
struct CrossedColumn {
  std::vector<std::string> names;  ///< of the file's columns, two or more
  int bits = 16;                   ///< 1 to 30
};

/// A column that is not read.
struct IgnoredColumn {};

struct Column {
  std::string name;
  std::variant<NumericColumn, CategoricalColumn, HashedColumn, TextColumn, IdsColumn, CrossedColumn,
               IgnoredColumn>
      rule;
  /// For wide models: numbers of the vector that each value, word or id has, 1 to max_embedding; 0
  /// for a categorical column whose categories have none. Linear models leave it aside.
  std::optional<std::int64_t> embedding{};
  Spelling spelling{};  ///< what differs from the file's

  [[nodiscard]] bool ignored() const { return std::holds_alternative<IgnoredColumn>(rule); }
  /// Whether it is a column of the file that is read; crossed columns are made of several.
  [[nodiscard]] bool of_file() const {
    return !ignored() && !std::holds_alternative<CrossedColumn>(rule);
  }
  /// The columns of the file that it is made of.
  [[nodiscard]] std::span<const std::string> sources() const;
  /// Whether its features follow what training released: a mean and a standard deviation, or
  /// scales.
  [[nodiscard]] bool standardised() const;
  /// How many encoded features the column has.
  [[nodiscard]] std::int64_t width() const;
};

/// Two categorical columns whose categories count together as well: one feature for each two.
struct Interaction {
  std::string first;
  std::string second;
};

/// Features without names, all alike, as LIBSVM and NPY files hold them: `count` numbers, clipped
/// to [lower, upper] and divided by max(|lower|, |upper|), so that zero stays zero.
struct UniformFeatures {
  std::int64_t count = 0;
  double lower = 0;
  double upper = 1;
  /// How many features of a record can be non-zero, where that is public (at most `count`):
  /// the divisor of row_scaling `const`.
  std::optional<std::int64_t> max_nonzero{};
};

/// Two classes. A label in neither list follows `unknown_is_positive`.
///
/// Predictions call a class by its name where the schema gives one, else by its label where it has
/// one label only, else "positive" or "negative".
struct BinaryTarget {
  std::vector<std::string> positive;    ///< at least one
  std::vector<std::string> negative{};  ///< may be empty
  bool unknown_is_positive = false;
  std::string positive_called = {};  ///< the class's name; empty: none given
  std::string negative_called = {};

  /// {negative, positive}, different from each other once the target was checked.
  [[nodiscard]] std::vector<std::string> names() const;
};

/// k >= 3 classes, labelled 0..k-1 in this order. An unknown label becomes class `unknown`.
struct MultiClassTarget {
  std::vector<std::string> classes;
  std::int64_t unknown = 0;
};

/// What a number is, which says how it becomes a label.
enum class NumberKind {
  number,       ///< mapped to [-1, 1]
  probability,  ///< in [0, 1], as it is
  count         ///< from 0 on, divided by `upper`
};

/// A number, clipped to public bounds and mapped to its label. A missing one, unless its
/// record is dropped, becomes the label 0: of numbers the middle, of probabilities and counts 0.
struct RegressionTarget {
  double lower = 0;
  double upper = 1;
  NumberKind kind = NumberKind::number;
};

/// What a record without a target is, one whose target is missing or, for numbers, unreadable.
enum class MissingTarget {
  drop,    ///< it keeps its place and teaches nothing: every feature is 0 (missing_target.md)
  bounds,  ///< as its rule says: the middle or the lower bound of a number, the class `unknown`
  /// As `drop`, and so is a class in neither list where both are given. No schema file says it: it
  /// is how a method of complete cases reads.
  drop_unlisted
};

struct Target {
  std::string column;  ///< empty for formats that hold the label in a place of its own
  std::variant<BinaryTarget, MultiClassTarget, RegressionTarget> rule;
  /// Public weights of the classes by index, each in [least, most]; empty: all 1.
  std::vector<double> class_weights{};
  static constexpr double min_class_weight = 1e-3;
  static constexpr double max_class_weight = 1e3;
  Spelling spelling{};  ///< of its values, where it differs from the file's
  MissingTarget missing_target = MissingTarget::drop;

  [[nodiscard]] bool regression() const;
  /// The kind of a regression's number.
  [[nodiscard]] NumberKind number_kind() const;
  /// 2 for binary, k for multi-class, 0 for regression.
  [[nodiscard]] std::int64_t class_count() const;
  /// What its values become.
  [[nodiscard]] LabelDomain labels() const;
  /// Names by class index: {negative, positive} for binary. Empty for regression.
  [[nodiscard]] std::vector<std::string> class_names() const;
};

struct FileFormat {
  const FileKind* kind = &file_kind("csv");
  char separator = ',';
  std::optional<char> quote = '"';  ///< absent: quotes are ordinary characters
  bool header = true;
  bool trim = false;                 ///< drop blanks around unquoted fields
  bool fill_short = false;           ///< records with too few columns end with empty values
  std::vector<std::string> names{};  ///< the file's columns in order, for a file without a header
  std::int64_t index_base = 1;       ///< of a LIBSVM file: the index of its first column, 0 or 1
  std::optional<char> comment{};     ///< lines above the names that begin with it are none
  TextEncoding encoding = TextEncoding::utf_8;
  Spelling spelling{};  ///< of numbers and dates in all columns; missing values are the schema's
};

enum class RowScaling {
  clip1,          ///< scale a row, intercept included, down to norm 1 where it is longer
  constant_root,  ///< divide every row by the largest norm that the schema allows
  none  ///< leave rows as they are: for records that training goes on to transform; in no file
};

enum class StorageChoice { automatic, dense, sparse };

/// One feature of the encoded row.
struct EncodedColumn {
  std::string name;  ///< `age`, `age~40`, `age in [20, 30)`, `sex=Female`, `text#17`, `(intercept)`
  std::int64_t column = -1;  ///< index into Schema::columns; -1: not of one column
  /// Index into categories, bucket, or place among the features of a number, of all interactions
  /// or of uniform features; -1: none or `other`.
  std::int64_t category = -1;
};

/// What it cost to take bounds and categories from private records (`tacet schema fit`). Whatever
/// is computed with such a schema has told that much about the records already: see schema_cost.h.
struct SchemaCost {
  std::string id;               ///< random name of the fit, under which ledgers keep its cost
  std::string unit = "record";  ///< whom it protects: "record", or the unit column's name
  std::int64_t max_records_per_unit = 1;  ///< how many of a unit's records counted; 1 for "record"
  privacy::Event events;                  ///< what was released
  privacy::Guarantee guarantee;           ///< proved for them
  double prg_slack = 0;                   ///< the PRG slack, to be added to delta
  std::string unprotected_reason;         ///< why there is no guarantee; empty: protected
};

/// Encoded columns from the first to before the second.
using ColumnRange = std::pair<std::uint32_t, std::uint32_t>;

/// The most knots and the most bins of a column.
constexpr std::int64_t max_knots = 64;
constexpr std::int64_t max_bins = 1024;
/// The most numbers of a vector.
constexpr std::int64_t max_embedding = 4096;

struct Schema {
  std::string name{};
  std::string description{};
  std::vector<Column> columns{};              ///< in the order of the encoded features
  std::vector<Interaction> interactions{};    ///< features behind those of the columns
  std::optional<UniformFeatures> features{};  ///< instead of `columns`
  std::optional<Target> target{};
  FileFormat format{};
  std::vector<std::string> missing{"", "NA", "N/A", "NaN", "nan", "null", "NULL"};
  bool intercept = true;
  double constant = 1;  ///< of the intercept
  RowScaling row_scaling = RowScaling::clip1;
  StorageChoice storage = StorageChoice::automatic;
  std::optional<std::int64_t> public_row_count{};  ///< declared number of records
  std::optional<SchemaCost> cost{};                ///< absent: from public knowledge alone
  std::optional<std::string> unit{};  ///< records that share a value of this column are one unit
  // What training makes of rows that are wide; at most one of both, and in models alone.
  std::optional<Projection> projection{};  ///< of all features but the intercept
  /// Those of the choosable columns that were kept, ascending.
  std::optional<std::vector<std::uint32_t>> selected_columns{};
  /// Features behind those of the columns, of numbers and categories together.
  std::optional<Curves> curves{};
  /// Whether records are held packed where their numbers have hat functions (data/hat_rows.h):
  /// training decides it for methods that read them so. No part of the schema's text.
  bool packs_numbers = false;

  /// Columns of the file that features are made of, each once.
  [[nodiscard]] std::vector<std::string> feature_columns() const;
  /// Columns a file must have to train with this schema, target and unit included.
  [[nodiscard]] std::vector<std::string> required_columns() const;
  /// Encoded features, intercept last when there is one: those that a model has weights for.
  [[nodiscard]] std::int64_t encoded_column_count() const;
  /// The same before columns are projected or left out.
  [[nodiscard]] std::int64_t full_column_count() const;
  /// Without its projection and its list of selected columns.
  [[nodiscard]] Schema unnarrowed() const;
  /// The full columns of hashed values, words, ids and numbered features, which may be left out.
  [[nodiscard]] std::vector<ColumnRange> choosable_columns() const;
  /// The full columns that the kept ones leave, intercept included, ascending.
  [[nodiscard]] std::vector<std::uint32_t> retained_columns() const;
  [[nodiscard]] std::vector<EncodedColumn> encoded_columns() const;
  /// Blocks a row consists of (each numeric, each group, the intercept).
  [[nodiscard]] std::int64_t block_count() const;
  /// Bound of a row's squared norm before row scaling, 1 a block other than a centred number: the
  /// square of the divisor of row scaling `const`.
  [[nodiscard]] double unscaled_square() const;
  /// Bound of an encoded row's norm in real units, intercept included.
  [[nodiscard]] double norm_bound() const;
  /// How many columns a record usually makes differ from 0.
  [[nodiscard]] std::int64_t touched_columns() const;
  /// Decided by public facts: columns and how many of them one record can touch.
  [[nodiscard]] Storage storage_kind() const;
  /// The numbers that records read by this schema hold packed.
  [[nodiscard]] std::vector<HatColumns> packed_numbers() const;
  /// Of records read by this schema, with its target's labels.
  [[nodiscard]] DatasetShape shape() const;
  /// The same without labels, as predictions read them.
  [[nodiscard]] DatasetShape unlabelled_shape() const;

  /// Throws DataError that says what is wrong, where the source is `where`.
  void validate(std::string_view where = "schema") const;
};

/// Reads a TOML schema. Faults are DataErrors that start with `file:line:column`.
[[nodiscard]] Schema schema_from_toml(std::string_view text, std::string_view file_name);
/// As above of the text of a file. The refusal of a file that is no schema says none of its words:
/// it may hold records.
[[nodiscard]] Schema schema_of_file(std::string_view text, const std::string& file_name);
/// As above from a file; IoError when it cannot be read.
[[nodiscard]] Schema load_schema(const std::filesystem::path& file);
/// Remarks stand as comments above the columns of these names, and above [format] and [target].
using ColumnRemarks = std::map<std::string, std::string, std::less<>>;
[[nodiscard]] std::string schema_to_toml(const Schema& schema, const ColumnRemarks& remarks = {});

/// JSON holds the same keys as TOML. Unknown keys and wrong types are DataErrors.
[[nodiscard]] nlohmann::json schema_to_json(const Schema& schema);
[[nodiscard]] Schema schema_from_json(const nlohmann::json& json);

}  // namespace tacet::data
