#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "store/capture.h"
#include "store/database.h"
#include "store/series.h"
#include "store/stored_series.h"

namespace heaptally::store {
namespace {

constexpr size_t kSqliteHeaderBytes = 100;
constexpr char kSqliteMagic[16] = "SQLite format 3";
constexpr size_t kUserVersionAt = 60, kApplicationIdAt = 68;

using Header = std::array<unsigned char, kSqliteHeaderBytes>;

uint32_t BigEndian(const Header& header, size_t at) {
  return uint32_t{header[at]} << 24 | uint32_t{header[at + 1]} << 16 | uint32_t{header[at + 2]} << 8 | header[at + 3];
}

// Reads the file's first bytes; a fault in words, or "".
std::string ReadHeader(const std::string& path, Header* header) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) return std::string("cannot be opened (") + std::strerror(errno) + "); check the name";
  struct stat status {};
  const bool regular = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  const bool whole =
      regular && pread(descriptor, header->data(), header->size(), 0) == static_cast<ssize_t>(header->size());
  close(descriptor);
  if (!regular) return "not a file; name a capture";
  return whole ? "" : "too short to be a capture; it may be cut, take it again";
}

std::string HeaderFault(const Header& header) {
  if (std::memcmp(header.data(), kSqliteMagic, sizeof kSqliteMagic) != 0) {
    return "not a heaptally capture; name a .heaptally file";
  }
  if (BigEndian(header, kApplicationIdAt) != kApplicationId) return "an SQLite file, but not a heaptally capture";
  const uint32_t format = BigEndian(header, kUserVersionAt);
  if (format <= kFormat) return "";
  return "written by a newer heaptally (capture format " + std::to_string(format) + ", this one reads " +
         std::to_string(kFormat) + "); update heaptally";
}

// A view or something worse under the table's name is not read.
bool HasTable(Database* database) {
  Statement table(database, "SELECT 1 FROM sqlite_schema WHERE name = 'snapshot' AND type = 'table' AND rootpage > 0");
  return table.Step() == Statement::Result::kRow;
}

std::vector<std::string> SeriesNames(Database* database) {
  std::vector<std::string> names;
  Statement row(database, "SELECT series FROM snapshot GROUP BY series ORDER BY max(id)");
  while (row.Step() == Statement::Result::kRow) names.emplace_back(row.BytesAt(0));
  return names;
}

bool Fail(const std::string& path, const std::string& fault, std::string* error) {
  *error = path + ": " + fault;
  return false;
}

constexpr const char* kDamaged = "damaged, so not all of it can be read; take the capture again";

struct OpenCapture {
  Database database;
  int format = kFormat;
};

std::optional<OpenCapture> Open(const std::string& path, std::string* error) {
  Header header{};
  std::string fault = ReadHeader(path, &header);
  if (fault.empty()) fault = HeaderFault(header);
  auto database = fault.empty() ? Database::OpenForReading(path, &fault) : std::nullopt;
  if (!database) {
    Fail(path, fault, error);
    return std::nullopt;
  }
  if (!HasTable(&*database)) {
    Fail(path, kDamaged, error);
    return std::nullopt;
  }
  const auto format = static_cast<int>(BigEndian(header, kUserVersionAt));
  return OpenCapture{std::move(*database), std::max(format, 1)};
}

using Visitor = std::function<void(profile::Profile&&, uint64_t moment)>;

bool VisitSnapshots(const std::string& path, StoredSeries::Visits visits, uint64_t last_moment, const Visitor& visit,
                    std::string* error) {
  auto capture = Open(path, error);
  if (!capture) return false;
  for (const std::string& name : SeriesNames(&capture->database)) {
    StoredSeries series(&capture->database, capture->format, name);
    const bool whole = series.ReadNames();
    if (!whole && visits == StoredSeries::Visits::kLast) return Fail(path, kDamaged, error);
    const auto hand_out = [&](const SeriesState& state, uint64_t moment) { visit(ProfileOf(state), moment); };
    if (!series.Visit(last_moment, hand_out, visits) || !whole) return Fail(path, kDamaged, error);
  }
  return true;
}

void AddTo(const profile::Profile& profile, uint64_t number, std::map<uint64_t, Moment>* moments) {
  Moment& moment = (*moments)[number];
  moment.number = number;
  moment.taken_unix_ns = std::max(moment.taken_unix_ns, profile.taken_unix_ns);
  moment.images.push_back(profile);
}

}  // namespace

bool LooksLikeCapture(const std::string& path) {
  Header header{};
  return ReadHeader(path, &header).empty() && std::memcmp(header.data(), kSqliteMagic, sizeof kSqliteMagic) == 0 &&
         BigEndian(header, kApplicationIdAt) == kApplicationId;
}

bool ForEachSnapshot(const std::string& path, Which which, const Visitor& visit, std::string* error) {
  return VisitSnapshots(path, which == Which::kAll ? StoredSeries::Visits::kAll : StoredSeries::Visits::kLast,
                        UINT64_MAX, visit, error);
}

std::optional<std::vector<profile::Profile>> ReadCapture(const std::string& path, std::string* error, Which which) {
  std::vector<profile::Profile> profiles;
  const auto keep = [&](profile::Profile&& profile, uint64_t) { profiles.push_back(std::move(profile)); };
  if (!ForEachSnapshot(path, which, keep, error)) return std::nullopt;
  return profiles;
}

std::optional<std::vector<profile::Profile>> ReadCaptureAt(const std::string& path, uint64_t moment,
                                                           std::string* error) {
  std::vector<profile::Profile> profiles;
  const auto keep = [&](profile::Profile&& profile, uint64_t) { profiles.push_back(std::move(profile)); };
  if (!VisitSnapshots(path, StoredSeries::Visits::kLast, moment, keep, error)) return std::nullopt;
  return profiles;
}

std::optional<std::vector<Moment>> ReadMoments(const std::string& path, std::string* error) {
  auto capture = Open(path, error);
  if (!capture) return std::nullopt;
  std::map<uint64_t, Moment> by_number;
  for (const std::string& name : SeriesNames(&capture->database)) {
    StoredSeries series(&capture->database, capture->format, name);
    const bool whole = series.ReadNames();
    const auto add = [&](const profile::Profile& profile, uint64_t number) { AddTo(profile, number, &by_number); };
    if (series.VisitFacts(add) && whole) continue;
    Fail(path, kDamaged, error);
    return std::nullopt;
  }
  std::vector<Moment> moments;
  for (auto& [number, moment] : by_number) moments.push_back(std::move(moment));
  return moments;
}

}  // namespace heaptally::store
