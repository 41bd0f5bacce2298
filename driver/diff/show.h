// A comparison as text for people and as JSON for scripts.
#pragma once

#include <string>
#include <vector>

#include "driver/diff/changes.h"
#include "driver/json.h"

namespace sysdl {

/// Two records of one name, or one that only one side has.
struct Compared {
  enum class What { Both, Added, Removed };
  std::string name, kind;
  Attribution attribution;
  What what = What::Both;
  bool isDesign = false;

  bool same() const { return attribution.changes.empty() && attribution.moves.empty(); }
};

class Shower {
public:
  Shower(Session& session, std::string before, std::string after)
      : session_(session), before_(std::move(before)), after_(std::move(after)) {}

  std::string text(const std::vector<Compared>& all);
  /// The members `before`, `after` and `records` of an object that has begun.
  void json(JsonWriter& json, const std::vector<Compared>& all);

private:
  std::string changes(const Attribution& a);
  std::string moves(const Compared& compared);
  std::string shares(const Attribution& a, const Move& move, size_t width);
  std::string nameOf(const Attribution& a, size_t group);
  std::string quantity(double number, const check::Value& like);
  void json(JsonWriter& json, const Attribution& a);

  Session& session_;
  std::string before_, after_;
};

}  // namespace sysdl
