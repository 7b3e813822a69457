#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "tacet/mechanism/access_keys.h"
#include "tacet/optimize/sums/joint_sum.h"

/// Records and tasks for tests of the joint sum.
namespace tacet::test::joint {

using data::Dataset;
using data::Storage;
using optimize::JointShares;
using optimize::JointTask;
using optimize::MeanModel;
using privacy::Adjacency;

/// A record of two numbers and an indicator.
struct Record {
  std::vector<std::int16_t> features;
  double label;
};
using Records = std::vector<Record>;

inline Dataset make_dataset(const Records& records, Storage storage = Storage::dense) {
  Dataset dataset({.columns = 3, .norm_bound = 2, .storage = storage});
  for (const auto& record : records) dataset.append_dense(record.features, record.label);
  return dataset;
}

inline std::vector<std::int64_t> integers(const privacy::WeightedSum& sum) {
  const auto values = sum.open(mechanism::AccessKeys::key());
  return {values.begin(), values.end()};
}

inline std::vector<double> to_doubles(const privacy::WeightedSum& sum) {
  const auto values = integers(sum);
  return {values.begin(), values.end()};
}

inline privacy::WeightedSum sum_of(const Dataset& dataset, const JointTask& task,
                                   Adjacency adjacency = Adjacency::add_remove, int threads = 1) {
  base::ThreadPool pool(threads);
  return optimize::joint_sum(dataset, task, adjacency, pool);
}

inline constexpr std::int64_t moment = optimize::residual_units / 20;

inline JointShares shares_of(MeanModel mean, Adjacency adjacency) {
  const bool replaced = adjacency == Adjacency::replace_one;
  JointShares shares{
      .score = replaced ? optimize::residual_units : optimize::residual_units - moment,
      .moment = replaced ? 2 * moment : moment};
  if (mean == MeanModel::logistic) {
    shares.curvature = optimize::logistic_curvature_share(shares.score, shares.moment, adjacency);
  } else if (mean == MeanModel::poisson) {
    shares.curvature = 300000;
  } else if (replaced) {
    shares = {.score = optimize::residual_units - 150000,
              .curvature = 600000,
              .moment = 100000,
              .squares = 100000};
  } else {
    shares = {.score = optimize::residual_units - 400000,
              .curvature = 300000,
              .moment = 50000,
              .squares = 50000};
  }
  return shares;
}

/// A whitening without symmetry, the first two columns, their product and the constant.
inline JointTask task_of(MeanModel mean, Adjacency adjacency = Adjacency::add_remove) {
  JointTask task;
  task.design.columns = {{}, {{0}}, {{1}}, {{0, 1}}};
  task.design.absent = {2};
  Eigen::MatrixXd whitening(4, 4);
  whitening << 1.1, .2, 0, -.3, .4, 2.5, .1, 0, 0, .3, 1.9, .7, .2, 0, -.6, 1.2;
  const auto rounded = optimize::public_integers(whitening / 2048);
  task.whitening = rounded.integers;
  task.whitening_unit = rounded.unit;
  task.squared_reach = 3;
  const auto predictor = optimize::public_integers(Eigen::Vector4d(-.4, .8, -.5, .3) / 2048);
  task.predictor = predictor.integers.col(0);
  task.predictor_unit = predictor.unit;
  task.response = {.mean = mean, .cut = mean == MeanModel::poisson ? 7.0 : .6};
  if (mean == MeanModel::poisson) {
    task.response.largest = 20;
    task.response.curvature_bound = 1.1;
  }
  task.shares = shares_of(mean, adjacency);
  return task;
}

class RecordMaker {
 public:
  explicit RecordMaker(std::uint64_t seed) : bits_(seed) {}
  Record operator()(MeanModel mean) {
    const auto value = [&] {
      const auto kind = bits_() % 4;
      if (kind == 0) return std::int16_t{0};
      if (kind == 1) return static_cast<std::int16_t>(bits_() % 2 == 0 ? 2048 : -2048);
      return static_cast<std::int16_t>(static_cast<int>(bits_() % 4097) - 2048);
    };
    const auto absent = static_cast<std::int16_t>(bits_() % 9 == 0 ? 2048 : 0);
    Record record{{value(), value(), absent}, 0};
    const double uniform = static_cast<double>(bits_() % 4097) / 2048 - 1;
    record.label = mean == MeanModel::logistic  ? (bits_() % 3 == 0 ? 1 : -1)
                   : mean == MeanModel::poisson ? static_cast<double>(bits_() % 21) / 20
                                                : uniform;
    return record;
  }
  Records records(std::size_t count, MeanModel mean) {
    Records made;
    for (std::size_t i = 0; i < count; ++i) made.push_back((*this)(mean));
    return made;
  }
  std::uint64_t bits() { return bits_(); }

 private:
  std::mt19937_64 bits_;
};

inline constexpr std::array every_mean = {MeanModel::none, MeanModel::identity, MeanModel::logistic,
                                          MeanModel::poisson};

}  // namespace tacet::test::joint
