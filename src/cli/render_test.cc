// What people see, letter by letter, at 80 columns. When a change is meant, look at the new text before taking it over:
// it must answer where the memory is, how sure that is, what is missing and what to type next.
#include <gtest/gtest.h>

#include <sstream>
#include <tuple>

#include "cli/hand_made_profile.h"
#include "cli/render_places.h"
#include "cli/render_report.h"
#include "cli/render_summary.h"
#include "cli/text.h"

namespace heaptally::cli {
namespace {

RunFacts Facts() {
  RunFacts facts;
  facts.command = {"./server", "--port", "80"};
  facts.pid = 4711;
  facts.seconds = 12.4;
  facts.capture = "server.4711.heaptally";
  facts.resident = LastResident{.rss_bytes = 401u << 20, .shared_bytes = 14u << 20, .seconds_before_end = 0.04};
  facts.highest_resident_bytes = 802u << 20;
  return facts;
}

// The same profile as if it had been sampled every 512 KiB: proven a tenth, the rest inferred.
profile::Profile Sampled(profile::Profile profile) {
  profile.mode = "bytes";
  profile.period_bytes = 524288;
  const auto sample = [](profile::Amount* amount, double unit) {
    const auto value = static_cast<double>(amount->proven);
    amount->proven /= 10;
    amount->inferred = value - static_cast<double>(amount->proven);
    amount->variance = amount->inferred * unit;
    amount->samples = static_cast<uint64_t>(value / unit) + (value > 0 ? 1 : 0);
  };
  for (profile::Site& site : profile.sites) {
    for (profile::Volume* volume : {&site.measures.allocated, &site.measures.live, &site.measures.peak}) {
      const double size =
          volume->objects.proven != 0 ? static_cast<double>(volume->bytes.proven / volume->objects.proven) : 1;
      sample(&volume->objects, 524288 / size);
      sample(&volume->bytes, 524288);
    }
    site.measures.period = 524288;
    site.measures.floor_bytes = 64;
  }
  SumTotals(&profile);
  profile.totals.peak_whole = profile.totals.peak;
  return profile;
}

void ExpectFits(const std::string& text, size_t width) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(Width(line), width) << line;
}

TEST(RenderTest, SummaryOfOneProgram) {
  const std::string text = RenderSummary(Facts(), {ServerProfile()}, {.width = 80, .rows = 24});
  ExpectFits(text, 80);
  EXPECT_EQ(text, R"(
heaptally  ./server --port 80 (pid 4711), 12.4 s, exit status 0;
           every allocation counted; capture: server.4711.heaptally

  live at exit   272 MiB in 1.57 M objects      peak 545 MiB at 7.10 s
  churn          1.05 GiB in 11.6 M calls (935 k/s), 75 % temporary
  RSS            401 MiB, last seen 40.0 ms before the end = 387 MiB private +
                 14.0 MiB files and shared; highest 802 MiB

     live at exit                           bytes   share  objects
  1  cache::insert        cache.cc:88     188 MiB    69 %   1.23 M
       < Server::put      server.cc:410
  2  Table::grow          table.h:51     64.0 MiB    23 %        1
       < main             main.cc:12
  3  parse_header         http.c:133     20.8 MiB   7.6 %    340 k
       < Server::read +1  server.cc:77
  4  libpriv.so.3+0x1070                 48.0 KiB  <0.1 %       12
       < main             main.cc:12
     no names in libpriv.so.3: stripped

  not seen: nothing lost
  next: heaptally report server.4711.heaptally --by churn
        heaptally report server.4711.heaptally --full
)");
}

TEST(RenderTest, SummaryOfASampledProgram) {
  const std::string text = RenderSummary(Facts(), {Sampled(ServerProfile())}, {.width = 80, .rows = 24});
  ExpectFits(text, 80);
  EXPECT_EQ(text, R"(
heaptally  ./server --port 80 (pid 4711), 12.4 s, exit status 0;
           sampled every 512 KiB; capture: server.4711.heaptally

  live at exit   272 MiB (251-295) in 1.57 M objects
  peak           545 MiB (508-577) near 7.10 s
  churn          1.05 GiB (1.01-1.09) in 11.6 M calls (935 k/s), 75 % temporary
  RSS            401 MiB, last seen 40.0 ms before the end = 387 MiB private +
                 14.0 MiB files and shared; highest 802 MiB

     live at exit                           bytes       95 %  objects
  1  cache::insert        cache.cc:88     188 MiB    170-207   1.23 M
       < Server::put      server.cc:410
  2  Table::grow          table.h:51     64.0 MiB  53.9-75.5        1
       < main             main.cc:12
  3  parse_header         http.c:133     20.8 MiB  15.2-27.8    340 k
       < Server::read +1  server.cc:77
  4  libpriv.so.3+0x1070                 48.0 KiB  4.80-1983       12
       < main             main.cc:12
     ranked by the lower end of the interval
     stacks without a sample: 43.2 KiB (0.00-1978) together
     no names in libpriv.so.3: stripped

  not seen: nothing lost
  next: heaptally report server.4711.heaptally --by churn
        heaptally report server.4711.heaptally --full
)");
}

TEST(RenderTest, ChurnAt80Columns) {
  const std::string text = RenderReport({ServerProfile()}, {.by = analysis::By::kChurn, .width = 80});
  ExpectFits(text, 80);
  EXPECT_EQ(text, R"(./server --port 80 (pid 4711), 12.4 s, exit status 0; every allocation counted

  live at exit   272 MiB in 1.57 M objects      peak 545 MiB at 7.10 s
  churn          1.05 GiB in 11.6 M calls (935 k/s), 75 % temporary

     churn (bytes)                          bytes   share   calls  temp.
  1  parse_header         http.c:133      592 MiB    55 %  9.70 M   90 %
       < Server::read +1  server.cc:77
  2  cache::insert        cache.cc:88     290 MiB    27 %  1.90 M    0 %
       < Server::put      server.cc:410
  3  Table::grow          table.h:51      192 MiB    18 %       3    0 %
       < main             main.cc:12
  4  libpriv.so.3+0x1070                 48.0 KiB  <0.1 %      12    0 %
       < main             main.cc:12
     no names in libpriv.so.3: stripped

  not seen: nothing lost
)");
}

TEST(RenderTest, WideTerminalsShowMoreOfTheNames) {
  const std::string narrow = RenderReport({ServerProfile()}, {.width = 60});
  const std::string wide = RenderReport({ServerProfile()}, {.width = 200});
  ExpectFits(narrow, 60);
  ExpectFits(wide, 200);
  EXPECT_NE(wide.find("Table::grow"), std::string::npos) << wide;
}

TEST(RenderTest, ATreeOfThreeThousandCompilersIsOneScreen) {
  std::vector<profile::Profile> all;
  for (int32_t process = 0; process < 3000; ++process) {
    all.push_back(ServerProfile());
    all.back().pid = 10000 + process;
    all.back().exe = process % 3 == 0 ? "/usr/lib/gcc/cc1plus" : process % 3 == 1 ? "/usr/bin/as" : "/bin/sh";
  }
  const std::string text = RenderSummary(Facts(), all, {.width = 80, .rows = 40});
  ExpectFits(text, 80);
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 44) << text;
  EXPECT_NE(text.find("cc1plus"), std::string::npos);
}

