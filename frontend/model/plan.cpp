// Plans: mesh, placement rules and schedule from a record of schema `plan`.
#include <algorithm>

#include "fmt/format.h"
#include "frontend/model/design.h"

namespace sysdl {

using namespace check;
using syntax::Kind;
using syntax::Node;

namespace {

class PlanReader {
public:
  PlanReader(Checker& checker, Record* record, const Model& model, Plan& plan)
      : c_(checker), record_(record), model_(model), plan_(plan) {}

  bool read() {
    bool ok = readMesh();
    for (const Rule& rule : record_->placements) ok &= readPlacement(rule);
    return ok && readSchedule() && readRecompute();
  }

private:
  const syntax::Tree& treeOf(const Rule& rule) { return record_->layers[rule.layer].module->tree; }

  /// `mesh NAME = [tp, dp]`
  struct View {
    Name name;
    std::vector<MeshAxisId> axes;
    Span span;
  };

  bool readMesh() {
    std::vector<View> views;
    for (const Rule& rule : record_->placements) {
      const syntax::Tree& t = treeOf(rule);
      if (t[rule.node].kind != Kind::Child) continue;
      NodeId list = t.child(rule.node, 2);
      if (!list.valid() || t[list].kind != Kind::List) {
        c_.diagnostics.report(Code::E0110, t[rule.node].span,
                              "a mesh lists its axes, innermost first",
                              "write `mesh dense = [tp, dp, pp]`");
        return false;
      }
      std::vector<MeshAxisId> view;
      for (NodeId item : t.children(list)) {
        auto degree = c_.integer(c_.evaluate(item, c_.frameOf(record_, rule.layer)), t[item].span);
        if (!degree) return false;
        auto known = std::ranges::find(plan_.mesh, t[item].name, &MeshAxis::name);
        view.push_back(static_cast<MeshAxisId>(known - plan_.mesh.begin()));
        if (known != plan_.mesh.end()) continue;
        MeshAxis axis;
        axis.name = t[item].name;
        axis.degree = *degree;
        axis.span = spanOf(axis.name, t[item].span);
        plan_.mesh.push_back(axis);
      }
      // A plan that says more than its base may give a view of that name anew.
      auto named = std::ranges::find(views, t[rule.node].name, &View::name);
      if (named == views.end()) named = views.insert(views.end(), View{});
      *named = {t[rule.node].name, std::move(view), t[rule.node].span};
    }
    for (View& view : views) {
      if (!plan_.views.empty() && !nests(view.axes, view.span)) return false;
      plan_.views.push_back(std::move(view.axes));
    }
    if (plan_.mesh.empty()) {
      c_.diagnostics.report(Code::E0302, record_->span, "this plan has no mesh",
                            "write `mesh dense = [tp, dp, pp]`");
      return false;
    }
    return true;
  }

  /// The positions of a view's axes among the devices: products of degrees, from the inside out.
  std::vector<int64_t> positionsOf(const std::vector<MeshAxisId>& view) const {
    std::vector<int64_t> positions{1};
    for (MeshAxisId axis : view) {
      int64_t next = 0;
      if (__builtin_mul_overflow(positions.back(), plan_.mesh[axis].degree, &next))
        next = INT64_MAX;
      positions.push_back(next);
    }
    return positions;
  }

  std::string degreesOf(const std::vector<MeshAxisId>& view) const {
    std::string text;
    for (MeshAxisId axis : view) {
      text += fmt::format("{}{} {}", text.empty() ? "" : " x ", c_.str(plan_.mesh[axis].name),
                          plan_.mesh[axis].degree);
    }
    return text;
  }

  /// Whether another view numbers the same devices, and its axes' borders nest with those of the first, so
  /// that each group of the one is made of whole groups of the other; an axis in both lies alike. E0511.
  bool nests(const std::vector<MeshAxisId>& view, Span span) {
    const std::vector<MeshAxisId>& first = plan_.views.front();
    std::vector<int64_t> own = positionsOf(view), other = positionsOf(first);
    std::string why;
    if (own.back() != other.back()) {
      why = fmt::format("{} = {}, but {} = {}", degreesOf(view), own.back(), degreesOf(first),
                        other.back());
    }
    std::vector<int64_t> all = own;
    all.insert(all.end(), other.begin(), other.end());
    std::ranges::sort(all);
    for (size_t i = 0; i + 1 < all.size() && why.empty(); ++i) {
      if (all[i + 1] % all[i] == 0) continue;
      why = fmt::format("a group of {} devices does not lie in one of {}", all[i], all[i + 1]);
    }
    for (size_t i = 0; i < view.size() && why.empty(); ++i) {
      auto same = std::ranges::find(first, view[i]);
      if (same == first.end()) continue;
      if (other[static_cast<size_t>(same - first.begin())] != own[i])
        why =
            fmt::format("`{}` does not lie on the same devices", c_.str(plan_.mesh[view[i]].name));
    }
    if (why.empty()) return true;
    Span at = span;
    for (MeshAxisId axis : view) {
      if (std::ranges::find(first, axis) == first.end() && plan_.mesh[axis].degree > 1)
        at = plan_.mesh[axis].span;
    }
    c_.diagnostics
        .report(Code::E0511, at, "expert groups do not tile the data-parallel groups", why)
        .label(span, "this view of the devices")
        .note(fmt::format("{} = {}", degreesOf(first), other.back()))
        .note(fmt::format("{} = {}", degreesOf(view), own.back()));
    return false;
  }

