// For tests: a profile made by hand, with names, callers, plumbing and a stripped library.
#pragma once

#include <string>
#include <vector>

#include "profile/estimates.h"
#include "profile/profile.h"

namespace heaptally::cli {

class HandMadeProfile {
 public:
  HandMadeProfile() {
    profile_.pid = 4711;
    profile_.exe = "/opt/server/bin/server";
    profile_.argv = {"./server", "--port", "80"};
    profile_.mode = "exact";
    profile_.started_unix_ns = 1'700'000'000'000'000'000;
    profile_.taken_unix_ns = profile_.started_unix_ns + 12'400'000'000;
    profile_.peak_moments_unix_ns = {profile_.started_unix_ns + 7'100'000'000};
    profile_.state = profile::State::kExited;
    profile_.exit.status = 0;
    profile_.modules = {{.path = "/opt/server/bin/server"}, {.path = "/usr/lib/libpriv.so.3"}};
  }

  // A frame of the server itself; an empty function is code of the stripped library.
  uint32_t Frame(const std::string& function, const std::string& file = "", uint32_t line = 0) {
    const bool named = !function.empty();
    profile_.frames.push_back(
        {.module = named ? 0u : 1u, .address = 0x1000 + 0x10 * profile_.frames.size(), .exact_pc = false});
    profile_.sources.push_back(
        {{.function = function, .file = file, .line = line, .inlined = false, .why = named ? "" : "stripped"}});
    return static_cast<uint32_t>(profile_.frames.size() - 1);
  }

  // Of `calls` allocations of `size` bytes, `live` are left.
  profile::Site& Site(std::vector<uint32_t> frames, uint64_t size, uint64_t calls, uint64_t live,
                      uint64_t temporary = 0) {
    profile::Site site;
    site.id = static_cast<uint32_t>(profile_.sites.size());
    site.frames = std::move(frames);
    site.measures.allocated = {profile::ExactAmount(calls), profile::ExactAmount(calls * size)};
    site.measures.freed = {profile::ExactAmount(calls - live), profile::ExactAmount((calls - live) * size)};
    site.measures.live = {profile::ExactAmount(live), profile::ExactAmount(live * size)};
    site.measures.peak = {profile::ExactAmount(live * 2), profile::ExactAmount(live * 2 * size)};
    site.measures.temporary = profile::ExactAmount(temporary);
    profile_.sites.push_back(std::move(site));
    return profile_.sites.back();
  }

  profile::Profile Done() {
    SumTotals(&profile_);
    return profile_;
  }

  profile::Profile profile_;
};

// A server: a cache, a table, a parser in two callers, and a stripped library.
inline profile::Profile ServerProfile() {
  HandMadeProfile made;
  const uint32_t grow =
      made.Frame("void Table<std::pair<int const, std::string>>::grow(unsigned long)", "/src/table.h", 51);
  const uint32_t insert = made.Frame("cache::insert(Key const&, std::string)", "/src/cache.cc", 88);
  const uint32_t put = made.Frame("Server::put(Request&)", "/src/server.cc", 410);
  const uint32_t op_new = made.Frame("operator new(unsigned long)");
  const uint32_t vector = made.Frame("std::vector<int, std::allocator<int> >::_M_realloc_insert()",
                                     "/usr/include/c++/12/bits/vector.tcc", 440);
  const uint32_t parse = made.Frame("parse_header", "/src/http.c", 133);
  const uint32_t read = made.Frame("Server::read(Connection&)", "/src/server.cc", 77);
  const uint32_t stripped = made.Frame("");
  const uint32_t main = made.Frame("main", "/src/main.cc", 12);
  made.Site({op_new, vector, insert, put, main}, 160, 1'900'000, 1'230'000);
  made.Site({op_new, grow, main}, 64ull << 20, 3, 1);
  made.Site({parse, read, main}, 64, 9'000'000, 300'000, 8'100'000);
  made.Site({parse, put, main}, 64, 700'000, 40'000, 600'000);
  made.Site({stripped, main}, 4096, 12, 12);
  return made.Done();
}

}  // namespace heaptally::cli
