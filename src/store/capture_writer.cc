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
#include "store/profile_blobs.h"
#include "store/schema.h"
#include "store/site_rows.h"

namespace heaptally::store {
namespace {

using profile::Profile;

const char* StateText(profile::State state) {
  constexpr const char* kNames[] = {"running", "exited", "killed", "exec'd", "unknown"};
  return kNames[static_cast<size_t>(state)];
}

// Snapshots of one image belong together. A child whose pid is not known is told apart by its number in the file.
std::string SeriesOf(const Profile& profile, uint64_t number) {
  std::string series = std::to_string(profile.pid) + "." + std::to_string(profile.image) + "." +
                       std::to_string(profile.started_unix_ns) + "." + profile.host;
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
  row->Real(live.v).Real(live.lo).Real(live.hi).Real(m.live.objects.value());
  row->Real(peak.v).Real(peak.lo).Real(peak.hi);
  row->Real(m.allocated.bytes.value()).Real(m.allocated.objects.value()).Real(m.freed.objects.value());
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

bool WriteSnapshot(Database* database, uint64_t number, const Profile& profile) {
  const ProfileBlobs blobs = Pack(profile);
  Statement row(database,
                "INSERT INTO snapshot VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  row.Integer(number).Text(SeriesOf(profile, number));
  BindIdentity(profile, &row);
  BindTotals(profile, &row);
  row.Blob(blobs.facts).Blob(blobs.modules).Blob(blobs.frames).Blob(blobs.sites);
  row.Integer(SealOf(blobs.facts, blobs.modules, blobs.frames, blobs.sites));
  return row.Step() == Statement::Result::kDone;
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
      snapshots_(other.snapshots_) {}

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

bool CaptureWriter::Add(const Profile& profile, std::string* error) {
  ++snapshots_;
  if (WriteSnapshot(database_.get(), snapshots_, profile) &&
      WriteSiteRows(database_.get(), snapshots_, profile, options_)) {
    return true;
  }
  return Fail(database_->LastError(), error);
}

bool CaptureWriter::Commit(std::string* error) {
  if (!database_->Run("COMMIT")) return Fail(database_->LastError(), error);
  if (!database_->Close()) return Fail("it could not be closed", error);
  // A device or a pipe of that name must not be replaced by a file: whoever is root could do it.
  struct stat there = {};
  if (lstat(path_.c_str(), &there) == 0 && !S_ISREG(there.st_mode)) return Fail("it is there already and is no plain file; name another file", error);
  if (!Sync(temporary_, O_RDWR) || rename(temporary_.c_str(), path_.c_str()) != 0)
    return Fail(std::strerror(errno), error);
  temporary_.clear();
  Sync(DirectoryOf(path_), O_RDONLY | O_DIRECTORY);  // some file systems can't; the file is whole anyway
  return true;
}

bool WriteCapture(const std::string& path, const std::vector<Profile>& profiles, std::string* error,
                  WriteOptions options) {
  // A tree of thousands of processes should not become mostly plain rows.
  if (!profiles.empty()) options.rows = std::min(options.rows, std::max<size_t>(10, 5000 / profiles.size()));
  auto writer = CaptureWriter::Create(path, std::move(options), error);
  if (!writer) return false;
  for (const Profile& profile : profiles) {
    if (!writer->Add(profile, error)) return false;
  }
  return writer->Commit(error);
}

}  // namespace heaptally::store
