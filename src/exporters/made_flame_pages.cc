// Writes flame pages of made profiles into a folder: hostile names, 100,000 frames, a stack of 2,000, several processes.
#include <fstream>
#include <iostream>

#include "exporters/flame_page.h"
#include "exporters/made_profile.h"

namespace heaptally::exporters {
namespace {

constexpr const char* kAlert = "<img src=x onerror=\"document.title='pwned'\">";

profile::Profile Hostile() {
  MadeProfile made;
  made.profile_.argv = {"</script><script>document.title='pwned'</script>", kAlert, "it's \"quoted\" & `ticked`"};
  made.profile_.notes = {kAlert};
  const std::vector<std::string> names = {
      "</script><script>document.title='pwned'</script>", kAlert, "a;b;c", "line\nline\ttab", "\xff\xfe\xc0\x80", "\u2028\u2029",
      std::string("nul\0nul", 7), "]]>&amp;&lt;", "\u202Eright to left\u202C", "\xf0\x9f\x98\x80 \xed\xa0\x80", "", "operator<<", std::string(70'000, 'W'),
      "__proto__", "constructor", "${1+1} {{data}}"};
  const uint32_t main = made.Frame({"main"});
  for (const std::string& name : names) made.Site({made.Frame({name}), main}, profile::ExactAmount(100));
  profile::Profile out = made.Done();
  out.modules[0].path = std::string("/opt/<b>server</b>\xff");
  out.exe = out.modules[0].path;
  return out;
}

// Twelve levels; all boxes of a level are about equally wide, so that most are narrower than a pixel.
profile::Profile Large() {
  MadeProfile made;
  std::vector<uint32_t> frames;
  for (int i = 0; i < 500; ++i) frames.push_back(made.Frame({"function_number_" + std::to_string(i)}, static_cast<uint32_t>(i)));
  uint64_t seed = 12345;
  for (int site = 0; site < 20'000; ++site) {
    std::vector<uint32_t> stack;
    for (int depth = 0; depth < 12; ++depth) {
      seed = seed * 6364136223846793005 + 1442695040888963407;
      stack.push_back(frames[(seed >> 33) % (depth > 8 ? 3 : 40) + static_cast<size_t>(40 * depth) % 460]);
    }
    made.Site(stack, profile::ExactAmount(1 + site % 97));
  }
  return made.Done();
}

profile::Profile Deep() {
  MadeProfile made;
  const uint32_t main = made.Frame({"main"}), a = made.Frame({"visit"}), b = made.Frame({"visit_child"}), leaf = made.Frame({"leaf"});
  std::vector<uint32_t> stack = {leaf};
  for (int i = 0; i < 1000; ++i) stack.insert(stack.end(), {a, b});
  stack.push_back(main);
  made.Site(stack, profile::ExactAmount(1000));
  for (size_t cut = 1; cut < 2000; cut += 40) made.Site({stack.begin() + static_cast<long>(cut), stack.end()}, profile::ExactAmount(1));
  made.Site({made.Frame({"flat"}), main}, profile::ExactAmount(700));
  return made.Done();
}

profile::Profile Named(profile::Profile profile, int pid, const std::string& exe) {
  profile.pid = pid;
  profile.exe = exe;
  return profile;
}

void Write(const std::string& path, const std::vector<profile::Profile>& profiles, size_t most_nodes = 0) {
  std::ofstream(path) << FlamePage(profiles, PlainWording(), {.title = "made - heaptally", .most_nodes = most_nodes});
}

}  // namespace
}  // namespace heaptally::exporters

int main(int count, char** arguments) {
  using namespace heaptally::exporters;
  if (count != 2) return std::cerr << "made_flame_pages FOLDER\n", 2;
  const std::string folder = std::string(arguments[1]) + "/";
  Write(folder + "hostile.html", {Hostile()});
  Write(folder + "large.html", {Large()});
  Write(folder + "pruned.html", {Large()}, 2000);
  Write(folder + "deep.html", {Deep()});
  Write(folder + "sampled.html", {SampledProfile()});
  Write(folder + "tree.html", {Named(ExactProfile(), 1, "/bin/a"), Named(ExactProfile(), 2, "/bin/a"), Named(SampledProfile(), 3, "/bin/b")});
  Write(folder + "empty.html", {Named({}, 9, "/bin/nothing")});
  return 0;
}
