#include "cli/options.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include "cli/command_description.h"
#include "cli/message.h"
#include "cli/suggest.h"
#include "cli/text.h"
#include "cli/units.h"

namespace heaptally::cli {
namespace {

// Usage, description, options in two columns, then the examples as they are.
class HelpShape : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* app, std::string) const override { return app->get_description() + "\n"; }
  std::string make_description(const CLI::App*) const override { return ""; }
  std::string make_positionals(const CLI::App*) const override { return ""; }
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    if (is_positional) return "";
    std::string names;
    for (const std::string& name : option->get_snames()) names += (names.empty() ? "-" : ", -") + name;
    for (const std::string& name : option->get_lnames()) names += (names.empty() ? "    --" : ", --") + name;
    const std::string& value = option->get_type_name();
    if (!value.empty()) names += " " + value;
    const std::string text = Wrap(std::string(24, ' ') + option->get_description(), 78, 24) + "\n";
    return names.size() < 21 ? "  " + FitName(names, 22) + text.substr(24) : "  " + names + "\n" + text;
  }
};

std::vector<std::string> OptionNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

void ComplainOfExtra(const CLI::App& app, const std::string& word) {
  const std::string tool = "heaptally " + app.get_name();
  if (word.empty() || word[0] != '-') {
    Complain(tool + " does not know what to do with \"" + word + "\"", tool + " --help");
    return;
  }
  const std::string nearest = Nearest(word.substr(0, word.find('=')), OptionNames(app));
  Complain(tool + " has no option " + word,
           (nearest.empty() ? "" : nearest + ", if that was meant; ") + tool + " --help");
}

// Whether the option takes a value.
bool TakesValue(const CLI::Option& option) { return option.get_expected_min() > 0 && option.get_type_size() > 0; }

struct Fault {
  std::string why;
  std::string what_works;
};

// What is wrong with the arguments, told from the arguments themselves: a value is missing or too many, or is no
// number.
Fault FindFault(const CLI::App& app, const std::vector<std::string>& arguments) {
  std::map<const CLI::Option*, size_t> given;
  for (size_t at = 0; at < arguments.size() && arguments[at] != "--"; ++at) {
    const std::string& word = arguments[at];
    if (word.size() < 2 || word[0] != '-') continue;
    const size_t equals = word[1] == '-' ? word.find('=') : std::min<size_t>(word.size(), 2);
    const std::string name = word.substr(0, equals);
    const CLI::Option* option = app.get_option_no_throw(name);
    if (option == nullptr) continue;
    const bool joined = equals != std::string::npos && equals < word.size();
    if (!TakesValue(*option)) {
      if (joined && word[1] == '-') return {name + " is a switch and takes no value", name};
      continue;
    }
    const std::string example = name + " " + option->get_type_name();
    if (++given[option] > 1) return {name + " is given more than once", name + " once"};
    if (!joined && at + 1 == arguments.size()) return {name + " has no value behind it", example};
    std::string value = joined ? word.substr(equals + (word[equals] == '=' ? 1 : 0)) : arguments[++at];
    if (option->get_type_name() != "N" ||
        (!value.empty() && value.find_first_not_of("0123456789") == std::string::npos && value.size() < 10))
      continue;
    return {name + " takes a whole number from 0 to 999999999, and \"" + value + "\" is none", name + " 10"};
  }
  return {};
}

// The first word that looks like an option and is none.
std::string UnknownOption(const CLI::App& app, const std::vector<std::string>& arguments) {
  for (size_t at = 0; at < arguments.size() && arguments[at] != "--"; ++at) {
    const std::string& word = arguments[at];
    if (word.size() < 2 || word[0] != '-') continue;
    const size_t equals = word[1] == '-' ? word.find('=') : std::min<size_t>(word.size(), 2);
    const CLI::Option* option = app.get_option_no_throw(word.substr(0, equals));
    if (option == nullptr) return word;
    const bool joined = equals != std::string::npos && equals < word.size();
    if (TakesValue(*option) && !joined) ++at;
  }
  return "";
}

}  // namespace

void Describe(CLI::App* app, const std::string& usage, const std::string& examples) {
  app->formatter(std::make_shared<HelpShape>());
  app->description("Usage: " + usage);
  app->footer("Examples:\n" + examples);
  app->set_help_flag("-h,--help", "Show this help");
  app->allow_extras();
}

Parsed Parse(CLI::App* app, const std::vector<std::string>& arguments) {
  if (TakenDown(*app)) return Parsed::kHelpShown;
  try {
    app->parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    std::fputs(app->help().c_str(), stdout);
    return Parsed::kHelpShown;
  } catch (const CLI::ParseError& error) {
    const std::string tool = "heaptally " + app->get_name();
    const Fault fault = FindFault(*app, arguments);
    if (const std::string unknown = UnknownOption(*app, arguments); fault.why.empty() && !unknown.empty()) {
      ComplainOfExtra(*app, unknown);
    } else if (fault.why.empty() && dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
      Complain(tool + ": more is named than it takes", tool + " --help");
    } else if (fault.why.empty()) {
      Complain(tool + ": " + error.what(), tool + " --help");
    } else {
      Complain(tool + ": " + fault.why, fault.what_works + " (" + tool + " --help shows all options)");
    }
    return Parsed::kWrong;
  }
  for (const std::string& word : app->remaining()) {
    if (word == "--") continue;
    ComplainOfExtra(*app, word);
    return Parsed::kWrong;
  }
  return Parsed::kGo;
}

std::vector<std::string> TakeCommand(const CLI::App& app, std::vector<std::string>* arguments) {
  size_t at = 0;
  while (at < arguments->size()) {
    const std::string& word = (*arguments)[at];
    if (word.size() < 2 || word[0] != '-' || word == "--") break;
    const CLI::Option* option = app.get_option_no_throw(word.substr(0, word.find('=')));
    const bool long_with_value = word.find('=') != std::string::npos;
    const bool short_with_value = word[1] != '-' && word.size() > 2;  // -oFILE
    const bool takes_next = option != nullptr && TakesValue(*option);
    at += takes_next && !long_with_value && !short_with_value ? 2 : 1;
  }
  at = std::min(at, arguments->size());
  const bool mark = at < arguments->size() && (*arguments)[at] == "--";
  std::vector<std::string> command(arguments->begin() + static_cast<ptrdiff_t>(at + (mark ? 1 : 0)), arguments->end());
  arguments->resize(at);
  return command;
}

CLI::Option* AddBytesOption(CLI::App* app, const std::string& names, uint64_t* bytes, const std::string& description) {
  const std::string name = names.substr(names.rfind(',') + 1);
  const auto parse = [bytes, name](const std::string& text) {
    if (!ParseBytes(text, bytes))
      throw CLI::ValidationError(name + " takes a size (as 65536, 512K, 1.5M, 2G), and \"" + text + "\" is none");
  };
  return app->add_option_function<std::string>(names, parse, description)->type_name("SIZE");
}

}  // namespace heaptally::cli
