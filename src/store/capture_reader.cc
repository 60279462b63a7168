#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "store/capture.h"
#include "store/database.h"
#include "store/profile_blobs.h"

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

bool Visit(Statement* row, const std::function<void(profile::Profile&&)>& visit) {
  const std::string_view facts = row->BytesAt(0), modules = row->BytesAt(1), frames = row->BytesAt(2),
                         sites = row->BytesAt(3);
  if (static_cast<uint64_t>(row->IntegerAt(4)) != SealOf(facts, modules, frames, sites)) return false;
  profile::Profile profile;
  if (!Unpack(facts, modules, frames, sites, &profile)) return false;
  visit(std::move(profile));
  return true;
}

bool Fail(const std::string& path, const std::string& fault, std::string* error) {
  *error = path + ": " + fault;
  return false;
}

}  // namespace

bool LooksLikeCapture(const std::string& path) {
  Header header{};
  return ReadHeader(path, &header).empty() && std::memcmp(header.data(), kSqliteMagic, sizeof kSqliteMagic) == 0 &&
         BigEndian(header, kApplicationIdAt) == kApplicationId;
}

bool ForEachSnapshot(const std::string& path, Which which, const std::function<void(profile::Profile&&)>& visit,
                     std::string* error) {
  Header header{};
  std::string fault = ReadHeader(path, &header);
  if (fault.empty()) fault = HeaderFault(header);
  if (!fault.empty()) return Fail(path, fault, error);
  auto database = Database::OpenForReading(path, &fault);
  if (!database) return Fail(path, "cannot be opened (" + fault + ")", error);
  const std::string damaged = "damaged, so not all of it can be read; take the capture again";
  if (!HasTable(&*database)) return Fail(path, damaged, error);
  Statement row(&*database, which == Which::kAll
                                ? "SELECT facts, modules, frames, stacks, seal FROM snapshot ORDER BY id"
                                : "SELECT facts, modules, frames, stacks, seal FROM snapshot WHERE id IN "
                                  "(SELECT max(id) FROM snapshot GROUP BY series) ORDER BY id");
  for (;;) {
    const Statement::Result result = row.Step();
    if (result == Statement::Result::kDone) return true;
    if (result == Statement::Result::kError || !Visit(&row, visit)) return Fail(path, damaged, error);
  }
}

std::optional<std::vector<profile::Profile>> ReadCapture(const std::string& path, std::string* error, Which which) {
  std::vector<profile::Profile> profiles;
  if (!ForEachSnapshot(
          path, which, [&](profile::Profile&& profile) { profiles.push_back(std::move(profile)); }, error)) {
    return std::nullopt;
  }
  return profiles;
}

}  // namespace heaptally::store
