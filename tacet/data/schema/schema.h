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
/// columns are used, their bounds and categories, and what happens to every value outside of them.
/// It is never inferred from private data, except by a private mechanism, whose cost it then states
/// (data/schemas/README.md).
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
  std::optional<double> typical{};  ///< the value whose feature is 0; absent: the middle
  std::optional<bool> centre{};     ///< false: 0 is at the lower bound, as for flags and shares
  /// The number of hat functions in addition to the line (schema/numeric_map.h), a spline basis; 0:
  /// none. Absent: none, unless training decides to add them.
  std::optional<std::int64_t> knots{};
  /// Adds a feature that is 1 if the value is missing and 0 otherwise.
  bool missing_indicator = false;
  /// The step for which effects and odds ratios are reported; absent: half the distance of the
  /// bounds.
  std::optional<double> step{};
  /// One feature per bin, for the bin that contains the number. `bins` (0: none) have equal width
  /// (in log(1 + x) with log1p). `edges` ascend strictly between the bounds; each one ends a bin,
  /// and the last bin ends at the upper bound.
  std::int64_t bins = 0;
  std::vector<double> edges{};
  bool bins_only = false;          ///< bins instead of the number
  std::optional<double> period{};  ///< sine and cosine of 2 pi x / period instead of the number

  std::optional<Standard> standard{};  ///< absent: scaled by the bounds alone
  bool date = false;                   ///< days since 1970-01-01

  // The number of features of each kind, in this order (schema/numeric_map.h).
  [[nodiscard]] std::int64_t line_count() const { return period ? 2 : bins_only ? 0 : 1; }
  [[nodiscard]] std::int64_t hat_functions() const { return knots.value_or(0); }
  [[nodiscard]] std::int64_t bin_count() const {
    return edges.empty() ? bins : static_cast<std::int64_t>(edges.size()) + 1;
  }
  [[nodiscard]] std::int64_t width() const {
    return line_count() + hat_functions() + bin_count() + (missing_indicator ? 1 : 0);
  }
  /// How many of them can differ from 0 for one number.
  [[nodiscard]] std::int64_t touched() const {
    return line_count() + (hat_functions() > 0 ? 2 : 0) + (bin_count() > 0 ? 1 : 0) +
           (missing_indicator ? 1 : 0);
  }
};

/// What happens to a value outside of the public categories.
enum class OtherRule {
  zero,   ///< it has no feature
  column  ///< a feature of its own
};

enum class Coding {
  one_hot,  ///< one feature a category
  sign      ///< exactly two categories: one feature, -1 for the first and +1 for the second
};

/// A value out of a public list. A missing value follows `other`, unless the list contains it.
struct CategoricalColumn {
  std::vector<std::string> categories;
  OtherRule other = OtherRule::zero;
  Coding coding = Coding::one_hot;
  /// The value of each feature in place of 1 (`other` last), as training released it; empty: 1.
  std::vector<double> scales{};
  /// The category with which regression tables compare the others, one of `categories`; absent: the
  /// first. Only method inference uses it.
  std::optional<std::string> reference{};
  static constexpr double min_scale = 1.0 / 16;
  static constexpr double max_scale = 16;

  [[nodiscard]] std::int64_t width() const {
    if (coding == Coding::sign) return 1;
    return static_cast<std::int64_t>(categories.size()) + (other == OtherRule::column ? 1 : 0);
  }
  /// The scale of the feature at a place below width().
  [[nodiscard]] double scale(std::size_t place) const { return scales.empty() ? 1 : scales[place]; }
};

/// A value with too many possible categories for a list. A public hash puts it into one of 2^bits
/// buckets.
struct HashedColumn {
  int bits = 16;  ///< 1 to 30
};

/// Free text: the set of its words in lower case, put into 2^bits buckets by the public hash, and
/// scaled to norm 1.
struct TextColumn {
  int bits = 18;  ///< 1 to 30
};

/// Several ids in one field: the set of them, scaled to norm 1 (encode/id_bag.h).
struct IdsColumn {
  char separator = ' ';       ///< ASCII, no line break
  std::int64_t max_ids = 64;  ///< the first this many different ids of a record count; 1 to 1024
  int bits = 16;              ///< any texts, in 2^bits buckets by the public hash; 1 to 30
  /// Instead of buckets: ids are whole numbers from 0 to count - 1 with one feature each; others
  /// are dropped.
  std::optional<std::int64_t> count{};
};

