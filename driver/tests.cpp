// Evaluating what tests expect.
#include "driver/tests.h"

#include <algorithm>
#include <cmath>
#include <compare>

#include "driver/render/quantity.h"
#include "fmt/format.h"
#include "frontend/syntax/dump.h"

namespace sysdl {

using check::Checker;
using check::Frame;
using check::Module;
using check::Value;
using syntax::Kind;
using syntax::NodeId;
using syntax::Op;

namespace {

bool compares(Op op) {
  switch (op) {
  case Op::Equal:
  case Op::NotEqual:
  case Op::Less:
  case Op::LessEqual:
  case Op::Greater:
  case Op::GreaterEqual: return true;
  default: return false;
  }
}

/// An `expect`, read and typed: a comparison or a plain condition.
struct Expect {
  Span span;        // of what is expected
  Value condition;  // true or false; Bad where two numbers are compared
  Op op = Op::None;
  NodeId left, right;  // of a comparison
  Value a, b;
  bool numbers = false;  // `a` and `b` are numbers of the same dimension
  NodeId toleranceNode;
  Value tolerance;
  bool absolute = false;  // the tolerance is a quantity, not a share
};

class TestRun {
public:
  TestRun(Session& session, Module& module, NodeId test)
      : session_(session), checker_(*session.checker), tree_(module.tree), test_(test),
        body_(tree_.child(test, 0)), frame_(checker_.newFrame(&module.frame, &module)) {}

  /// Reads all statements; what is wrong with them is reported.
  std::vector<Expect> read() {
    for (NodeId member : tree_.children(body_)) {
      if (tree_[member].kind == Kind::Let) bindLet(member);
    }
    std::vector<Expect> expects;
    for (NodeId member : tree_.children(body_)) {
      switch (tree_[member].kind) {
      case Kind::Let: break;
      case Kind::Bad: ++expectCount_; break;  // it may have been one
      case Kind::Origin: source_ = session_.names.text(tree_[member].text); break;
      case Kind::Expect:
        ++expectCount_;
        if (auto expect = readExpect(member)) expects.push_back(*expect);
        break;
      default:
        report(Code::E0110, tree_[member].span,
               "a test holds `let`, `source` and `expect`, and nothing else");
      }
    }
    if (expectCount_ == 0) {
      Span title = tree_[test_].nameSpan;
      report(Code::E0802, title.valid() ? title : tree_[test_].span, "this test expects nothing")
          .helpText("add what must hold, as in `expect baseline.step_time == 13.75 s within 5%`");
    }
    return expects;
  }

  /// Reads all statements, and checks the designs that they look at, also those that only they make.
  void check() {
    for (const Expect& expect : read()) {
      for (const Value* value : {&expect.a, &expect.b, &expect.condition, &expect.tolerance}) {
        if (!value->scalar()) continue;
        for (FormulaId input : checker_.formulas.unboundInputs(value->formula)) {
          auto owner = checker_.resultOwners.find(input.index);
          if (owner == checker_.resultOwners.end() || !owner->second) continue;
          bool isDesign = owner->second->schema->is(checker_.preludeSchema("design"));
          if (isDesign) session_.checkDesign(owner->second->label, owner->second);
        }
      }
    }
  }

  TestOutcome run() {
    TestOutcome outcome;
    outcome.title = session_.names.text(tree_[test_].text);
    outcome.line = session_.sources.resolve(tree_[test_].span.begin).line;
    std::vector<Expect> expects = read();
    outcome.source = source_;
    outcome.passed = expectCount_ > 0 && expects.size() == expectCount_;
    for (const Expect& expect : expects) {
      outcome.expectations.push_back(judge(expect));
      outcome.passed &= outcome.expectations.back().holds;
    }
    return outcome;
  }

private:
  Diagnostic& report(Code code, Span span, std::string message, std::string label = {}) {
    return session_.diagnostics.report(code, span, std::move(message), std::move(label));
  }
  std::string_view sourceOf(NodeId node) const { return session_.sources.text(tree_[node].span); }

  NodeId bare(NodeId node) const {
    while (tree_[node].kind == Kind::Group) node = tree_.child(node, 0);
    return node;
  }

  /// Evaluates a `let`, those that it names first: their order carries no meaning.
  void bindLet(NodeId let) {
    if (std::ranges::count(bound_, let)) return;
    if (std::ranges::count(binding_, let)) {
      report(Code::E0310, tree_[let].nameSpan,
             fmt::format("`{}` depends on itself", session_.names.text(tree_[let].name)));
      return;
    }
    binding_.push_back(let);
    bindNamed(tree_.child(let, 0));
    binding_.pop_back();
    bound_.push_back(let);
    frame_->locals.emplace_back(tree_[let].name, checker_.evaluate(tree_.child(let, 0), frame_));
  }

