// The adapter of the generated parser: tokens and errors of ours in place of ANTLR's.
#include "frontend/parse/token_parser.h"

#include <algorithm>

#include "antlr4-runtime.h"

#include "frontend/parse/brackets.h"
#include "frontend/parse/builder.h"
#include "frontend/parse/lex.h"
#include "frontend/parse/syntax_error.h"
#include "grammar/SysdlParser.h"

namespace sysdl::parsing {
namespace {

using grammar::SysdlParser;

#define TOKEN(name, antlr, group, text)                                                            \
  static_assert(static_cast<size_t>(Tok::name) == SysdlParser::antlr);
#include "grammar/tokens.def"
#undef TOKEN

/// Our tokens as ANTLR wants them: in one vector, nothing copied out of the text.
class TokenStream final : public antlr4::TokenStream {
public:
  void set(const Tokens& tokens) {
    list_.clear();
    list_.reserve(tokens.size() + 1);
    for (const Token& token : tokens) list_.emplace_back(static_cast<size_t>(token.type), token);
    Token end;
    if (!tokens.empty()) end.begin = end.end = tokens.back().end;
    list_.emplace_back(antlr4::Token::EOF, end);
    for (size_t i = 0; i < list_.size(); ++i) list_[i].index = i;
    at_ = 0;
  }

  antlr4::Token* LT(ssize_t distance) override {
    auto index = static_cast<ssize_t>(at_) + (distance > 0 ? distance - 1 : distance);
    if (index < 0) return nullptr;
    return &list_[std::min(static_cast<size_t>(index), list_.size() - 1)];
  }
  size_t LA(ssize_t distance) override { return LT(distance)->getType(); }
  void consume() override { at_ = std::min(at_ + 1, list_.size() - 1); }
  size_t index() override { return at_; }
  void seek(size_t index) override { at_ = std::min(index, list_.size() - 1); }
  size_t size() override { return list_.size(); }
  antlr4::Token* get(size_t index) const override {
    return const_cast<ParserToken*>(&list_[index]);
  }
  ssize_t mark() override { return 0; }
  void release(ssize_t) override {}
  antlr4::TokenSource* getTokenSource() const override { return nullptr; }
  std::string getSourceName() const override { return {}; }
  std::string getText(const antlr4::misc::Interval&) override { return {}; }
  std::string getText() override { return {}; }
  std::string getText(antlr4::RuleContext*) override { return {}; }
  std::string getText(antlr4::Token*, antlr4::Token*) override { return {}; }

private:
  std::vector<ParserToken> list_;
  size_t at_ = 0;
};

/// Reports the first error of a statement and gives up that statement alone.
class ErrorStrategy final : public antlr4::ANTLRErrorStrategy {
public:
  ErrorStrategy(Session& session, TokenStream& stream) : session_(session), stream_(stream) {}

  void start(Form form, const Tokens& tokens) {
    form_ = form;
    tokens_ = &tokens;
    failing_ = false;
    states_.clear();
  }

  void reset(antlr4::Parser*) override {}
  antlr4::Token* recoverInline(antlr4::Parser* parser) override {
    throw antlr4::InputMismatchException(parser);
  }
  /// Called before each decision: what could stand here is the union over all of them.
  void sync(antlr4::Parser* parser) override {
    if (stream_.index() != statesAt_) {
      states_.clear();
      statesAt_ = stream_.index();
    }
    states_.push_back(parser->getState());
  }
  bool inErrorRecoveryMode(antlr4::Parser*) override { return failing_; }
  void reportMatch(antlr4::Parser*) override {}

  void reportError(antlr4::Parser* parser, const antlr4::RecognitionException&) override {
    // The rules around the failing one come by here too, while the exception passes through them.
    if (failing_) return;
    failing_ = true;
    const antlr4::ParserRuleContext* context = parser->getContext();
    SyntaxError error{*tokens_, stream_.index(),   0,
                      form_,    expected(*parser), parser->getRuleNames()[context->getRuleIndex()]};
    for (const antlr4::RuleContext* at = context; at;
         at = static_cast<const antlr4::RuleContext*>(at->parent)) {
      if (!isUnit(at->getRuleIndex())) continue;
      error.statement = indexOf(static_cast<const antlr4::ParserRuleContext*>(at)->start);
      break;
    }
    report(session_, error);
  }

