#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "profile/estimates.h"
#include "store/capture.h"
#include "store/database.h"
#include "store/schema.h"
#include "store/series.h"
#include "store/site_rows.h"
#include "store/stored_series.h"

namespace heaptally::store {
namespace {

using profile::Profile;

const char* StateText(profile::State state) {
  constexpr const char* kNames[] = {"running", "exited", "killed", "exec'd", "unknown"};
  return kNames[static_cast<size_t>(state)];
}

// Snapshots of one image belong together. A child whose pid is not known is told apart by its number in the file.
std::string SeriesName(const Profile& profile, uint64_t number) {
  std::string series =
      std::to_string(profile.pid) + "." + std::to_string(profile.started_unix_ns) + "." + profile.host;
  if (profile.pid == 0) series += "." + std::to_string(number);
  return series;
}

std::string CommandOf(const Profile& profile) {
  std::string command;
  for (const std::string& argument : profile.argv) command += (command.empty() ? "" : " ") + argument;
  return command;
}

void BindOptional(const std::optional<int>& number, Statement* row) { number ? row->Signed(*number) : row->Null(); }

void BindTotals(const Profile& profile, Statement* row) {
  const profile::Measures& m = profile.totals;
  const auto live = profile::BytesEstimate(m, m.live.bytes), peak = profile::PeakBytesEstimate(m);
  const auto bytes = [&](double number) { m.bytes_known ? row->Real(number) : row->Null(); };
  bytes(live.v), bytes(live.lo), bytes(live.hi);
  row->Real(m.live.objects.value());
  bytes(peak.v), bytes(peak.lo), bytes(peak.hi), bytes(m.allocated.bytes.value());
  row->Real(m.allocated.objects.value()).Real(m.freed.objects.value());
  row->Real(m.temporary.value()).Integer(profile.sites.size());
}

void BindIdentity(const Profile& profile, Statement* row) {
  row->Signed(profile.pid).Signed(profile.parent_pid).Integer(profile.image).Text(profile.exe).Text(CommandOf(profile));
  row->Text(profile.host).Text(profile.layer).Text(profile.mode);
  profile.period_bytes != 0 ? row->Integer(profile.period_bytes) : row->Null();
  row->Integer(profile.started_unix_ns).Integer(profile.taken_unix_ns).Text(StateText(profile.state));
  BindOptional(profile.exit.status, row);
  BindOptional(profile.exit.signal, row);
  profile.coverage.rss_bytes ? row->Integer(*profile.coverage.rss_bytes) : row->Null();
}

bool WriteSnapshot(Database* database, uint64_t number, uint64_t moment, const std::string& series,
                   const Profile& profile, const PackedSnapshot& packed, uint64_t seal) {
  Statement row(database,
                "INSERT INTO snapshot VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  row.Integer(number).Text(series).Integer(moment);
  BindIdentity(profile, &row);
  BindTotals(profile, &row);
  row.Blob(packed.facts).Blob(packed.modules).Blob(packed.frames).Blob(packed.names).Blob(packed.sites).Integer(seal);
  return row.Step() == Statement::Result::kDone;
}

bool RemoveRows(Database* database, const std::string& series) {
  Statement rows(database, "DELETE FROM site_row WHERE snapshot IN (SELECT id FROM snapshot WHERE series = ?)");
  return rows.Text(series).Step() == Statement::Result::kDone;
}

bool Sync(const std::string& path, int flags) {
  const int descriptor = open(path.c_str(), flags | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool synced = fsync(descriptor) == 0;
  close(descriptor);
  return synced;
}

std::string DirectoryOf(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

bool WriteFrame(Database* database) {
  const std::string stamp = "PRAGMA application_id = " + std::to_string(kApplicationId) +
                            "; PRAGMA user_version = " + std::to_string(kFormat) + ";";
  if (!database->Run(stamp.c_str()) || !database->Run(kSchema)) return false;
  Statement row(database, "INSERT INTO capture VALUES('created_ns', ?)");
  row.Integer(static_cast<uint64_t>(std::time(nullptr)) * 1'000'000'000);
  return row.Step() == Statement::Result::kDone;
}

}  // namespace

struct CaptureWriter::Series {
  SeriesPacker packer;
  uint64_t seal = 0;  // of its last snapshot
};

CaptureWriter::CaptureWriter(std::string path, std::string temporary, WriteOptions options, Database database)
    : path_(std::move(path)),
      temporary_(std::move(temporary)),
      options_(std::move(options)),
      database_(std::make_unique<Database>(std::move(database))) {}

CaptureWriter::CaptureWriter(CaptureWriter&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, "")),
      options_(std::move(other.options_)),
      database_(std::move(other.database_)),
      series_(std::move(other.series_)),
      snapshots_(other.snapshots_),
      moment_(other.moment_) {}

CaptureWriter::~CaptureWriter() {
  database_.reset();
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

bool CaptureWriter::Fail(const std::string& fault, std::string* error) const {
  *error = path_ + ": the capture can't be written (" + fault + "); choose another place with -o";
  return false;
}

std::optional<CaptureWriter> CaptureWriter::Create(const std::string& path, WriteOptions options, std::string* error) {
  std::string temporary = path + ".tmp-XXXXXX";
  const int descriptor = mkostemp(temporary.data(), O_CLOEXEC);  // mode 0600
  if (descriptor < 0) {
    *error = path + ": the capture can't be written (" + std::strerror(errno) + "); choose another place with -o";
    return std::nullopt;
  }
  close(descriptor);
  std::string fault;
  auto database = Database::Create(temporary, &fault);
  if (!database) {
    unlink(temporary.c_str());
    *error = path + ": the capture can't be written (" + fault + "); choose another place with -o";
    return std::nullopt;
  }
  CaptureWriter writer(path, temporary, std::move(options), std::move(*database));
  if (WriteFrame(writer.database_.get())) return writer;
  writer.Fail(writer.database_->LastError(), error);
  return std::nullopt;
}

// Snapshot by snapshot: whatever else may be in the older file (triggers, a format of old) stays behind.
std::optional<CaptureWriter> CaptureWriter::Continue(const std::string& path, WriteOptions options,
                                                     std::string* error) {
  auto writer = Create(path, std::move(options), error);
  if (!writer) return std::nullopt;
  uint64_t last = 0;
  bool added = true;
  const auto add = [&](Profile&& profile, uint64_t moment) {
    writer->moment_ = moment;
    last = std::max(last, moment);
    added = added && writer->Add(profile, error);
  };
  std::string fault;
  const bool read = ForEachSnapshot(path, Which::kAll, add, &fault);
  if (!read) *error = fault;
  if (!read || !added) return std::nullopt;
  writer->moment_ = last + 1;
  return writer;
}

void CaptureWriter::SetRows(size_t images) {
  if (images != 0) options_.rows = std::min(options_.rows, std::max<size_t>(10, 5000 / images));
}

bool CaptureWriter::Begin() { return database_->InTransaction() || database_->Run("BEGIN"); }

// Goes on from what the file has where the series is not in memory. nullptr: it can't be read.
CaptureWriter::Series* CaptureWriter::SeriesOf(const Profile&, const std::string& name) {
  const auto known = series_.find(name);
  if (known != series_.end()) return &known->second;
  StoredSeries stored(database_.get(), kFormat, name);
  if (!stored.ReadNames()) return nullptr;
  SeriesState state;
  uint64_t seal = 0;
  if (!stored.Visit(UINT64_MAX, [&](const SeriesState& at, uint64_t) { state = at; }, StoredSeries::Visits::kLast)) return nullptr;
  seal = stored.seal();
  return &series_.emplace(name, Series{SeriesPacker(std::move(state)), seal}).first->second;
}

bool CaptureWriter::Insert(const Profile& profile, Rows rows) {
  const std::string name = SeriesName(profile, snapshots_ + 1);
  Series* series = SeriesOf(profile, name);
  if (series == nullptr) return false;
  const PackedSnapshot packed = series->packer.Next(profile);
  series->seal = SealOf(series->seal, moment_, packed.Blobs());
  if (!WriteSnapshot(database_.get(), ++snapshots_, moment_, name, profile, packed, series->seal)) return false;
  // What has ended will hardly be added to again.
  if (profile.state != profile::State::kRunning) series_.erase(name);
  return RemoveRows(database_.get(), name) &&
         (rows == Rows::kNone || WriteSiteRows(database_.get(), snapshots_, profile, options_));
}

bool CaptureWriter::Add(const Profile& profile, std::string* error, Rows rows) {
  return (Begin() && Insert(profile, rows)) || Fail(database_->LastError(), error);
}

bool CaptureWriter::Rename(std::string* error) {
  // A device or a pipe of that name must not be replaced by a file: whoever is root could do it.
  struct stat there = {};
  if (lstat(path_.c_str(), &there) == 0 && !S_ISREG(there.st_mode))
    return Fail("it is there already and is no plain file; name another file", error);
  // What a killed writer of an older file left would be played back into this one.
  unlink((path_ + "-journal").c_str());
  if (rename(temporary_.c_str(), path_.c_str()) != 0) return Fail(std::strerror(errno), error);
  temporary_.clear();
  return true;
}

bool CaptureWriter::Publish(std::string* error) {
  if (database_->InTransaction() && !database_->Run("COMMIT")) return Fail(database_->LastError(), error);
  if (temporary_.empty()) return true;
  if (!database_->Close()) return Fail("it could not be closed", error);
  if (!Rename(error)) return false;
  std::string fault;
  auto again = Database::OpenForAdding(path_, &fault);
  if (!again) return Fail(fault, error);
  database_ = std::make_unique<Database>(std::move(*again));
  return true;
}

bool CaptureWriter::Commit(std::string* error) {
  if (database_->InTransaction() && !database_->Run("COMMIT")) return Fail(database_->LastError(), error);
  if (!database_->Close()) return Fail("it could not be closed", error);
  const std::string& file = temporary_.empty() ? path_ : temporary_;
  if (!Sync(file, O_RDWR)) return Fail(std::strerror(errno), error);
  if (!temporary_.empty() && !Rename(error)) return false;
  Sync(DirectoryOf(path_), O_RDONLY | O_DIRECTORY);  // some file systems can't; the file is whole anyway
  return true;
}

bool WriteCapture(const std::string& path, const std::vector<Profile>& profiles, std::string* error,
                  WriteOptions options) {
  auto writer = CaptureWriter::Create(path, std::move(options), error);
  if (!writer) return false;
  writer->SetRows(profiles.size());
  for (const Profile& profile : profiles) {
    if (!writer->Add(profile, error)) return false;
  }
  return writer->Commit(error);
}

}  // namespace heaptally::store