TEST(RenderTest, AProgramThatFreesAllAtItsEndIsShownAtItsPeak) {
  HandMadeProfile made;
  profile::Site& site = made.Site({made.Frame("load", "/src/load.cc", 3)}, 1 << 20, 50, 0);
  site.measures.peak = site.measures.allocated;
  const std::string text = RenderSummary(Facts(), {made.Done()}, {});
  EXPECT_NE(text.find("live at the peak"), std::string::npos) << text;
  EXPECT_NE(text.find("load.cc:3"), std::string::npos) << text;
}

TEST(RenderTest, NothingSampledIsNeverZero) {
  HandMadeProfile made;
  made.profile_.mode = "bytes";
  made.profile_.period_bytes = 524288;
  const std::string text = RenderSummary(Facts(), {made.Done()}, {});
  EXPECT_NE(text.find("below 1.84 MiB"), std::string::npos) << text;
  EXPECT_EQ(text.find(" 0 B"), std::string::npos) << text;
}

// Every line of totals keeps a blank behind its label, whatever ended the program.
TEST(RenderTest, LabelsNeverTouchTheirNumbers) {
  for (const auto state : {profile::State::kRunning, profile::State::kKilled, profile::State::kExecd,
                           profile::State::kExited, profile::State::kUnknown}) {
    profile::Profile profile = ServerProfile();
    profile.state = state;
    for (const size_t width : {80, 200}) {
      EXPECT_NE(RenderTotals(profile, width).find(LiveWords(profile) + "  "), std::string::npos);
    }
  }
  EXPECT_NE(Labelled("a label of more than 15", "7 MiB", 80).find("15  7 MiB"), std::string::npos);
}

