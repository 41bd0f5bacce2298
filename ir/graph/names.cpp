// The words for the enumerations of plan and graph, as reports and dumps print them.
#include "ir/graph/graph.h"

namespace sysdl {

std::string_view nameOf(CollectiveKind kind) {
  switch (kind) {
  case CollectiveKind::AllReduce: return "all_reduce";
  case CollectiveKind::AllGather: return "all_gather";
  case CollectiveKind::ReduceScatter: return "reduce_scatter";
  case CollectiveKind::AllToAll: return "all_to_all";
  case CollectiveKind::PointToPoint: return "point_to_point";
  }
  return {};
}

std::string_view nameOf(Phase phase) {
  switch (phase) {
  case Phase::Forward: return "forward";
  case Phase::Recompute: return "recompute";
  case Phase::Backward: return "backward";
  case Phase::Optimizer: return "optimizer";
  }
  return {};
}

}  // namespace sysdl