  /// Where the degree of a mesh axis was set.
  Span spanOf(Name field, Span otherwise) {
    auto found = record_->schema->index.find(field.id);
    if (found == record_->schema->index.end()) return otherwise;
    Span span = record_->slots[found->second].definition.span;
    return span.valid() ? span : otherwise;
  }

  std::optional<MeshAxisId> meshAxis(Name name, Span span) {
    for (MeshAxisId i = 0; i < plan_.mesh.size(); ++i) {
      if (plan_.mesh[i].name == name) return i;
    }
    c_.diagnostics.report(Code::E0201, span,
                          fmt::format("the mesh has no axis `{}`", c_.str(name)));
    return std::nullopt;
  }

  /// `tp` or `dp * cp`: mesh axes, innermost first as written.
  bool meshAxes(const syntax::Tree& t, NodeId node, std::vector<MeshAxisId>& result) {
    const Node& n = t[node];
    if (n.kind == Kind::Group) return meshAxes(t, t.child(node, 0), result);
    if (n.kind == Kind::Binary && n.op == syntax::Op::Multiply) {
      return meshAxes(t, t.child(node, 0), result) && meshAxes(t, t.child(node, 1), result);
    }
    if (n.kind != Kind::Ref) {
      c_.diagnostics.report(Code::E0110, n.span, "mesh axes are named, as in `dp` or `dp * cp`");
      return false;
    }
    auto axis = meshAxis(n.name, n.span);
    if (axis) result.push_back(*axis);
    return axis.has_value();
  }

  /// Whether a placement's `if` holds; empty after an error.
  std::optional<bool> applies(const Rule& rule, NodeId condition) {
    if (!condition.valid()) return true;
    const syntax::Tree& t = treeOf(rule);
    Value value = c_.evaluate(condition, c_.frameOf(record_, rule.layer));
    if (value.bad()) return std::nullopt;
    if (!value.scalar() || value.number != Number::Bool) {
      c_.diagnostics.report(Code::E0502, t[condition].span, "a condition is true or false");
      return std::nullopt;
    }
    auto known = c_.integer(value, t[condition].span);
    return known ? std::optional(*known != 0) : std::nullopt;
  }

  AxisId axisOf(Name name) {
    for (AxisId i = 0; i < model_.axes.size(); ++i) {
      if (model_.axes[i].name == name) return i;
    }
    return kNone;
  }

  bool readPlacement(const Rule& rule) {
    const syntax::Tree& t = treeOf(rule);
    const Node& n = t[rule.node];
    if (n.kind == Kind::Child) return true;
    if (n.kind == Kind::Stages) {
      std::vector<MeshAxisId> over;
      if (!meshAxes(t, t.child(rule.node, 0), over)) return false;
      plan_.stages = over.front();
      return true;
    }
    auto active = applies(rule, t.child(rule.node, 2));
    if (!active) return false;
    if (!*active) return true;
    std::vector<MeshAxisId> over;
    if (!meshAxes(t, t.child(rule.node, 1), over)) return false;
    for (NodeId word : t.children(t.child(rule.node, 0))) {
      bool ok = n.kind == Kind::Shard ? addShard(rule, word, over) : addStore(rule, word, over);
      if (!ok) return false;
    }
    return true;
  }

  bool addShard(const Rule& rule, NodeId word, const std::vector<MeshAxisId>& over) {
    const syntax::Tree& t = treeOf(rule);
    ShardRule shard;
    // A rule for an axis that this model does not have waits for one that has it.
    shard.axis = axisOf(t[word].name);
    if (shard.axis == kNone) return true;
    NodeId where = t.child(rule.node, 3);
    if (where.valid() && c_.str(t[where].name) != "residual") {
      c_.diagnostics.report(Code::E0110, t[where].span,
                            "the one place that can be named is `residual`");
      return false;
    }
    shard.residualOnly = where.valid();
    shard.over = over;
    shard.span = t[rule.node].span;
    if (shard.axis == model_.batch) plan_.data = over.front();
    plan_.shards.push_back(std::move(shard));
    return true;
  }