// The two halves of a sample may both err low at the peak.
TEST(RenderTest, ThePeakIsNotShownBelowWhatIsLive) {
  profile::Profile profile = Sampled(ServerProfile());
  profile.totals.peak = {};
  profile.totals.peak_whole = {};
  const std::string text = RenderReport({profile}, {});
  EXPECT_NE(text.find("live at exit   272 MiB (251-295)"), std::string::npos) << text;
  EXPECT_NE(text.find("peak           272 MiB (251-295)"), std::string::npos) << text;
}

TEST(RenderTest, TwoMomentsOfThePeakAreTwoOnlyWhereTheyAreApart) {
  profile::Profile profile = Sampled(ServerProfile());
  const auto at = [&](double seconds) { return profile.started_unix_ns + static_cast<uint64_t>(seconds * 1e9); };
  profile.peak_moments_unix_ns = {at(2.5), at(2.3)};
  EXPECT_NE(RenderTotals(profile, 80).find(" near 2.40 s\n"), std::string::npos) << RenderTotals(profile, 80);
  profile.peak_moments_unix_ns = {at(6.1), at(2.2)};
  EXPECT_NE(RenderTotals(profile, 80).find(" near 2.20 and 6.10 s\n"), std::string::npos);
  profile.peak_moments_unix_ns = {at(6.1), at(0.2)};
  EXPECT_NE(RenderTotals(profile, 80).find(" near 200 ms and 6.10 s\n"), std::string::npos);
}

TEST(RenderTest, TheHighestResidentSizeIsTheLargerOfBoth) {
  RunFacts facts = Facts();
  facts.highest_resident_bytes = 802u << 20;
  facts.largest_resident_bytes = 900u << 20;
  EXPECT_NE(RenderSummary(facts, {ServerProfile()}, {}).find("highest 900 MiB"), std::string::npos);
  facts.largest_resident_bytes = 700u << 20;
  EXPECT_NE(RenderSummary(facts, {ServerProfile()}, {}).find("highest 802 MiB"), std::string::npos);
  EXPECT_NE(RenderSummary(facts, {ServerProfile(), ServerProfile()}, {}).find("largest process 802 MiB"),
            std::string::npos);
}

TEST(RenderTest, NothingLostIsNotSaidWhereSomethingWasNotSeen) {
  RunFacts facts = Facts();
  EXPECT_NE(RenderSummary(facts, {ServerProfile()}, {}).find("nothing lost"), std::string::npos);
  facts.unseen = {"st (pid 7), statically linked"};
  const std::string text = RenderSummary(facts, {ServerProfile()}, {});
  EXPECT_EQ(text.find("nothing lost"), std::string::npos) << text;
  EXPECT_NE(text.find("not seen: st (pid 7), statically linked\n"), std::string::npos) << text;
  facts.unseen.clear();
  facts.notes = {"x executed y, which was not recorded"};
  EXPECT_EQ(RenderSummary(facts, {ServerProfile()}, {}).find("nothing lost"), std::string::npos);
}

