// `heaptally completion SHELL` and `heaptally man`: what a package installs beside the tool.
#include <cstdio>

#include "cli/command_description.h"
#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/man_page.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/suggest.h"

namespace heaptally::cli {

int CompletionCommand(const std::vector<std::string>& arguments) {
  CLI::App app("", "completion");
  Describe(&app,
           "heaptally completion bash|zsh|fish\n\n"
           "Prints a script that completes heaptally's commands, options, captures and\n"
           "pids in that shell. `make install` puts all three in their places.",
           "  source <(heaptally completion bash)          now, in this shell\n"
           "  heaptally completion fish > ~/.config/fish/completions/heaptally.fish\n");
  std::string shell;
  app.add_option("shell", shell, "bash, zsh or fish");
  switch (Parse(&app, arguments)) {
    case Parsed::kHelpShown:
      return 0;
    case Parsed::kWrong:
      return kOurFailure;
    case Parsed::kGo:
      break;
  }
  std::string script;
  if (shell == "bash") script = BashCompletion(DescribeCommands());
  if (shell == "zsh") script = ZshCompletion(DescribeCommands());
  if (shell == "fish") script = FishCompletion(DescribeCommands());
  if (script.empty()) {
    const std::string nearest = Nearest(shell, {"bash", "zsh", "fish"});
    return Complain(shell.empty() ? "heaptally completion: no shell is named"
                                  : "there are no completions for the shell \"" + shell + "\"",
                    nearest.empty() ? "heaptally completion bash, zsh or fish" : "heaptally completion " + nearest);
  }
  std::fputs(script.c_str(), stdout);
  return 0;
}

int ManCommand(const std::vector<std::string>& arguments) {
  CLI::App app("", "man");
  Describe(&app,
           "heaptally man\n\n"
           "Prints the manual page, as roff. `make install` puts it in its place.",
           "  heaptally man | man -l -\n");
  switch (Parse(&app, arguments)) {
    case Parsed::kHelpShown:
      return 0;
    case Parsed::kWrong:
      return kOurFailure;
    case Parsed::kGo:
      break;
  }
  std::fputs(ManPage(HEAPTALLY_VERSION).c_str(), stdout);
  return 0;
}

}  // namespace heaptally::cli
