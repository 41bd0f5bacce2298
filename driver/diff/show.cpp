// What `diff` prints.
#include "driver/diff/show.h"

#include <algorithm>
#include <cmath>

#include "driver/render/utf8.h"
#include "fmt/format.h"

namespace sysdl {
namespace {

/// Results that a reader looks at first: the causes of their moves are listed.
constexpr std::string_view kLeading[] = {"step_time", "memory.peak", "cost.per_million_tokens"};

char signOf(Change::What what) {
  return what == Change::What::Added ? '+' : what == Change::What::Removed ? '-' : '~';
}

std::string_view wordOf(Change::What what) {
  return what == Change::What::Added     ? "added"
         : what == Change::What::Removed ? "removed"
                                         : "changed";
}

std::string relative(double from, double to) {
  if (from == 0) return "";
  double percent = (to - from) / std::abs(from) * 100;
  return fmt::format("{:+.{}f} %", percent, std::abs(percent) < 0.05 ? 4 : 1);
}

size_t widest(const auto& items, auto width) {
  size_t most = 0;
  for (const auto& item : items) most = std::max(most, width(item));
  return most;
}

}  // namespace

std::string Shower::quantity(double number, const check::Value& like) {
  check::Checker& c = *session_.checker;
  return c.text(c.realValue(number, like.dimension, {}));
}

std::string Shower::nameOf(const Attribution& a, size_t group) {
  std::string name;
  for (size_t i : a.groups[group])
    name += fmt::format("{}{}", name.empty() ? "" : " with ", a.changes[i].path);
  return name;
}

std::string Shower::changes(const Attribution& a) {
  std::string text;
  auto values = [](const Change& change) {
    if (change.what == Change::What::Added) return change.after;
    if (change.what == Change::What::Removed) return change.before;
    return fmt::format("{} -> {}", change.before, change.after);
  };
  size_t path = widest(a.changes, [](const Change& c) { return c.path.size(); });
  size_t value =
      std::min<size_t>(40, widest(a.changes, [&](const Change& c) { return values(c).size(); }));
  for (const Change& change : a.changes) {
    LineColumn at = session_.sources.resolve(change.place.begin);
    text += fmt::format("  {} {:<{}}  {:<{}}  {}:{}\n", signOf(change.what), change.path, path,
                        values(change), value, at.path, at.line);
  }
  return text;
}

std::string Shower::shares(const Attribution& a, const Move& move, size_t width) {
  std::vector<size_t> order(move.shares.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, [&](size_t x, size_t y) {
    return std::abs(move.shares[x]) > std::abs(move.shares[y]);
  });
  std::string text;
  double total = std::abs(move.to - move.from);
  auto line = [&](const std::string& name, double share) {
    std::string amount = quantity(std::abs(share), move.after);
    text += fmt::format("      {:<{}}  {}{}\n", name, width, share < 0 ? "-" : "+", amount);
  };
  for (size_t i : order) {
    if (std::abs(move.shares[i]) > 1e-9 * total) line(nameOf(a, i), move.shares[i]);
  }
  if (move.rest != 0) line("formulas, blocks and rules", move.rest);
  return text;
}

std::string Shower::moves(const Compared& compared) {
  const Attribution& a = compared.attribution;
  std::string text;
  size_t path = std::max<size_t>(24, widest(a.moves, [](const Move& m) { return m.path.size(); }));
  for (const Move& move : a.moves) {
    std::string from = quantity(move.from, move.before), to = quantity(move.to, move.after);
    std::string values = fmt::format("{} -> {}", from, to);
    text += fmt::format("    {:<{}}  {:<26}  {}\n", move.path, path, values,
                        relative(move.from, move.to));
    bool leading = std::ranges::find(kLeading, move.path) != std::end(kLeading);
    // With one cause there is nothing to tell apart.
    bool several = a.groups.size() + (move.rest != 0) > 1;
    if ((leading || !compared.isDesign) && several) text += shares(a, move, path - 2);
  }
  return text;
}

std::string Shower::text(const std::vector<Compared>& all) {
  if (all.empty()) return "no input and no result differs\n";
  std::string text;
  for (const Compared& compared : all) {
    if (!text.empty()) text += "\n";
    text += fmt::format("{} {}", compared.kind, compared.name);
    if (compared.what != Compared::What::Both) {
      bool added = compared.what == Compared::What::Added;
      text += fmt::format(": only in {}\n", added ? after_ : before_);
      continue;
    }
    text += "\n" + changes(compared.attribution);
    if (compared.attribution.moves.empty()) {
      text += "  nothing that follows moves\n";
      continue;
    }
    text += fmt::format("  {}\n", compared.isDesign ? "results" : "what follows") + moves(compared);
    if (!compared.attribution.exact) text += "  causes: mean of the order above and its reverse\n";
  }
  // Names may hold anything that a file may.
  for (size_t at = 0; (at = text.find(" \n", at)) != std::string::npos;)
    text.erase(at, 1), at -= at > 0;
  return text;
}

void Shower::json(JsonWriter& json, const Attribution& a) {
  json.key("changes");
  json.beginArray();
  for (const Change& change : a.changes) {
    json.beginObject(JsonWriter::Inline);
    json.member("what", wordOf(change.what));
    json.member("path", change.path);
    json.member("before", change.before);
    json.member("after", change.after);
    LineColumn at = session_.sources.resolve(change.place.begin);
    json.member("file", at.path);
    json.member("line", at.line);
    json.endObject();
  }
  json.endArray();
  json.member("method", a.exact ? "shapley" : "two_orders");
  json.key("moves");
  json.beginArray();
  for (const Move& move : a.moves) {
    json.beginObject(JsonWriter::Inline);
    json.member("path", move.path);
    json.member("before", move.from);
    json.member("after", move.to);
    json.key("causes");
    json.beginArray();
    for (size_t g = 0; g < move.shares.size(); ++g) {
      json.beginObject();
      json.key("changes");
      json.beginArray();
      for (size_t i : a.groups[g]) json.value(a.changes[i].path);
      json.endArray();
      json.member("amount", move.shares[g]);
      json.endObject();
    }
    json.endArray();
    json.member("other", move.rest);
    json.endObject();
  }
  json.endArray();
}

void Shower::json(JsonWriter& json, const std::vector<Compared>& all) {
  json.member("before", before_);
  json.member("after", after_);
  json.key("records");
  json.beginArray();
  for (const Compared& compared : all) {
    json.beginObject();
    json.member("name", compared.name);
    json.member("kind", compared.kind);
    json.member("what", compared.what == Compared::What::Both    ? "changed"
                        : compared.what == Compared::What::Added ? "added"
                                                                 : "removed");
    this->json(json, compared.attribution);
    json.endObject();
  }
  json.endArray();
}

}  // namespace sysdl