/// The combination of the values of several columns, put into one of 2^bits buckets by the public
/// hash.
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
  /// For wide models: the length of the vector of each value, word or id, 1 to max_embedding; 0 for
  /// a categorical column whose categories have no vectors. Linear models ignore it.
  std::optional<std::int64_t> embedding{};
  Spelling spelling{};  ///< how it differs from the file's

  [[nodiscard]] bool ignored() const { return std::holds_alternative<IgnoredColumn>(rule); }
  /// Whether it is a column of the file that is read. Crossed columns are made of several columns.
  [[nodiscard]] bool of_file() const {
    return !ignored() && !std::holds_alternative<CrossedColumn>(rule);
  }
  /// The columns of the file that it is made of.
  [[nodiscard]] std::span<const std::string> sources() const;
  /// Whether its features use what training released: a mean and a standard deviation, or scales.
  [[nodiscard]] bool standardised() const;
  /// How many encoded features the column has.
  [[nodiscard]] std::int64_t width() const;
};

/// Two categorical columns with an additional feature for each pair of categories.
struct Interaction {
  std::string first;
  std::string second;
};

/// Features without names that all have the same rule, as in LIBSVM and NPY files: `count` numbers,
/// clipped to [lower, upper] and divided by max(|lower|, |upper|), so that zero stays zero.
struct UniformFeatures {
  std::int64_t count = 0;
  double lower = 0;
  double upper = 1;
  /// How many features of a record can differ from 0, if that is public (at most `count`). The
  /// divisor of row_scaling `const` depends on it.
  std::optional<std::int64_t> max_nonzero{};
};

/// Two classes. A label in neither list follows `unknown_is_positive`.
///
/// The name of a class in predictions is the one in the schema, or else its label if it has only
/// one, or else "positive" or "negative".
struct BinaryTarget {
  std::vector<std::string> positive;    ///< at least one
  std::vector<std::string> negative{};  ///< may be empty
  bool unknown_is_positive = false;
  std::string positive_called = {};  ///< the class's name; empty: none given
  std::string negative_called = {};

  /// {negative, positive}; they differ once the target was checked.
  [[nodiscard]] std::vector<std::string> names() const;
};

/// k >= 3 classes, labelled 0..k-1 in this order. An unknown label becomes class `unknown`.
struct MultiClassTarget {
  std::vector<std::string> classes;
  std::int64_t unknown = 0;
};

/// What kind of number it is, which decides how it becomes a label.
enum class NumberKind {
  number,       ///< mapped to [-1, 1]
  probability,  ///< in [0, 1], used as it is
  count         ///< from 0 on, divided by `upper`
};

/// A number, clipped to public bounds and mapped to its label. A missing one gets the label 0,
/// unless its record is dropped: the middle of numbers, and 0 for probabilities and counts.
struct RegressionTarget {
  double lower = 0;
  double upper = 1;
  NumberKind kind = NumberKind::number;
};

/// What happens to a record whose target is missing or, for numbers, unreadable.
enum class MissingTarget {
  /// it keeps its place but does not influence the model: every feature is 0
  /// (docs/proofs/missing_target.md)
  drop,
  bounds,  ///< it gets a label: the middle or the lower bound of a number, the class `unknown`
  /// As `drop`; so is a class in neither list, if both lists are given. No schema file can state
  /// it: methods that use complete cases read in this way.
  drop_unlisted
};

struct Target {
  std::string column;  ///< empty for formats with a separate place for the label
  std::variant<BinaryTarget, MultiClassTarget, RegressionTarget> rule;
  /// Public weights of the classes by index, each in [least, most]; empty: all 1.
  std::vector<double> class_weights{};
  static constexpr double min_class_weight = 1e-3;
  static constexpr double max_class_weight = 1e3;
  Spelling spelling{};  ///< of its values, if it differs from the file's
  MissingTarget missing_target = MissingTarget::drop;

  [[nodiscard]] bool regression() const;
  /// The kind of a regression's number.
  [[nodiscard]] NumberKind number_kind() const;
  /// 2 for binary, k for multi-class, 0 for regression.
  [[nodiscard]] std::int64_t class_count() const;
  /// The labels that its values become.
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
  std::optional<char> comment{};     ///< lines above the names that begin with it are comments
  TextEncoding encoding = TextEncoding::utf_8;
  Spelling spelling{};  ///< for numbers and dates in all columns; missing values are in the schema
};

enum class RowScaling {
  clip1,          ///< shorten a row, intercept included, to norm 1 if it is longer
  constant_root,  ///< divide every row by the largest norm that the schema allows
  none  ///< leave rows as they are, for records that training will transform; not allowed in files
};

enum class StorageChoice { automatic, dense, sparse };

/// One feature of the encoded row.
struct EncodedColumn {
  std::string name;  ///< `age`, `age~40`, `age in [20, 30)`, `sex=Female`, `text#17`, `(intercept)`
  std::int64_t column = -1;  ///< index into Schema::columns; -1: belongs to no single column
  /// Index of the category or bucket, or place among the features of a number, of all interactions
  /// or of uniform features; -1: none or `other`.
  std::int64_t category = -1;
};