  void bindNamed(NodeId node) {
    if (!node.valid()) return;
    if (tree_[node].kind == Kind::Ref) {
      for (NodeId member : tree_.children(body_)) {
        if (tree_[member].kind == Kind::Let && tree_[member].name == tree_[node].name)
          bindLet(member);
      }
    }
    for (NodeId child : tree_.children(node)) bindNamed(child);
  }

  std::optional<Expect> readExpect(NodeId member) {
    Expect expect;
    NodeId node = bare(tree_.child(member, 0));
    expect.span = tree_[node].span;
    if (tree_[node].kind == Kind::Binary && compares(tree_[node].op)) {
      expect.op = tree_[node].op;
      expect.left = tree_.child(node, 0);
      expect.right = tree_.child(node, 1);
      expect.a = checker_.evaluate(expect.left, frame_);
      expect.b = checker_.evaluate(expect.right, frame_);
      if (expect.a.bad() || expect.b.bad()) return std::nullopt;
      expect.numbers =
          isNumber(expect.a) && isNumber(expect.b) && expect.a.dimension == expect.b.dimension;
    }
    // Numbers are compared here: to evaluate both sides once more would make their designs anew.
    if (!expect.numbers && !readCondition(expect, node)) return std::nullopt;
    NodeId tolerance = tree_.childCountOf(member) > 1 ? tree_.child(member, 1) : NodeId();
    if (tolerance.valid() && !readTolerance(expect, tolerance)) return std::nullopt;
    return expect;
  }

  static bool isNumber(const Value& value) {
    return value.scalar() && value.number != Number::Bool;
  }

  bool readCondition(Expect& expect, NodeId node) {
    expect.condition = checker_.evaluate(node, frame_);
    if (expect.condition.bad()) return false;
    if (expect.condition.scalar() && expect.condition.number == Number::Bool) return true;
    report(Code::E0502, expect.span,
           fmt::format("what is expected is true or false, not {}",
                       checker_.describeKind(expect.condition)))
        .helpText("compare it, as in `expect a == b within 5%`");
    return false;
  }

  bool readTolerance(Expect& expect, NodeId node) {
    expect.toleranceNode = node;
    expect.tolerance = checker_.evaluate(node, frame_);
    const Value& tolerance = expect.tolerance;
    if (tolerance.bad()) return false;
    if (expect.op != Op::Equal || !expect.numbers) {
      report(Code::E0313, expect.span, "`within` needs two numbers and `==` between them",
             "not of the form `a == b`")
          .label(tree_[node].span, "the tolerance");
      return false;
    }
    expect.absolute = isNumber(tolerance) && !tolerance.dimension.none();
    bool fits = !expect.absolute || tolerance.dimension == expect.b.dimension;
    if (isNumber(tolerance) && fits) return true;
    report(Code::E0402, tree_[node].span,
           fmt::format("the tolerance is {}", checker_.describeKind(tolerance)),
           "not a share of what is expected, nor of its dimension")
        .label(tree_[expect.right].span, checker_.describeKind(expect.b))
        .helpText("write a share, such as `within 5%`, or an amount of the same dimension");
    return false;
  }

  /// Evaluates the designs that a value waits for; says so where it cannot be known.
  bool settle(const Value& value, Span span) {
    size_t errors = session_.diagnostics.errorCount();
    bool known = session_.settle(value.formula) && checker_.formulas.resolve(value.formula);
    if (known) return true;
    checker_.real(value, span);  // reports what is wrong with it
    if (session_.diagnostics.errorCount() == errors && !seenErrors_) {
      report(Code::E0801, span, "what is expected cannot be judged", "has no value");
    }
    return false;
  }

  Expectation judge(const Expect& expect) {
    Expectation outcome;
    outcome.text = expect.left.valid() ? sourceOf(expect.left) : session_.sources.text(expect.span);
    if (expect.toleranceNode.valid()) outcome.tolerance = sourceOf(expect.toleranceNode);
    seenErrors_ = session_.diagnostics.hasErrors();
    if (!expect.numbers) return judgeCondition(expect, std::move(outcome));
    if (!settle(expect.a, tree_[expect.left].span)) return outcome;
    if (!settle(expect.b, tree_[expect.right].span)) return outcome;
    outcome.predictedNumber = numberOf(expect.a);
    outcome.expectedNumber = numberOf(expect.b);
    outcome.predicted = shown(expect.a, expect);
    outcome.expected = shown(expect.b, expect);
    if (expect.toleranceNode.valid()) return judgeWithin(expect, std::move(outcome));
    outcome.holds = holds(expect);
    if (expect.op != Op::Equal) {
      outcome.expected.insert(0, fmt::format("{} ", syntax::signOf(expect.op)));
    }
    if (!outcome.holds) reportFailure(expect, outcome, {});
    return outcome;
  }

