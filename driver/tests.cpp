// Evaluating what tests expect.
#include "driver/tests.h"

#include <algorithm>
#include <cmath>

#include "driver/render/quantity.h"
#include "fmt/format.h"
#include "frontend/syntax/dump.h"

namespace sysdl {

using check::Checker;
using check::Frame;
using check::Module;
using check::Value;
using check::ValueKind;
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
  Span span;       // of what is expected
  Value condition;  // true or false
  Op op = Op::None;
  NodeId left, right;  // of a comparison
  Value a, b;
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
      case Kind::Let:
      case Kind::Bad: break;
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
        if (tree_[member].kind == Kind::Let && tree_[member].name == tree_[node].name) bindLet(member);
      }
    }
    for (NodeId child : tree_.children(node)) bindNamed(child);
  }

  std::optional<Expect> readExpect(NodeId member) {
    Expect expect;
    NodeId node = bare(tree_.child(member, 0));
    expect.span = tree_[node].span;
    expect.condition = checker_.evaluate(node, frame_);
    if (expect.condition.bad()) return std::nullopt;
    if (!expect.condition.scalar() || expect.condition.number != Number::Bool) {
      report(Code::E0502, expect.span,
             fmt::format("what is expected is true or false, not {}",
                         checker_.describeKind(expect.condition)))
          .helpText("compare it, as in `expect a == b within 5%`");
      return std::nullopt;
    }
    if (tree_[node].kind == Kind::Binary && compares(tree_[node].op)) {
      expect.op = tree_[node].op;
      expect.left = tree_.child(node, 0);
      expect.right = tree_.child(node, 1);
      expect.a = checker_.evaluate(expect.left, frame_);
      expect.b = checker_.evaluate(expect.right, frame_);
    }
    NodeId tolerance = tree_.childCountOf(member) > 1 ? tree_.child(member, 1) : NodeId();
    if (tolerance.valid() && !readTolerance(expect, tolerance)) return std::nullopt;
    return expect;
  }

  bool readTolerance(Expect& expect, NodeId node) {
    expect.toleranceNode = node;
    expect.tolerance = checker_.evaluate(node, frame_);
    const Value& tolerance = expect.tolerance;
    if (tolerance.bad()) return false;
    bool numbers = expect.a.scalar() && expect.b.scalar() && expect.a.number != Number::Bool;
    if (expect.op != Op::Equal || !numbers) {
      report(Code::E0313, expect.span, "`within` needs two numbers and `==` between them",
             "not of the form `a == b`")
          .label(tree_[node].span, "the tolerance");
      return false;
    }
    bool isNumber = tolerance.scalar() && tolerance.number != Number::Bool;
    expect.absolute = isNumber && !tolerance.dimension.none();
    if (isNumber && (!expect.absolute || tolerance.dimension == expect.b.dimension)) return true;
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
    if (!settle(expect.condition, expect.span)) return outcome;
    if (expect.toleranceNode.valid()) return judgeWithin(expect, std::move(outcome));
    auto truth = checker_.formulas.resolve(expect.condition.formula);
    outcome.holds = truth->integer != 0;
    if (expect.left.valid()) {
      outcome.predicted = shown(expect.a, expect);
      std::string sign = expect.op == Op::Equal ? "" : fmt::format("{} ", syntax::signOf(expect.op));
      outcome.expected = sign + shown(expect.b, expect);
      outcome.predictedNumber = numberOf(expect.a);
      outcome.expectedNumber = numberOf(expect.b);
    } else {
      outcome.predicted = outcome.holds ? "true" : "false";
      outcome.expected = "true";
    }
    if (!outcome.holds) reportFailure(expect, outcome, fmt::format("expected {}", outcome.expected));
    return outcome;
  }

  Expectation judgeWithin(const Expect& expect, Expectation outcome) {
    if (!settle(expect.tolerance, tree_[expect.toleranceNode].span)) return outcome;
    auto a = numberOf(expect.a), b = numberOf(expect.b), t = numberOf(expect.tolerance);
    if (!a || !b || !t) return outcome;
    outcome.predictedNumber = a;
    outcome.expectedNumber = b;
    outcome.predicted = shown(expect.a, expect);
    outcome.expected = shown(expect.b, expect);
    double allowed = expect.absolute ? *t : *t * std::abs(*b);
    outcome.holds = std::abs(*a - *b) <= allowed;
    std::string how;
    if (*b != 0) {
      double share = (*a - *b) / std::abs(*b);
      outcome.error = fmt::format("{:+.1f} %", share * 100);
      how = fmt::format("{} {} ", percent(std::abs(share)), share < 0 ? "below" : "above");
    }
    if (!outcome.holds) {
      reportFailure(expect, outcome,
                    fmt::format("{}the expected {}, tolerance {}", how.empty() ? "not " : how,
                                outcome.expected, outcome.tolerance));
    }
    return outcome;
  }

  void reportFailure(const Expect& expect, const Expectation& outcome, const std::string& how) {
    std::string message = expect.left.valid()
                              ? fmt::format("predicted {} is {}", outcome.predicted, how)
                              : std::string("what is expected does not hold");
    if (expect.left.valid() && !expect.toleranceNode.valid()) {
      message = fmt::format("predicted {}, {}", outcome.predicted, how);
    }
    Span primary = expect.left.valid() ? tree_[expect.left].span : expect.span;
    auto& d = report(Code::E0801, primary, message,
                     expect.left.valid() ? "predicted " + outcome.predicted
                                         : "is false");
    if (expect.left.valid() && tree_[bare(expect.right)].kind != Kind::Number) {
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
  for (NodeId test : module.tests) outcomes.push_back(TestRun(session, module, test).run());
  return outcomes;
}

void checkTests(Session& session, Module& module) {
  for (NodeId test : module.tests) TestRun(session, module, test).read();
}

}  // namespace sysdl
