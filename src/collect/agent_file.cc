#include "collect/agent_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#ifndef HEAPTALLY_INSTALLED_AGENT
#define HEAPTALLY_INSTALLED_AGENT ""
#endif

namespace heaptally::collect {
namespace {

constexpr const char* kAgentName = "libheaptally.so";

std::string Resolved(const std::string& path) {
  char* real = realpath(path.c_str(), nullptr);
  std::string out = real != nullptr ? real : "";
  free(real);
  return out;
}

std::string ToolDirectory() {
  const std::string self = Resolved("/proc/self/exe");
  return self.substr(0, self.rfind('/'));
}

// Sets NAME=value, in the place of an earlier one if there is one.
void Set(std::vector<std::string>* environment, const std::string& name, const std::string& value) {
  for (std::string& entry : *environment) {
    if (entry.starts_with(name + "=")) {
      entry = name + "=" + value;
      return;
    }
  }
  environment->push_back(name + "=" + value);
}

std::string Get(const std::vector<std::string>& environment, const std::string& name) {
  for (const std::string& entry : environment) {
    if (entry.starts_with(name + "=")) return entry.substr(name.size() + 1);
  }
  return "";
}

// ",seed=7,cap=1000000": the words that the user set by hand and that `run` does not decide.
std::string OnlyByHand(const std::string& words) {
  std::string out;
  for (size_t begin = 0; begin < words.size();) {
    const size_t end = std::min(words.find(',', begin), words.size());
    const std::string word = words.substr(begin, end - begin);
    begin = end + 1;
    const std::string name = word.substr(0, word.find('='));
    const bool ours = name == "mode" || name == "period" || name == "dir" || name == "run" || name == "follow";
    if (!word.empty() && !ours) out += "," + word;
  }
  return out;
}

}  // namespace

std::string FindAgent(std::string* error) {
  if (const char* chosen = std::getenv("HEAPTALLY_AGENT"); chosen != nullptr && chosen[0] != '\0') {
    const std::string path = Resolved(chosen);
    if (path.empty()) *error = std::string("HEAPTALLY_AGENT names ") + chosen + ", which is not there";
    return path;
  }
  const std::string tool = ToolDirectory();
  std::string looked;
  for (const std::string& place : {tool + "/../lib/" + kAgentName, tool + "/../lib/heaptally/" + kAgentName,
                                   std::string(HEAPTALLY_INSTALLED_AGENT)}) {
    if (place.empty()) continue;
    if (const std::string path = Resolved(place); !path.empty()) return path;
    looked += (looked.empty() ? "" : ", ") + place;
  }
  *error = std::string("the agent ") + kAgentName + " is not at any of its places: " + looked;
  return "";
}

std::string PreloadablePath(const std::string& agent, const std::string& link_directory, std::string* error) {
  constexpr const char* kSpecial = " :$\t\n";
  if (agent.find_first_of(kSpecial) == std::string::npos) return agent;
  const std::string link = link_directory + "/" + kAgentName;
  if (link.find_first_of(kSpecial) != std::string::npos) {
    *error = "LD_PRELOAD cannot hold the path " + agent + " (spaces, colons and '$' have no quoting there), nor " +
             link_directory;
    return "";
  }
  mkdir(link_directory.c_str(), 0700);
  if (Resolved(link) == agent) return link;
  const std::string fresh = link + "." + std::to_string(getpid());  // renamed into place: others may be reading
  unlink(fresh.c_str());
  if (symlink(agent.c_str(), fresh.c_str()) != 0 || rename(fresh.c_str(), link.c_str()) != 0) {
    *error = "the link " + link + " to the agent cannot be made: " + std::strerror(errno);
    return "";
  }
  return link;
}

std::vector<std::string> WithAgent(std::vector<std::string> environment, const std::string& agent_path,
                                   const AgentOptions& options) {
  const std::string users = Get(environment, "LD_PRELOAD");
  Set(&environment, "LD_PRELOAD", users.empty() ? agent_path : agent_path + ":" + users);
  std::string told = "mode=" + options.mode;
  if (options.period != 0) told += ",period=" + std::to_string(options.period);
  told += ",dir=" + options.directory;
  if (!options.run_id.empty()) told += ",run=" + options.run_id;
  if (!options.follow) told += ",follow=0";
  Set(&environment, "HEAPTALLY", told + OnlyByHand(Get(environment, "HEAPTALLY")));
  return environment;
}

std::vector<std::string> CurrentEnvironment() {
  std::vector<std::string> out;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) out.emplace_back(*entry);
  return out;
}

}  // namespace heaptally::collect
