// W3: what C++ programs do: std::map<std::string, std::vector<std::string>> that grows and shrinks.
//
// map_churn ROUNDS
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "loop_clock.h"

namespace {

std::string MakeText(uint64_t random) {
  return "key-" + std::to_string(random % 20011) + std::string(random >> 32 & 63, 'x');
}

void Fill(std::map<std::string, std::vector<std::string>>* map, uint64_t* state) {
  for (int i = 0; i < 20000; ++i) {
    std::vector<std::string>& values = (*map)[MakeText(NextRandom(state))];
    for (uint64_t n = NextRandom(state) & 7; n > 0; --n) values.push_back(MakeText(NextRandom(state)));
  }
}

void Thin(std::map<std::string, std::vector<std::string>>* map, uint64_t* state) {
  for (auto at = map->begin(); at != map->end();) at = NextRandom(state) & 1 ? map->erase(at) : std::next(at);
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 5;
  std::map<std::string, std::vector<std::string>> map;
  uint64_t state = 1;
  const LoopClock start = StartLoop();
  for (int i = 0; i < rounds; ++i) {
    Fill(&map, &state);
    Thin(&map, &state);
  }
  EndLoop(start, static_cast<uint64_t>(rounds), map.size());
}
