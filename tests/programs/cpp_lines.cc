// C++ with names that a report must show right, by function and by line: a template, a lambda, an inlined member, a
// container. The line of each allocation is marked with "line: NAME", which the script looks up.
#include <memory>
#include <string>
#include <vector>

#include "truth.h"

namespace shop {

struct Item {
  char bytes[480];
};

template <typename T>
struct Shelf {
  SITE void fill(int count);
  std::vector<std::unique_ptr<T>> items;
};

template <typename T>
void Shelf<T>::fill(int count) {
  items.reserve(static_cast<size_t>(count));         // line: reserve
  for (int i = 0; i < count; ++i) {
    items.push_back(std::unique_ptr<T>(new T));      // line: item
  }
}

SITE std::string *label(size_t length) {
  return new std::string(length, 'x');               // line: label
}

}  // namespace shop

int main() {
  auto &shelf = *new shop::Shelf<shop::Item>;  // never destroyed: still live at the end
  shelf.fill(10000);
  auto &labels = *new std::vector<std::string *>;
  for (int i = 0; i < 100; ++i) labels.push_back(shop::label(1000));
  auto in_lambda = [](int blocks) __attribute__((noinline)) {
    for (int i = 0; i < blocks; ++i) {
      void *volatile block = malloc(2222);           // line: lambda
      (void)block;
    }
  };
  in_lambda(500);
  say(1, "done\n");
  return 0;
}