  void recover(antlr4::Parser* parser, std::exception_ptr exception) override {
    const antlr4::ParserRuleContext* context = parser->getContext();
    if (!isUnit(context->getRuleIndex()) || session_.tooMany()) {
      std::rethrow_exception(exception);
    }
    failing_ = false;
    bool statement = context->getRuleIndex() == SysdlParser::RuleStatement;
    stream_.seek(statement ? (*tokens_)[indexOf(context->start)].link + 1 : stream_.size());
  }

private:
  /// Whether a fault in this rule ends there.
  static bool isUnit(size_t rule) {
    return rule == SysdlParser::RuleStatement || rule == SysdlParser::RuleTopLevel ||
           rule == SysdlParser::RuleOneExpression;
  }

  static size_t indexOf(const antlr4::Token* token) {
    return static_cast<const ParserToken*>(token)->index;
  }

  std::bitset<128> expected(antlr4::Parser& parser) {
    sync(&parser);
    std::bitset<128> result;
    const antlr4::atn::ATN& atn = parser.getATN();
    for (size_t state : states_) {
      const antlr4::misc::IntervalSet& set = atn.nextTokens(atn.states[state]);
      for (const antlr4::misc::Interval& interval : set.getIntervals()) {
        for (ssize_t type = std::max<ssize_t>(interval.a, 0); type <= interval.b; ++type) {
          // End of file and "what follows the rule" stand outside of our types.
          if (type >= 128) break;
          result.set(static_cast<size_t>(type));
        }
      }
    }
    return result;
  }

  Session& session_;
  TokenStream& stream_;
  Form form_ = Form::File;
  const Tokens* tokens_ = nullptr;
  bool failing_ = false;
  std::vector<size_t> states_;
  size_t statesAt_ = SIZE_MAX;
};

}  // namespace

struct TokenParser::Impl {
  explicit Impl(Session& s)
      : session(s), strategy(std::make_shared<ErrorStrategy>(s, stream)), parser(&stream) {
    parser.removeErrorListeners();
    parser.setErrorHandler(strategy);
  }
  Session& session;
  TokenStream stream;
  std::shared_ptr<ErrorStrategy> strategy;
  SysdlParser parser;
  std::unique_ptr<TokenParser> fragments;
};

TokenParser::TokenParser(Session& session) : impl_(std::make_unique<Impl>(session)) {}
TokenParser::~TokenParser() = default;

syntax::NodeId TokenParser::parse(Form form, const Tokens& tokens) {
  impl_->stream.set(tokens);
  impl_->strategy->start(form, tokens);
  // Also frees the tree of the item before.
  impl_->parser.setTokenStream(&impl_->stream);
  Builder builder(impl_->session, *this, tokens);
  try {
    switch (form) {
    case Form::File: return builder.topLevel(*impl_->parser.oneItem()->topLevel());
    case Form::Members: return builder.statement(*impl_->parser.oneMember()->statement());
    case Form::Expression: break;
    }
    if (tokens.front().type == Tok::Bad) return builder.bad(tokens.front());
    auto* expression = impl_->parser.oneExpression();
    if (expression->exception) return builder.bad(tokens.front());
    return builder.expression(*expression->expr());
  } catch (const antlr4::RecognitionException&) {
    // Too many errors: what was found is reported.
    return builder.bad(tokens.front());
  }
}

syntax::NodeId TokenParser::parseFragment(uint32_t begin, uint32_t end) {
  Session& session = impl_->session;
  Tokens raw = lex(session, begin, end);
  Tokens tokens;
  if (!balanceBrackets(session, raw)) return {};
  Layout layout(session, raw, Form::Expression);
  if (!layout.next(tokens)) return {};
  // The parser of the item still holds the tree that is being read.
  if (!impl_->fragments) impl_->fragments = std::make_unique<TokenParser>(session);
  return impl_->fragments->parse(Form::Expression, tokens);
}

}  // namespace sysdl::parsing
