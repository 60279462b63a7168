#include "symbols/display.h"

#include <cctype>

namespace heaptally::symbols {
namespace {

constexpr std::string_view kEllipsis = "<\u2026>";
constexpr std::string_view kOperator = "operator";

bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$'; }

// Length of an operator's whole name (`operator<<`, `operator()`) if one starts at `at`; of `operator` alone for
// conversions, new and delete; 0 if none starts there.
size_t OperatorLength(std::string_view text, size_t at) {
  if (text.substr(at, kOperator.size()) != kOperator || (at > 0 && IsWord(text[at - 1]))) return 0;
  const std::string_view rest = text.substr(at + kOperator.size());
  if (!rest.empty() && IsWord(rest[0])) return 0;
  for (std::string_view symbol : {"<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "()", "<", ">"}) {
    if (rest.substr(0, symbol.size()) == symbol) return kOperator.size() + symbol.size();
  }
  return kOperator.size();
}

// Index of the bracket that closes the one at `open`, or npos. Inside round brackets `<` and `>` may be comparisons,
// so they do not count there.
size_t Closing(std::string_view text, size_t open) {
  const bool angle = text[open] == '<';
  int angles = 0, rounds = 0;
  for (size_t i = open; i < text.size(); ++i) {
    if (const size_t n = OperatorLength(text, i); n != 0) {
      i += n - 1;
      continue;
    }
    const char c = text[i];
    if (c == '(') ++rounds;
    if (c == ')') --rounds;
    if (rounds == 0 && c == '<') ++angles;
    if (rounds == 0 && c == '>' && text[i - 1] != '-') --angles;
    if (angle ? (angles == 0 && rounds == 0) : rounds == 0) return i;
    if (rounds < 0) return std::string_view::npos;
  }
  return std::string_view::npos;
}

// True if the `<` at `at` opens Rust's qualified type rather than a list of arguments.
bool IsQualifiedType(std::string_view text, size_t at, size_t close) {
  const std::string_view inside = text.substr(at + 1, close - at - 1);
  if (at == 0 || inside.substr(0, 5) == "impl ") return true;
  const char before = text[at - 1];
  if (IsWord(before) || before == '>' || before == '}' || before == ')') return false;
  if (before != ':') return before != '!' && before != '=' && before != '+' && before != '-';
  return inside.find(" as ") != std::string_view::npos && inside[0] != '<' && text.substr(close + 1, 2) == "::";
}

// `replacement` stands for each list. False if brackets do not match.
bool Replace(std::string_view text, std::string_view replacement, int depth, std::string* out) {
  if (depth > 64) return false;
  size_t operator_end = std::string_view::npos;  // an operator's own arguments follow it, after a space (`<< <int>`)
  for (size_t i = 0; i < text.size(); ++i) {
    if (const size_t n = OperatorLength(text, i); n != 0) {
      out->append(text.substr(i, n));
      i += n - 1;
      operator_end = text.substr(i + 1, 1) == " " ? i + 2 : i + 1;
      continue;
    }
    if (text[i] != '<') {
      out->push_back(text[i]);
      continue;
    }
    const size_t close = Closing(text, i);
    if (close == std::string_view::npos) return false;
    if (i != operator_end && IsQualifiedType(text, i, close)) {
      out->push_back('<');
      if (!Replace(text.substr(i + 1, close - i - 1), replacement, depth + 1, out)) return false;
      out->push_back('>');
    } else {
      out->append(replacement);
    }
    i = close;
  }
  return true;
}

// Start of the parameter list of a name without template arguments, or its size. Brackets that belong to the name are
// skipped: (anonymous namespace), {lambda(int)#1}, operator(), and the parameters of an enclosing function.
size_t ParametersStart(std::string_view name) {
  int braces = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    if (const size_t n = OperatorLength(name, i); n != 0) {
      i += n - 1;
      continue;
    }
    if (name[i] == '{') ++braces;
    if (name[i] == '}') --braces;
    if (name[i] != '(' || braces > 0) continue;
    const size_t close = Closing(name, i);
    if (close == std::string_view::npos) return name.size();
    std::string_view rest = name.substr(close + 1);
    if (rest.substr(0, 6) == " const") rest = rest.substr(6);
    if (rest.substr(0, 2) != "::") return i;
    i = close;
  }
  return name.size();
}

// Drops the return type: everything up to the last space that is not inside brackets and not part of an operator.
std::string_view WithoutReturnType(std::string_view name) {
  size_t start = 0;
  int depth = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    if (const size_t n = OperatorLength(name, i); n != 0) {
      if (depth == 0) break;
      i += n - 1;
      continue;
    }
    const char c = name[i];
    if (c == '(' || c == '{' || c == '[' || c == '<') ++depth;
    if (c == ')' || c == '}' || c == ']' || c == '>') --depth;
    if (c != ' ' || depth != 0) continue;
    if (name.substr(i, 8) == " const::") {
      i += 5;
    } else {
      start = i + 1;
    }
  }
  return name.substr(start);
}

std::string QualifiedRust(std::string_view name) {
  const size_t close = Closing(name, 0);
  if (close == std::string_view::npos) return std::string(name);
  std::string_view type = name.substr(1, close - 1);
  std::string_view trait;
  if (const size_t as = type.find(" as "); as != std::string_view::npos) {
    trait = type.substr(as + 4);
    type = type.substr(0, as);
  }
  while (!type.empty() && !IsWord(type[0]) && type[0] != '<') type.remove_prefix(1);
  if (type.find("::") == std::string_view::npos && !trait.empty()) type = trait;
  return std::string(type) + std::string(name.substr(close + 1));
}

}  // namespace

std::string ShortenTemplates(std::string_view name) {
  std::string out;
  if (name.find('<') == std::string_view::npos || !Replace(name, kEllipsis, 0, &out)) return std::string(name);
  return out;
}

std::string QualifiedName(std::string_view name) {
  std::string plain;
  if (!Replace(name, "", 0, &plain)) plain = name;
  if (!plain.empty() && plain[0] == '<') return QualifiedRust(plain);
  const std::string_view function = std::string_view(plain).substr(0, ParametersStart(plain));
  return std::string(WithoutReturnType(function));
}

}  // namespace heaptally::symbols
