#include "collect/find_program.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

namespace heaptally::collect {
namespace {

constexpr const char* kDefaultPath = "/bin:/usr/bin";  // what execvp takes where PATH is not set

std::vector<std::string> Directories(const std::vector<std::string>& environment) {
  const char* value = ValueIn(environment, "PATH");
  std::string path = value != nullptr ? value : kDefaultPath;
  std::vector<std::string> out;
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find(':', begin), path.size());
    out.push_back(end == begin ? "." : path.substr(begin, end - begin));  // an empty entry is the working directory
    begin = end + 1;
  }
  return out;
}

int WhyNotExecutable(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return errno;
  if (!S_ISREG(status.st_mode)) return EACCES;
  return access(path.c_str(), X_OK) == 0 ? 0 : errno;
}

// "env [-S] [NAME=value...] NAME ...": the NAME, "" if it is not plain to see.
std::string ProgramOfEnv(const std::string& argument) {
  size_t begin = 0;
  while (begin < argument.size()) {
    const size_t end = std::min(argument.find_first_of(" \t", begin), argument.size());
    const std::string word = argument.substr(begin, end - begin);
    begin = end + 1;
    if (word.empty() || word == "-S" || word.find('=') != std::string::npos) continue;
    return word[0] == '-' ? "" : word;
  }
  return "";
}

}  // namespace

const char* ValueIn(const std::vector<std::string>& environment, const std::string& name) {
  for (const std::string& entry : environment) {
    if (entry.size() > name.size() && entry[name.size()] == '=' && entry.compare(0, name.size(), name) == 0) {
      return entry.c_str() + name.size() + 1;
    }
  }
  return nullptr;
}

Found FindProgram(const std::string& name, const std::vector<std::string>& environment) {
  if (name.empty()) return {"", ENOENT};
  if (name.find('/') != std::string::npos) {
    const int error = WhyNotExecutable(name);
    return {error == 0 ? name : "", error};
  }
  int error = ENOENT;
  for (const std::string& directory : Directories(environment)) {
    const std::string path = directory + "/" + name;
    const int why = WhyNotExecutable(path);
    if (why == 0) return {path, 0};
    if (why == EACCES && access(path.c_str(), F_OK) == 0) error = EACCES;
  }
  return {"", error};
}

Script ReadScriptLine(const std::string& path) {
  Script out;
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return out;
  char line[256];  // the kernel reads as much
  const ssize_t got = read(descriptor, line, sizeof(line));
  close(descriptor);
  if (got < 3 || line[0] != '#' || line[1] != '!') return out;
  std::string text(line + 2, static_cast<size_t>(got) - 2);
  text.resize(std::min(text.find('\n'), text.size()));
  const auto trim = [](std::string word) {
    const size_t begin = word.find_first_not_of(" \t");
    if (begin == std::string::npos) return std::string();
    return word.substr(begin, word.find_last_not_of(" \t\r") - begin + 1);
  };
  text = trim(text);
  const size_t end = std::min(text.find_first_of(" \t"), text.size());
  out.is_script = true;
  out.interpreter = text.substr(0, end);
  out.argument = trim(text.substr(end));
  return out;
}

std::string FollowScript(const std::string& path, const std::vector<std::string>& environment) {
  std::string file = path;
  for (int depth = 0; depth < 5; ++depth) {
    const Script script = ReadScriptLine(file);
    if (!script.is_script || script.interpreter.empty()) break;
    file = script.interpreter;
    const bool is_env = file == "env" || file.ends_with("/env");
    if (const std::string name = is_env ? ProgramOfEnv(script.argument) : ""; !name.empty()) {
      const Found found = FindProgram(name, environment);
      if (found.path.empty()) break;
      file = found.path;
    }
  }
  return file;
}

std::vector<std::string> ProgramNames(const std::vector<std::string>& environment) {
  std::vector<std::string> out;
  for (const std::string& directory : Directories(environment)) {
    std::error_code error;
    for (std::filesystem::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
      out.push_back(at->path().filename().string());
    }
  }
  return out;
}

}  // namespace heaptally::collect
