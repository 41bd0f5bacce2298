// Writes a graph for Graphviz: https://graphviz.org/doc/info/lang.html.
#include "driver/graph/dot.h"

#include <iterator>

#include "driver/kernel_cost.h"
#include "driver/names.h"
#include "driver/render/quantity.h"
#include "fmt/format.h"

namespace sysdl {
namespace {

/// A string in quotes. In labels Graphviz reads `\` as the start of an escape, so that all of ours are written here.
std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '\n') {
      result += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

/// Of a phase, so that one sees at a glance where a kernel runs.
std::string_view colorOf(Phase phase) {
  switch (phase) {
  case Phase::Forward: return "#d6e9f8";
  case Phase::Recompute: return "#fdf0c4";
  case Phase::Backward: return "#d9f0d3";
  case Phase::Optimizer: return "#eadcf2";
  }
  return "white";
}

class Writer {
public:
  Writer(const EvaluatedDesign& design, const NameTable& names, size_t id)
      : design_(design), graph_(*design.graph), model_(design.inputs->model),
        machine_(design.inputs->machine), names_(names), prefix_(fmt::format("d{}_", id)) {}

  std::string run(std::string_view designName) {
    open("", fmt::format("design {}: {} devices", designName, graph_.devices));
    open("stages", "stages");
    for (size_t c = 0; c < graph_.stages.size(); ++c) writeStage(c);
    close();
    for (size_t part = 0; part < graph_.parts.size(); ++part) writePart(part);
    for (size_t c = 0; c < graph_.stages.size(); ++c) linkStage(c);
    writeList("border", "stage border, forward", graph_.boundary);
    writeList("border_backward", "stage border, backward", graph_.boundaryBackward);
    writeList("tied", "tied parameters, once a step", graph_.tied);
    close();
    return std::move(text_);
  }

private:
  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    text_.append(2 * depth_, ' ');
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
  }

  std::string_view name(Name name) const { return names_.text(name); }

  void open(std::string_view cluster, std::string_view label) {
    line("subgraph {} {{", quoted(fmt::format("cluster_{}{}", prefix_, cluster)));
    ++depth_;
    line("label = {};", quoted(label));
  }
  void close() {
    --depth_;
    line("}}");
  }

  std::string idOf(const Issue& issue) const {
    return fmt::format("{}{}{}", prefix_, issue.collective ? "c" : "k", issue.index);
  }

  void writeStage(size_t c) {
    const StageClass& stage = graph_.stages[c];
    std::string label = stage.stages == 1
                            ? fmt::format("stage {}", stage.first)
                            : fmt::format("stages {} to {}: {} alike", stage.first,
                                          stage.first + stage.stages - 1, stage.stages);
    for (size_t i = 0; i < stage.chunks.size(); ++i) {
      std::string parts;
      for (size_t part = 0; part < stage.chunks[i].count.size(); ++part) {
        if (stage.chunks[i].count[part] == 0) continue;
        parts += fmt::format("{}{} x {}", parts.empty() ? "" : ", ", stage.chunks[i].count[part],
                             name(model_.parts[part].name));
      }
      label += stage.chunks.size() > 1 ? fmt::format("\nchunk {}: {}", i, parts) : "\n" + parts;
    }
    line("{}s{} [shape = box3d, label = {}];", prefix_, c, quoted(label));
  }

  /// From a stage class to the parts that it holds.
  void linkStage(size_t c) {
    for (size_t part = 0; part < graph_.parts.size(); ++part) {
      int64_t count = 0;
      for (const Chunk& chunk : graph_.stages[c].chunks) count += chunk.count[part];
      if (count == 0 || first_[part].empty()) continue;
      line("{}s{} -> {} [lhead = {}, style = dashed, arrowhead = none, label = \"{} x\"];", prefix_,
           c, first_[part], quoted(fmt::format("cluster_{}p{}", prefix_, part)), count);
    }
  }

  void writePart(size_t id) {
    const PartGraph& part = graph_.parts[id];
    open(fmt::format("p{}", id),
         fmt::format("{} x {}\nkept {}, weights {}", name(model_.parts[id].name),
                     model_.parts[id].repeat, withPrefix(part.keptBytes, "B"),
                     withPrefix(part.weightBytes, "B")));
    first_.emplace_back();
    std::string before;
    for (const auto* issues : {&part.forward, &part.recompute, &part.backward, &part.optimizer}) {
      bool next = false;  // within the phase
      for (const Issue& issue : *issues) {
        const std::string node = idOf(issue);
        if (issue.collective)
          writeCollective(issue.index);
        else
          writeKernel(issue.index);
        if (first_.back().empty()) first_.back() = node;
        if (!before.empty()) line("{} -> {}{};", before, node, next ? "" : " [style = dashed]");
        if (issue.waitsFor != kNone) {
          line("{} -> {} [style = dotted, constraint = false, label = \"waits\"];",
               idOf({true, issue.waitsFor}), node);
        }
        before = node;
        next = true;
      }
    }
    close();
  }

  void writeKernel(uint32_t index) {
    const KernelNode& node = graph_.kernels[index];
    const Operation& operation = model_.parts[node.part].operations[node.operation];
    Name kernel = operation.kernels[node.kernel].name;
    std::string label =
        fmt::format("{}{}{}", name(operation.name), kernel ? "." : "", name(kernel));
    std::string sizes;
    for (size_t i = 0; i < operation.sizes.size(); ++i) {
      sizes +=
          fmt::format("{}{}={}", sizes.empty() ? "" : " ",
                      name(model_.axes[operation.sizes[i]].name), graph_.localSizes[node.sizes][i]);
    }
    if (!sizes.empty()) label += "\n" + sizes;
    const KernelResult& cost = design_.results->kernels[index];
    label += "\n" + costText(cost, names_);
    line("{}k{} [shape = box, style = filled, fillcolor = \"{}\", label = {}];", prefix_, index,
         colorOf(node.phase), quoted(label));
  }

  void writeCollective(uint32_t index) {
    const CollectiveNode& node = graph_.collectives[index];
    std::string levels;
    for (size_t level = 0; level < node.group.ranksOnLevel.size(); ++level) {
      if (node.group.ranksOnLevel[level] == 1) continue;
      levels += fmt::format("{}{} {}", levels.empty() ? "" : " * ", node.group.ranksOnLevel[level],
                            name(machine_.levels[level].name));
    }
    const CollectiveResult& cost = design_.results->collectives[index];
    std::string label = fmt::format(
        "{} {}\nover {}, {} ranks ({})\n{}: {}, {} exposed", nameOf(node.kind), name(node.name),
        axesOf(design_, node, names_), node.group.ranks, levels, withPrefix(node.bytes, "B"),
        withPrefix(cost.time, "s"), withPrefix(cost.exposed, "s"));
    if (cost.algorithm) label += fmt::format("\n{}", name(cost.algorithm));
    if (!node.why.empty()) label += "\n" + node.why;
    line("{}c{} [shape = ellipse, style = {}, fillcolor = \"{}\", label = {}];", prefix_, index,
         node.overlappable ? "\"filled,dashed\"" : "filled", colorOf(node.phase), quoted(label));
  }

  void writeList(std::string_view cluster, std::string_view label,
                 const std::vector<uint32_t>& list) {
    if (list.empty()) return;
    open(cluster, label);
    std::string before;
    for (uint32_t index : list) {
      writeCollective(index);
      const std::string node = idOf({true, index});
      if (!before.empty()) line("{} -> {};", before, node);
      before = node;
    }
    close();
  }

  const EvaluatedDesign& design_;
  const Graph& graph_;
  const Model& model_;
  const Machine& machine_;
  const NameTable& names_;
  std::string prefix_;
  size_t depth_ = 1;
  std::vector<std::string> first_;  // by part: its first node
  std::string text_;
};

}  // namespace

std::string dotOf(const ChosenDesign& chosen, const EvaluatedDesign& design, size_t id) {
  const NameTable& names = chosen.file->session->names;
  return Writer(design, names, id).run(names.text(chosen.name));
}

std::string dotFile(const std::string& clusters) {
  return "digraph sysdl {\n"
         "  compound = true;\n"
         "  node [fontname = \"Helvetica\", fontsize = 10];\n"
         "  edge [fontname = \"Helvetica\", fontsize = 9];\n" +
         clusters + "}\n";
}

}  // namespace sysdl