  bool addStore(const Rule& rule, NodeId word, const std::vector<MeshAxisId>& over) {
    const syntax::Tree& t = treeOf(rule);
    std::string_view what = c_.str(t[word].name);
    StoreRule store;
    if (what == "weights")
      store.what = Stored::Weights;
    else if (what == "gradients")
      store.what = Stored::Gradients;
    else if (what == "optimizer_state")
      store.what = Stored::OptimizerState;
    else {
      c_.diagnostics.report(Code::E0201, t[word].span, fmt::format("`{}` is not stored", what),
                            "expected `weights`, `gradients` or `optimizer_state`");
      return false;
    }
    store.over = over;
    store.span = t[rule.node].span;
    plan_.stores.push_back(std::move(store));
    return true;
  }

  bool readSchedule() {
    Value schedule = c_.get(record_, "schedule");
    if (schedule.kind != ValueKind::Record) return false;
    static constexpr std::pair<std::string_view, ScheduleKind> kKinds[] = {
        {"gpipe", ScheduleKind::GPipe},
        {"one_forward_one_backward", ScheduleKind::OneForwardOneBackward},
        {"interleaved", ScheduleKind::Interleaved},
        {"zero_bubble_h1", ScheduleKind::ZeroBubbleH1},
        {"zero_bubble_v", ScheduleKind::ZeroBubbleV},
        {"dual_pipe", ScheduleKind::DualPipe},
    };
    std::string_view name = c_.str(schedule.record->schema->name);
    auto kind = std::ranges::find(kKinds, name, &std::pair<std::string_view, ScheduleKind>::first);
    if (kind == std::end(kKinds)) {
      c_.diagnostics
          .report(Code::E0305, schedule.record->span, fmt::format("no scheduler knows `{}`", name))
          .helpText("use one of std.plan's, such as `one_forward_one_backward` or "
                    "`interleaved(chunks = 2)`");
      return false;
    }
    plan_.schedule.kind = kind->second;
    if (kind->second == ScheduleKind::ZeroBubbleV) {
      plan_.schedule.postValidation =
          c_.integer(c_.get(schedule.record, "post_validation"), schedule.record->span) == 1;
    }
    auto chunks = c_.integer(c_.get(schedule.record, "chunks"), schedule.record->span);
    if (!chunks) return false;
    plan_.schedule.chunks = *chunks;
    // With one stage there is nothing to interleave between.
    if (plan_.stages == kNone || plan_.mesh[plan_.stages].degree == 1)
      plan_.schedule = {ScheduleKind::OneForwardOneBackward, 1};
    return true;
  }

  bool readRecompute() {
    Value recompute = c_.get(record_, "recompute");
    if (recompute.kind != ValueKind::Word) return false;
    std::string_view word = c_.text(recompute) == "full"        ? "full"
                            : c_.text(recompute) == "selective" ? "selective"
                                                                : "none";
    plan_.recompute = word == "full"        ? Recompute::Full
                      : word == "selective" ? Recompute::Selective
                                            : Recompute::None;
    auto flag = [&](std::string_view field) {
      return c_.integer(c_.get(record_, field), record_->span).value_or(0) != 0;
    };
    plan_.overlapBackward = flag("overlap_backward");
    plan_.overlapGradients = flag("overlap_gradients");
    plan_.overlapWeights = flag("overlap_weights");
    plan_.keepGathered = flag("keep_gathered");
    plan_.scatterGather = flag("scatter_gather");
    plan_.endsAsLayers = flag("ends_as_layers");
    return readStageLayers();
  }

  bool readStageLayers() {
    Value list = c_.get(record_, "stage_layers");
    if (list.kind != ValueKind::List) return false;
    for (const Value& item : list.list->items) {
      auto layers = c_.integer(item, record_->span);
      if (!layers) return false;
      if (*layers < 0) {
        c_.diagnostics.report(Code::E0515, record_->span,
                              fmt::format("`stage_layers` has {} layers in a piece", *layers));
        return false;
      }
      plan_.stageLayers.push_back(*layers);
    }
    return true;
  }

  Checker& c_;
  Record* record_;
  const Model& model_;
  Plan& plan_;
};

}  // namespace

bool readPlan(Checker& checker, Record* plan, const Model& model, Plan& result) {
  return PlanReader(checker, plan, model, result).read();
}

}  // namespace sysdl