TEST(RenderTest, HistogramLabelsDoNotTouch) {
  HandMadeProfile made;
  profile::Site& site = made.Site({made.Frame("f", "/src/f.cc", 7)}, 1, 1, 1);
  for (uint64_t from = 100; from < 1'000'000'000; from *= 2)
    site.lifetimes_ns.push_back({from, 2 * from - 1, profile::ExactAmount(3)});
  const std::string text = RenderReport({made.Done()}, {.width = 80, .full = true});
  ExpectFits(text, 80);
  EXPECT_NE(text.find("in 1 object;"), std::string::npos) << text;
  const std::string edges =
      text.substr(text.find("lifetime "), text.find('\n', text.find("lifetime ")) - text.find("lifetime "));
  std::istringstream words(edges);
  for (std::string word; words >> word;) EXPECT_LE(word.size(), 8u) << edges;
}

// The server as if it also mapped memory by itself, in two lines of code, and its resident memory had been looked at.
profile::Profile WithMappings(profile::Profile profile) {
  for (const auto& [bytes, resident, frame] : {std::tuple{64u << 20, 3u << 20, 1u}, {12u << 20, 9u << 20, 2u}}) {
    profile::Site site;
    site.id = (1u << 24) + frame;
    site.memory_class = "mapped";
    site.frames = {frame};
    site.measures.allocated = site.measures.live = site.measures.peak = {profile::ExactAmount(2), profile::ExactAmount(bytes)};
    profile.coverage.resident_by_site[site.id] = resident;
    profile.sites.push_back(site);
  }
  SumTotals(&profile);
  profile::Coverage& seen = profile.coverage;
  seen.rss_bytes = 401u << 20;
  seen.heap_resident_bytes = 370u << 20;
  seen.heap_live = profile::ExactAmount(312u << 20);
  seen.allocator_kept_bytes = 58u << 20;
  seen.mapped_resident_bytes = 12u << 20;
  seen.stacks_bytes = 3u << 20;
  seen.files_bytes = 13u << 20;
  seen.own_bytes = 2u << 20;
  seen.unexplained_bytes = 1u << 20;
  seen.as_of_unix_ns = profile.taken_unix_ns - 40'000'000;
  return profile;
}

std::string OneLine(const std::string& text) {
  std::istringstream in(text);
  std::string words;
  for (std::string word; in >> word;) words += (words.empty() ? "" : " ") + word;
  return words;
}

TEST(RenderTest, ResidentMemoryIsAccountedFor) {
  const profile::Profile profile = WithMappings(ServerProfile());
  RunFacts facts = Facts();
  facts.ending.unix_ns = profile.taken_unix_ns;
  const std::string parts =
      "401 MiB, last seen 40.0 ms before the end = heap live 312 MiB + kept by malloc 58.0 MiB + mapped 12.0 MiB + "
      "stacks 3.00 MiB + files 13.0 MiB + heaptally 2.00 MiB + unexplained 1.00 MiB";
  const std::string summary = RenderSummary(facts, {profile}, {.width = 80, .rows = 24});
  ExpectFits(summary, 80);
  EXPECT_NE(OneLine(summary).find("RSS " + parts + "; highest 802 MiB"), std::string::npos) << summary;
  const std::string report = RenderReport({profile}, {.width = 80});
  ExpectFits(report, 80);
  EXPECT_NE(OneLine(report).find("RSS " + parts), std::string::npos) << report;
  for (const std::string& text : {summary, report}) {
    // What was resident at the last look is not a part of what is left at the end.
    EXPECT_NE(OneLine(text).find("mapped 76.0 MiB reserved at the end in 4 mappings"), std::string::npos) << text;
    EXPECT_NE(OneLine(text).find("mapped, not by malloc peak end resident mappings"), std::string::npos) << text;
    // By what was reserved at the peak, exactly known; how much of it was resident at the last look comes after it.
    const size_t first = text.find("1  cache::insert", text.find("mapped, not by malloc"));
    const size_t second = text.find("2  Server::put", text.find("mapped, not by malloc"));
    EXPECT_LT(first, second) << text;
    EXPECT_NE(second, std::string::npos) << text;
  }
  // Class mapped is in no number of the heap.
  EXPECT_EQ(OneLine(RenderReport({profile}, {.full = true})).find("64.0 MiB in 2 objects"), std::string::npos);
  EXPECT_EQ(profile.totals, ServerProfile().totals);
}

TEST(RenderTest, AHundredthOfTheHeapThatWasMappedIsNoNews) {
  profile::Profile profile = WithMappings(ServerProfile());
  for (profile::Site& site : profile.sites) {
    if (site.mapped()) site.measures.allocated = site.measures.live = site.measures.peak = {profile::ExactAmount(1), profile::ExactAmount(4096)};
  }
  const std::string text = RenderReport({profile}, {.width = 80});
  EXPECT_EQ(text.find("mapped, not by malloc"), std::string::npos) << text;
  EXPECT_EQ(OneLine(text).find("mapped 8.00 KiB reserved"), std::string::npos) << text;
}

TEST(RenderTest, MappedMemoryOfARunningProcessIsOfOneMoment) {
  profile::Profile profile = WithMappings(ServerProfile());
  profile.state = profile::State::kRunning;
  const std::string text = OneLine(RenderReport({profile}, {.width = 80}));
  EXPECT_NE(text.find("mapped 76.0 MiB reserved, 12.0 MiB of it resident, in 4 mappings"), std::string::npos) << text;
  EXPECT_NE(text.find("mapped, not by malloc reserved resident mappings"), std::string::npos) << text;
  // By what is resident, so the larger reservation comes second.
  EXPECT_NE(text.find("2 cache::insert", text.find("1 Server::put")), std::string::npos) << text;
}

TEST(RenderTest, WhereMoreIsLiveThanResidentTheHeapIsOneNumber) {
  profile::Profile profile = WithMappings(ServerProfile());
  profile.coverage.heap_live = profile::ExactAmount(500u << 20);
  const std::string text = OneLine(RenderReport({profile}, {}));
  EXPECT_NE(text.find("= heap 370 MiB + mapped"), std::string::npos) << text;
  EXPECT_EQ(text.find("kept"), std::string::npos);
}

TEST(RenderTest, PlainMeansPlainEverywhere) {
  for (const bool tree : {false, true}) {
    for (const bool full : {false, true}) {
      std::vector<profile::Profile> all(tree ? 2 : 1, WithMappings(Sampled(ServerProfile())));
      for (profile::Profile& profile : all) {
        profile.coverage.rss_bytes = 401u << 20;
        profile.unattributed_bytes = 123'456'789;
        profile.unattributed_objects = 123'456;
      }
      const std::string text = RenderReport(all, {.width = 120, .full = full, .style = {.plain = true}});
      for (const char* unit : {"KiB", "MiB", "GiB", " k ", " M ", " k\n", " M\n", " M,", " k/s"})
        EXPECT_EQ(text.find(unit), std::string::npos) << unit << " in " << text;
    }
  }
}

TEST(RenderTest, NamesFromTheProgramCannotWriteToTheTerminal) {
  HandMadeProfile made;
  made.Site({made.Frame("evil\x1b[2J\nname", "fi\x1b]0;le.c", 3)}, 10, 1, 1);
  made.profile_.argv = {"a\x1b[31mb"};
  for (const bool full : {false, true}) {
    EXPECT_EQ(RenderReport({made.Done()}, {.full = full}).find('\x1b'), std::string::npos);
  }
  EXPECT_EQ(RenderSummary(Facts(), {made.Done()}, {}).find('\x1b'), std::string::npos);
}

TEST(RenderTest, FullShowsWholeStacksAndHistograms) {
  HandMadeProfile made;
  profile::Site& site = made.Site({made.Frame("operator new(unsigned long)"), made.Frame("f(int)", "/src/f.cc", 7),
                                   made.Frame("main", "/src/m.cc", 1)},
                                  100, 30, 3);
  site.sizes = {{64, 127, profile::ExactAmount(20)}, {128, 255, profile::ExactAmount(10)}};
  site.lifetimes_ns = {{1024, 2047, profile::ExactAmount(27)}};
  const std::string text = RenderReport({made.Done()}, {.width = 80, .full = true});
  ExpectFits(text, 80);
  EXPECT_EQ(text, R"(./server --port 80 (pid 4711), 12.4 s, exit status 0; every allocation counted

  live at exit   300 B in 3 objects      peak 600 B at 7.10 s
  churn          2.93 KiB in 30 calls (2/s)

1. operator new(unsigned long)  [server]
     < f(int)  /src/f.cc:7
     < main  /src/m.cc:1
     live 300 B in 3 objects; peak 600 B; allocated 2.93 KiB in 30 calls, freed
       27
     size        64  128
                  █    ▄
     lifetime  <1us  1us 10us .1ms  1ms 10ms  .1s   1s  10s live
                  .    █    .    .    .    .    .    .    .    ▁

  not seen: nothing lost
)");
}

TEST(RenderTest, PlainBytesAreIntegers) {
  const std::string text = RenderPlaces({}, {});
  EXPECT_EQ(text, "");
  const profile::Profile profile = ServerProfile();
  const std::string plain = RenderPlaces({&profile}, {.style = {.plain = true}, .by_words = "live"});
  EXPECT_NE(plain.find("196800000"), std::string::npos) << plain;
  EXPECT_EQ(plain.find("MiB"), std::string::npos) << plain;
}

}  // namespace
}  // namespace heaptally::cli