/// The cost of taking bounds and categories from private records (`tacet schema fit`). Every result
/// computed with such a schema includes this cost: see schema_cost.h.
struct SchemaCost {
  std::string id;               ///< random name of the fit; ledgers store its cost under this name
  std::string unit = "record";  ///< whom it protects: "record", or the unit column's name
  std::int64_t max_records_per_unit = 1;  ///< how many records of a unit counted; 1 for "record"
  privacy::Event events;                  ///< what was released
  privacy::Guarantee guarantee;           ///< proved for them
  double prg_slack = 0;                   ///< the PRG slack, which adds to delta
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
  std::vector<Interaction> interactions{};    ///< their features follow those of the columns
  std::optional<UniformFeatures> features{};  ///< instead of `columns`
  std::optional<Target> target{};
  FileFormat format{};
  std::vector<std::string> missing{"", "NA", "N/A", "NaN", "nan", "null", "NULL"};
  bool intercept = true;
  double constant = 1;  ///< of the intercept
  RowScaling row_scaling = RowScaling::clip1;
  StorageChoice storage = StorageChoice::automatic;
  std::optional<std::int64_t> public_row_count{};  ///< declared number of records
  std::optional<SchemaCost> cost{};   ///< absent: the schema is from public knowledge alone
  std::optional<std::string> unit{};  ///< records that share a value of this column are one unit
  // Training sets at most one of the next two, for wide rows; only models have them.
  std::optional<Projection> projection{};  ///< of all features but the intercept
  /// The selected ones among the choosable columns, ascending.
  std::optional<std::vector<std::uint32_t>> selected_columns{};
  /// Features after those of the columns, of all numbers and categories together.
  std::optional<Curves> curves{};
  /// Whether records with spline bases are stored packed (data/hat_rows.h). Training sets it for
  /// methods that can read them so. It is not part of the schema's text.
  bool packs_numbers = false;

  /// Columns of the file from which features are made, each once.
  [[nodiscard]] std::vector<std::string> feature_columns() const;
  /// Columns that a file must have to train with this schema, target and unit included.
  [[nodiscard]] std::vector<std::string> required_columns() const;
  /// The number of encoded features, for which a model has weights; the intercept is the last one.
  [[nodiscard]] std::int64_t encoded_column_count() const;
  /// The number before columns are projected or left out.
  [[nodiscard]] std::int64_t full_column_count() const;
  /// Without its projection and its list of selected columns.
  [[nodiscard]] Schema unnarrowed() const;
  /// The full columns that may be left out: those of hashed values, words, ids and numbered
  /// features.
  [[nodiscard]] std::vector<ColumnRange> choosable_columns() const;
  /// The full columns that the kept ones leave, intercept included, ascending.
  [[nodiscard]] std::vector<std::uint32_t> retained_columns() const;
  [[nodiscard]] std::vector<EncodedColumn> encoded_columns() const;
  /// The number of blocks of a row (each number, each group, the intercept).
  [[nodiscard]] std::int64_t block_count() const;
  /// A bound of a row's squared norm before row scaling: 1 per block, except for centred numbers.
  /// Its square root is the divisor of row scaling `const`.
  [[nodiscard]] double unscaled_square() const;
  /// Bound of an encoded row's norm in real units, intercept included.
  [[nodiscard]] double norm_bound() const;
  /// How many columns a record usually makes differ from 0.
  [[nodiscard]] std::int64_t touched_columns() const;
  /// Decided by public facts: the number of columns, and how many of them a record can touch.
  [[nodiscard]] Storage storage_kind() const;
  /// The numbers that records read by this schema hold packed.
  [[nodiscard]] std::vector<HatColumns> packed_numbers() const;
  /// The shape of records that are read with this schema and its target.
  [[nodiscard]] DatasetShape shape() const;
  /// The shape without labels, for predictions.
  [[nodiscard]] DatasetShape unlabelled_shape() const;

  /// DataError, which says what is wrong and names the source `where`.
  void validate(std::string_view where = "schema") const;
};

/// Reads a TOML schema. Faults are DataErrors that start with `file:line:column`.
[[nodiscard]] Schema schema_from_toml(std::string_view text, std::string_view file_name);
/// Reads the text of a file. If it is not a schema, the refusal does not quote it, since it may
/// contain records.
[[nodiscard]] Schema schema_of_file(std::string_view text, const std::string& file_name);
/// Reads a file; IoError if that is not possible.
[[nodiscard]] Schema load_schema(const std::filesystem::path& file);
/// Remarks that become comments above the columns of these names, and above [format] and [target].
using ColumnRemarks = std::map<std::string, std::string, std::less<>>;
[[nodiscard]] std::string schema_to_toml(const Schema& schema, const ColumnRemarks& remarks = {});

/// JSON with the same keys as TOML. DataError for unknown keys and wrong types.
[[nodiscard]] nlohmann::json schema_to_json(const Schema& schema);
[[nodiscard]] Schema schema_from_json(const nlohmann::json& json);

}  // namespace tacet::data
