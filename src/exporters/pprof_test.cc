#include "exporters/pprof.h"

#include <gtest/gtest.h>

#include <cmath>
#include <zlib.h>

#include "exporters/gzip.h"
#include "exporters/made_profile.h"
#include "exporters/protobuf_reader.h"

namespace heaptally::exporters {
namespace {

using Values = std::vector<uint64_t>;

std::string Inflate(const std::string& gzip) {
  z_stream stream{};
  inflateInit2(&stream, 15 + 16);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(gzip.data()));
  stream.avail_in = static_cast<uInt>(gzip.size());
  std::string out, room(1 << 16, '\0');
  int result = Z_OK;
  while (result == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(room.data());
    stream.avail_out = static_cast<uInt>(room.size());
    result = inflate(&stream, Z_NO_FLUSH);
    out.append(room, 0, room.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  EXPECT_EQ(result, Z_STREAM_END);
  EXPECT_EQ(stream.avail_in, 0u) << "more than one member";
  return out;
}

class Read {
 public:
  explicit Read(const std::string& bytes) : top(bytes), strings(top.Bytes(6)) {}
  std::string Text(const ProtobufReader& message, uint32_t field) const { return strings.at(message.Integer(field)); }
  // Leaf first, inlined functions first.
  std::vector<std::string> Names(const ProtobufReader& sample) const {
    std::vector<std::string> out;
    for (const uint64_t location : sample.Packed(1)) {
      for (const ProtobufReader& line : top.Messages(4).at(location - 1).Messages(4)) {
        out.push_back(Text(top.Messages(5).at(line.Integer(1) - 1), 2));
      }
    }
    return out;
  }

  ProtobufReader top;
  std::vector<std::string> strings;
};

Read Written(const std::vector<profile::Profile>& profiles, const StackChoice& choice = {}) {
  return Read(Pprof(profiles, choice, PlainWording(), "tool 1"));
}

TEST(Pprof, SamplesHaveFourValuesAndTheirStacksLeafFirst) {
  profile::Profile profile = ExactProfile();
  profile.sites[0].measures.live.objects = profile::ExactAmount(9);
  profile.taken_unix_ns = 1'000'000'007;
  const Read read = Written({profile});
  std::vector<std::string> types;
  for (const ProtobufReader& type : read.top.Messages(1)) types.push_back(read.Text(type, 1) + "/" + read.Text(type, 2));
  EXPECT_EQ(types, (std::vector<std::string>{"alloc_objects/count", "alloc_space/bytes", "inuse_objects/count",
                                             "inuse_space/bytes"}));
  const auto samples = read.top.Messages(2);
  ASSERT_EQ(samples.size(), 4u);
  EXPECT_EQ(samples[0].Packed(2), (Values{400, 300, 9, 100}));
  EXPECT_EQ(read.Names(samples[0]), (std::vector<std::string>{"inner", "outer", "main"}));
  EXPECT_EQ(samples[0].Packed(1).size(), 2u) << "inlined functions are lines of one location";
  EXPECT_EQ(samples[1].Packed(2), (Values{92, 69, 0, 23}));
  EXPECT_TRUE(samples[0].Messages(3).empty()) << "one process and one class need no labels";
  EXPECT_EQ(read.top.Integer(9), 1'000'000'007u);
  EXPECT_EQ(read.top.IntegerCount(9), 1u);
  EXPECT_EQ(read.top.IntegerCount(10), 0u);
  EXPECT_EQ(read.top.Integer(12), 1u) << "exact: every byte is a sample";
  EXPECT_EQ(read.Text(read.top.Messages(11)[0], 1), "space");
  EXPECT_EQ(read.Text(read.top, 14), "inuse_space");
  EXPECT_EQ(read.strings[0], "");
}

TEST(Pprof, IdsAreDenseAndTheFirstMappingIsTheProgram) {
  const Read read = Written({SampledProfile()});
  for (const uint32_t table : {3u, 4u, 5u}) {
    uint64_t id = 0;
    for (const ProtobufReader& entry : read.top.Messages(table)) EXPECT_EQ(entry.Integer(1), ++id);
    EXPECT_GT(id, 0u);
  }
  const ProtobufReader mapping = read.top.Messages(3)[0];
  EXPECT_EQ(read.Text(mapping, 5), "/opt/server");
  for (const uint32_t flag : {7u, 8u, 9u, 10u}) EXPECT_EQ(mapping.Integer(flag), 1u);
}

TEST(Pprof, AModuleWithoutNamesSaysThatItHasNone) {
  MadeProfile made;
  made.Site({made.Frame({""}, 0)}, profile::ExactAmount(1));
  made.profile_.sources[0][0].file = "";
  const Read read = Written({made.Done()});
  const ProtobufReader mapping = read.top.Messages(3)[0];
  for (const uint32_t flag : {7u, 8u, 9u, 10u}) EXPECT_EQ(mapping.Integer(flag), 0u);
  EXPECT_EQ(read.Names(read.top.Messages(2)[0])[0], "server+0x1000");
}

TEST(Pprof, PeakTakesThePlaceOfLive) {
  const Read read = Written({ExactProfile()}, {.by = analysis::By::kPeak});
  EXPECT_EQ(read.top.Messages(2)[0].Packed(2), (Values{400, 300, 0, 200}));
  EXPECT_EQ(read.strings[read.top.Packed(13)[1]], "inuse: what was live at the peak, not at the end");
  const Read churn = Written({ExactProfile()}, {.by = analysis::By::kChurn});
  EXPECT_EQ(churn.Text(churn.top, 14), "alloc_space");
}

TEST(Pprof, ProcessesAndClassesAreLabels) {
  profile::Profile other = ExactProfile();
  other.pid = 8;
  const Read read = Written({ExactProfile(), other}, {.classes = Classes::kAll});
  std::map<std::string, uint64_t> sums;
  for (const ProtobufReader& sample : read.top.Messages(2)) {
    std::string labels;
    for (const ProtobufReader& label : sample.Messages(3)) labels += read.Text(label, 1) + "=" + read.Text(label, 2) + " ";
    sums[labels] += sample.Packed(2)[3];
  }
  EXPECT_EQ(sums, (std::map<std::string, uint64_t>{{"pid=7 program=server class=malloc ", 129},
                                                   {"pid=7 program=server class=mapped ", 1'000'000},
                                                   {"pid=8 program=server class=malloc ", 129},
                                                   {"pid=8 program=server class=mapped ", 1'000'000}}));
}

TEST(Pprof, ThreadsAreLabelsWhereTheyHaveNames) {
  MadeProfile made;
  const uint32_t main = made.Frame({"main"});
  made.Site({main}, profile::ExactAmount(1)).thread = "worker-#";
  made.Site({main}, profile::ExactAmount(2)).thread = "io\n";
  made.Site({main}, profile::ExactAmount(4));
  const Read read = Written({made.Done()});
  std::map<std::string, uint64_t> values;
  for (const ProtobufReader& sample : read.top.Messages(2)) {
    const auto labels = sample.Messages(3);
    values[labels.empty() ? "" : read.Text(labels[0], 1) + "=" + read.Text(labels[0], 2)] = sample.Packed(2)[3];
  }
  EXPECT_EQ(values, (std::map<std::string, uint64_t>{{"thread=worker-#", 1}, {"thread=io?", 2}, {"", 4}}));
}

TEST(Pprof, NamesSurvive) {
  MadeProfile made;
  const std::string longest(70'000, 'x');
  std::vector<uint32_t> frames;
  for (const std::string& name : {std::string("a;b"), std::string("c\nd\te 17"), std::string("\xff\xfe"), longest}) {
    frames.push_back(made.Frame({name}));
  }
  made.Site(frames, profile::ExactAmount(1));
  const Read read = Written({made.Done()});
  EXPECT_EQ(read.Names(read.top.Messages(2)[0]), (std::vector<std::string>{"a;b", "c?d?e 17", "??", longest}));
}

TEST(Pprof, SampledNumbersSayHowSureTheyAre) {
  profile::Profile profile = SampledProfile();
  profile.mode = "bytes";
  profile.period_bytes = 1000;
  profile.loss["lock-timeout"] = 3;
  const Read read = Written({profile});
  EXPECT_EQ(read.top.Integer(12), 1000u);
  std::string comments;
  for (const uint64_t comment : read.top.Packed(13)) comments += read.strings[comment] + "\n";
  EXPECT_NE(comments.find("one sample in 1000 bytes"), std::string::npos) << comments;
  EXPECT_NE(comments.find("# inuse_space: "), std::string::npos) << comments;
  EXPECT_NE(comments.find("95 % interval"), std::string::npos) << comments;
  EXPECT_NE(comments.find("# server (7): 3 "), std::string::npos) << comments;
}

TEST(Pprof, CountedCallsHaveTheirOwnPeriodAndNoBytes) {
  const profile::Profile profile = CountedProfile();
  const long long calls = std::llround(profile.totals.allocated.objects.value());
  const long long live = std::llround(profile.totals.live.objects.value());
  for (const analysis::By by : {analysis::By::kCalls, analysis::By::kLive, analysis::By::kPeak, analysis::By::kChurn}) {
    const Read read = Written({profile}, {.by = by});
    std::vector<std::string> types;
    for (const ProtobufReader& type : read.top.Messages(1)) types.push_back(read.Text(type, 1));
    const bool peak = by == analysis::By::kPeak;  // the moment of most bytes: what lived then is not known either
    EXPECT_EQ(types, peak ? std::vector<std::string>({"alloc_objects"}) : std::vector<std::string>({"alloc_objects", "inuse_objects"}));
    Values sums(types.size());
    for (const ProtobufReader& sample : read.top.Messages(2)) {
      const Values values = sample.Packed(2);
      ASSERT_EQ(values.size(), types.size());
      for (size_t at = 0; at < values.size(); ++at) sums[at] += values[at];
    }
    EXPECT_EQ(sums[0], static_cast<uint64_t>(calls));
    if (!peak) {
      EXPECT_EQ(sums[1], static_cast<uint64_t>(live));
    }
    EXPECT_EQ(read.Text(read.top, 14), "alloc_objects");
    EXPECT_EQ(read.Text(read.top.Messages(11)[0], 1) + "/" + read.Text(read.top.Messages(11)[0], 2), "objects/count");
    EXPECT_EQ(read.top.Integer(12), 200u);
    std::string comments;
    for (const uint64_t comment : read.top.Packed(13)) comments += read.strings[comment] + "\n";
    EXPECT_NE(comments.find("count, one sample in 200 calls"), std::string::npos) << comments;
    EXPECT_NE(comments.find("bytes are not known"), std::string::npos) << comments;
    EXPECT_EQ(comments.find("_space"), std::string::npos) << comments;
  }
}

TEST(Pprof, SamplesByCallsWithSizesHaveThatPeriodToo) {
  profile::Profile profile = SampledProfile();
  profile.mode = "per-class";
  profile.period_calls = 50;
  const Read read = Written({profile});
  EXPECT_EQ(read.top.Messages(1).size(), 4u);
  EXPECT_EQ(read.Text(read.top.Messages(11)[0], 1) + "/" + read.Text(read.top.Messages(11)[0], 2), "objects/count");
  EXPECT_EQ(read.top.Integer(12), 50u);
  EXPECT_EQ(read.Text(read.top, 14), "inuse_space");
}

TEST(Pprof, WhatOneOfTheProcessesDoesNotKnowIsLeftOutForAll) {
  const Read read = Written({ExactProfile(), CountedProfile()});
  std::vector<std::string> types;
  for (const ProtobufReader& type : read.top.Messages(1)) types.push_back(read.Text(type, 1));
  EXPECT_EQ(types, (std::vector<std::string>{"alloc_objects", "inuse_objects"}));
}

TEST(Pprof, ADeepStackAndNoProfileAtAll) {
  MadeProfile made;
  made.Site(std::vector<uint32_t>(2000, made.Frame({"f"})), profile::ExactAmount(1));
  EXPECT_EQ(Written({made.Done()}).top.Messages(2)[0].Packed(1).size(), 2000u);
  EXPECT_TRUE(Written({}).top.Messages(2).empty());
}

TEST(Gzip, IsReadBack) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += std::to_string(i * 2654435761u);
  for (const std::string& bytes : {std::string(), std::string("a"), std::string(1 << 20, '\0'), text}) {
    EXPECT_EQ(Inflate(Gzip(bytes)), bytes);
  }
  EXPECT_EQ(Gzip(text), Gzip(text));
}

}  // namespace
}  // namespace heaptally::exporters