  /// A comparison of two numbers, exact where both are whole.
  bool holds(const Expect& expect) {
    auto a = checker_.formulas.resolve(expect.a.formula),
         b = checker_.formulas.resolve(expect.b.formula);
    std::partial_ordering order = std::partial_ordering::unordered;
    if (expect.a.number == Number::Int && expect.b.number == Number::Int)
      order = a->integer <=> b->integer;
    else
      order = *numberOf(expect.a) <=> *numberOf(expect.b);
    switch (expect.op) {
    case Op::Equal: return order == 0;
    case Op::NotEqual: return order != 0;
    case Op::Less: return order < 0;
    case Op::LessEqual: return order <= 0;
    case Op::Greater: return order > 0;
    default: return order >= 0;
    }
  }

  Expectation judgeCondition(const Expect& expect, Expectation outcome) {
    if (!settle(expect.condition, expect.span)) return outcome;
    outcome.holds = checker_.formulas.resolve(expect.condition.formula)->integer != 0;
    outcome.predicted = outcome.holds ? "true" : "false";
    outcome.expected = "true";
    if (expect.left.valid()) {
      outcome.predicted = checker_.text(expect.a);
      outcome.expected =
          fmt::format("{}{}", expect.op == Op::Equal ? "" : "!= ", checker_.text(expect.b));
    }
    if (!outcome.holds) reportFailure(expect, outcome, {});
    return outcome;
  }

  Expectation judgeWithin(const Expect& expect, Expectation outcome) {
    if (!settle(expect.tolerance, tree_[expect.toleranceNode].span)) return outcome;
    auto a = outcome.predictedNumber, b = outcome.expectedNumber, t = numberOf(expect.tolerance);
    double allowed = expect.absolute ? *t : *t * std::abs(*b);
    outcome.holds = std::abs(*a - *b) <= allowed;
    std::string how = "not ";
    if (*b != 0) {
      double share = (*a - *b) / std::abs(*b);
      outcome.error = fmt::format("{:+.1f} %", share * 100);
      how = fmt::format("{} {} ", percent(std::abs(share)), share < 0 ? "below" : "above");
    }
    if (!outcome.holds) reportFailure(expect, outcome, how);
    return outcome;
  }

  /// `how` far off it is: "9.8 % above "; empty without a tolerance.
  void reportFailure(const Expect& expect, const Expectation& outcome, const std::string& how) {
    bool compared = expect.left.valid();
    std::string message = "what is expected does not hold";
    if (compared)
      message = fmt::format("predicted {}, expected {}", outcome.predicted, outcome.expected);
    if (!how.empty()) {
      message = fmt::format("predicted {} is {}the expected {}, tolerance {}", outcome.predicted,
                            how, outcome.expected, outcome.tolerance);
    }
    auto& d = report(Code::E0801, compared ? tree_[expect.left].span : expect.span, message,
                     compared ? "predicted " + outcome.predicted : "is false");
    if (compared && tree_[bare(expect.right)].kind != Kind::Number) {
      d.label(tree_[expect.right].span, "expected " + outcome.expected);
    }
    d.note(fmt::format("test: {}", session_.names.text(tree_[test_].text)));
    if (!source_.empty()) d.note("source: " + source_);
  }

  std::optional<double> numberOf(const Value& value) {
    if (!value.scalar()) return std::nullopt;
    auto word = checker_.formulas.resolve(value.formula);
    if (!word) return std::nullopt;
    return value.number == Number::Real ? word->real : static_cast<double>(word->integer);
  }

  /// A value as the expectation writes it: a share where a bound is one, as in `<= 8%`.
  std::string shown(const Value& value, const Expect& expect) {
    bool isShare = value.scalar() && value.number == Number::Real && value.dimension.none() &&
                   sourceOf(expect.right).ends_with('%');
    auto number = isShare ? numberOf(value) : std::nullopt;
    return number ? fmt::format("{:.4g} %", *number * 100) : checker_.text(value);
  }

  Session& session_;
  Checker& checker_;
  const syntax::Tree& tree_;
  NodeId test_, body_;
  Frame* frame_;
  std::vector<NodeId> bound_, binding_;
  std::string source_;
  size_t expectCount_ = 0;
  bool seenErrors_ = false;
};

}  // namespace

std::vector<TestOutcome> runTests(Session& session, Module& module) {
  std::vector<TestOutcome> outcomes;
  outcomes.reserve(module.tests.size());
  for (NodeId test : module.tests) outcomes.push_back(TestRun(session, module, test).run());
  return outcomes;
}

void checkTests(Session& session, Module& module) {
  for (NodeId test : module.tests) TestRun(session, module, test).check();
}

}  // namespace sysdl
