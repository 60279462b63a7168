// Completions and the manual page say what the subcommands' own help says.
#include <gtest/gtest.h>

#include "cli/command_description.h"
#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/completion_values.h"
#include "cli/man_page.h"

namespace heaptally::cli {
namespace {

CommandDescription Described(const std::string& name) {
  for (const CommandDescription& command : DescribeCommands()) {
    if (command.name == name) return command;
  }
  ADD_FAILURE() << "no command " << name;
  return {};
}

OptionDescription OptionOf(const CommandDescription& command, const std::string& name) {
  for (const OptionDescription& option : command.options) {
    if (LongestName(option) == name) return option;
  }
  ADD_FAILURE() << command.name << " has no option " << name;
  return {};
}

TEST(CommandDescription, EveryCommandWithOptionsHasAUsageAnExampleAndHelp) {
  for (const Subcommand& command : Subcommands()) {
    if (!command.has_options) continue;
    const CommandDescription described = Described(command.name);
    EXPECT_EQ(described.usage.rfind(std::string("heaptally ") + command.name, 0), 0u) << described.usage;
    EXPECT_NE(described.examples, "") << command.name;
    OptionOf(described, "--help");
  }
}

TEST(CommandDescription, OfEveryOptionSaysWhatItDoes) {
  for (const CommandDescription& command : DescribeCommands()) {
    for (const OptionDescription& option : command.options) EXPECT_NE(option.text, "") << LongestName(option);
  }
}

TEST(CompletionValues, AreTheWordsThatTheDescriptionLists) {
  const CommandDescription run = Described("run");
  const Values modes = ValuesOf(run, OptionOf(run, "--mode"));
  EXPECT_EQ(modes.kind, ValueKind::kOneOf);
  EXPECT_EQ(std::vector<std::string>(modes.choices.begin(), modes.choices.begin() + 2),
            (std::vector<std::string>{"bytes", "exact"}));
  EXPECT_EQ(ValuesOf(run, OptionOf(run, "--output")).kind, ValueKind::kFile);
  EXPECT_EQ(ValuesOf(run, OptionOf(run, "--dir")).kind, ValueKind::kDirectory);
  EXPECT_EQ(ValuesOf(run, OptionOf(run, "--period")).kind, ValueKind::kAnything);
  EXPECT_EQ(ValuesOf(run, OptionOf(run, "--no-follow")).kind, ValueKind::kNone);
}

TEST(CompletionValues, ReadsListsWithRemarksInBrackets) {
  const Values by = ValuesOf({}, {{"--by"}, "WHAT", "live (default), peak, churn (bytes), calls or temporary"});
  EXPECT_EQ(by.choices, (std::vector<std::string>{"live", "peak", "churn", "calls", "temporary"}));
  EXPECT_EQ(ValuesOf({}, {{"--limit"}, "N", "rows to show, 0 for all"}).kind, ValueKind::kAnything);
  EXPECT_EQ(ValuesOf({}, {{"--x"}, "X", "unclosed (bracket"}).kind, ValueKind::kAnything);
}

TEST(Completions, NameEveryCommandAndOption) {
  const std::vector<CommandDescription> commands = DescribeCommands();
  const std::string bash = BashCompletion(commands), zsh = ZshCompletion(commands), fish = FishCompletion(commands);
  for (const CommandDescription& command : commands) {
    EXPECT_NE(bash.find("    " + command.name + ")"), std::string::npos) << command.name;
    EXPECT_NE(zsh.find("'" + command.name + ":"), std::string::npos) << command.name;
    EXPECT_NE(fish.find("-a " + command.name + " -d"), std::string::npos) << command.name;
    for (const OptionDescription& option : command.options) {
      const std::string& name = LongestName(option);
      EXPECT_NE(bash.find(name), std::string::npos) << name;
      EXPECT_NE(zsh.find(name), std::string::npos) << name;
      EXPECT_NE(fish.find((name.size() == 2 ? " -s " : " -l ") + name.substr(name.size() == 2 ? 1 : 2)),
                std::string::npos)
          << name;
    }
  }
}

TEST(ManPage, HasEveryCommandOptionAndTopicAndNoBrokenRequest) {
  const std::string page = ManPage("1.2.3");
  EXPECT_NE(page.find("heaptally 1.2.3"), std::string::npos);
  for (const CommandDescription& command : DescribeCommands())
    EXPECT_NE(page.find(".SS heaptally " + command.name), std::string::npos) << command.name;
  for (const std::string& topic : HelpTopicNames()) {
    std::string heading = topic;
    for (char& c : heading) c = static_cast<char>(std::toupper(c));
    EXPECT_NE(page.find(".SH \"" + heading + "\""), std::string::npos) << topic;
  }
  for (size_t at = page.find("\n."); at != std::string::npos; at = page.find("\n.", at + 1))
    EXPECT_TRUE(std::isupper(page[at + 2]) || page[at + 2] == 'n' || page[at + 2] == 'f') << page.substr(at, 40);
}

}  // namespace
}  // namespace heaptally::cli
