#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tacet/apps/command.h"
#include "tacet/apps/describe.h"
#include "tacet/base/atomic_file.h"
#include "tacet/base/error.h"
#include "tacet/data/owner/guess_format.h"
#include "tacet/data/owner/split_records.h"
#include "tacet/data/read/byte_source.h"
#include "tacet/run/parts.h"

namespace tacet::apps {
namespace {

constexpr std::string_view split_examples =
    "  tacet split survey.csv                    a fifth into survey_test.csv, the rest into\n"
    "                                            survey_train.csv\n"
    "  tacet split survey.csv --test 0.3 --by person       all records of a person on one side\n"
    "  tacet split survey.csv --stratify answer            a fifth of the records of each answer\n"
    "\n"
    "For the owner of the data only: both parts hold records as they are, and their numbers are\n"
    "printed exactly. Whoever is in a part stays under the same budget as in the whole.\n";

class Split : public Command {
 public:
  void declare(CommandLine& line) override {
    auto& options =
        add(line, "split", "Split records into a training and a test file, for the owner",
            split_examples);
    options.add_records("data", data_, "CSV or LIBSVM file with the records", Reading::repeated);
    options.add("--test", share_, "NUMBER",
                "Share of the records that go to the test [default: 0.2]");
    options.add("--by", by_, "COLUMN",
                "Column: records that share its value, a person's say, stay on one side");
    options.add("--stratify", stratify_, "COLUMN",
                "Column: each of its values is split by the share; 'label' in LIBSVM files");
    options.add("--schema,-s", schema_, "FILE",
                "Schema that says how the file is written [default: guessed]");
    options.add("--seed", seed_, "COUNT", "The same seed gives the same parts [default: 1]");
    options.add("--train-output", train_, "FILE", "[default: DATA_train with DATA's ending]");
    options.add("--test-output", test_, "FILE", "[default: DATA_test with DATA's ending]");
    options.flag("--force", force_, "Overwrite the output files");
  }

  void run(const Console& console, const base::CancelToken& cancel) override {
    const auto options = split_options();
    const auto overwrite = force_ ? base::Overwrite::allow : base::Overwrite::refuse;
    const auto train_name = train_.empty() ? part_name("train") : train_;
    const auto test_name = test_.empty() ? part_name("test") : test_;
    if (train_name == test_name) {
      throw base::UsageError("--train-output and --test-output must be two files");
    }
    const run::Parts parts(data_, &cancel);
    base::AtomicFile train(train_name, overwrite);
    base::AtomicFile test(test_name, overwrite);
    if (data_ != "-") {
      train.keep_as_private_as(data_);
      test.keep_as_private_as(data_);
    }
    const auto to = [&cancel](base::AtomicFile& part) {
      return [&cancel, &part](std::string_view text) {
        cancel.throw_if_cancelled();
        part.write(text);
      };
    };
    const auto counts = data::split_records(data_, options, to(train), to(test));
    if (counts.train == 0 || counts.test == 0) {
      throw base::DataError(
          "of {} records {} would go to the training and {} to the test: too few to split so; "
          "nothing was written",
          counts.train + counts.test, counts.train, counts.test);
    }
    for (const auto& part : {train_name, test_name}) parts.mark(part);
    train.commit();
    test.commit();
    for (const auto& part : {train_name, test_name}) parts.note(part);
    console.warn("NOT PRIVATE: both parts hold records as they are, for their owner only");
    if (parts.have_account()) console.warn(parts.word());
    report(console, counts, {train_name, test_name}, options.seed);
  }

 private:
  [[nodiscard]] data::SplitOptions split_options() const {
    data::SplitOptions options{.together = by_, .stratify = stratify_, .format = {}};
    if (!share_.empty()) {
      options.test_share = number_option("--test", share_, "a number between 0 and 1");
    }
    if (!seed_.empty()) options.seed = static_cast<std::uint64_t>(count_option("--seed", seed_, 0));
    options.format = file_format();
    return options;
  }

  [[nodiscard]] data::FileFormat file_format() const {
    if (!schema_.empty()) return data::load_schema(schema_).format;
    const auto* kind = data::recognised_kind(data_);
    if (kind == nullptr) return data::guess_format(data_);
    data::FileFormat format;
    format.kind = kind;
    return format;
  }

  /// "survey.csv.gz" becomes "survey_test.csv", in its folder.
  [[nodiscard]] std::string part_name(const std::string& part) const {
    if (data_ == data::standard_input_name) return part + ".csv";
    std::filesystem::path path(data_);
    if (path.extension() == ".gz") path.replace_extension();
    const auto name = path.stem().string() + "_" + part + path.extension().string();
    return path.replace_filename(name).string();
  }

  static void report(const Console& console, const data::SplitCounts& counts,
                     const std::pair<std::string, std::string>& files, std::uint64_t seed) {
    if (console.json()) {
      console.result(json_text({{"train", {{"file", files.first}, {"records", counts.train}}},
                                {"test", {{"file", files.second}, {"records", counts.test}}},
                                {"seed", seed},
                                {"private", false}}));
    } else if (!console.quiet()) {
      console.result(fmt::format("{} records to {}, {} to {}, seed {}\n", counts.train, files.first,
                                 counts.test, files.second, seed));
    }
  }

  std::string data_;
  std::string share_;
  std::string by_;
  std::string stratify_;
  std::string schema_;
  std::string seed_;
  std::string train_;
  std::string test_;
  bool force_ = false;
};

}  // namespace

std::unique_ptr<Command> make_split() { return std::make_unique<Split>(); }

}  // namespace tacet::apps
