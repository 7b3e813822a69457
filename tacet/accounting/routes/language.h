#pragma once

#include "tacet/base/work.h"
#include "tacet/privacy/adjacency.h"
#include "tacet/privacy/cipher_share.h"
#include "tacet/privacy/event.h"
#include "tacet/privacy/event_tree.h"
#include "tacet/privacy/guarantee.h"

/// The words of privacy/ that accountants use throughout.
namespace tacet::accounting {

using privacy::Adjacency;
using privacy::ApproximateDp;
using privacy::Assignment;
using privacy::BoundedRange;
using privacy::Composed;
using privacy::Delta;
using privacy::delta_left;
using privacy::DiscreteGaussian;
using privacy::DiscreteLaplace;
using privacy::distance_factor;
using privacy::each_release;
using privacy::Epsilon;
using privacy::Event;
using privacy::event_from_json;
using privacy::event_to_json;
using privacy::EventBox;
using privacy::FixedSizeSampled;
using privacy::fold;
using privacy::Gaussian;
using privacy::Guarantee;
using privacy::holds_somewhere;
using privacy::inside;
using privacy::kind_name;
using privacy::Laplace;
using privacy::no_event;
using privacy::NoiseMultiplier;
using privacy::ObjectivePerturbation;
using privacy::parse_adjacency;
using privacy::Partitioned;
using privacy::PoissonSampled;
using privacy::Profile;
using privacy::ProfilePoint;
using privacy::PureDp;
using privacy::RandomlyRepeated;
using privacy::Repeated;
using privacy::RepetitionLaw;
using privacy::SamplingRate;
using privacy::ScoreSelection;
using privacy::ShuffledLocal;
using privacy::stated_adjacency;
using privacy::StatesGuarantee;
using privacy::to_string;
using privacy::with_inside;
using privacy::Zcdp;

using base::WorkMeter;

}  // namespace tacet::accounting
