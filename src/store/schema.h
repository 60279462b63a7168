// The tables of a capture. docs/capture.md is written for people who open one with the sqlite3 shell; what the tool
// itself reads is the blobs of `snapshot` alone. The other columns, tables and views say the same in plain rows.
#pragma once

namespace heaptally::store {

inline constexpr const char* kSchema = R"sql(
CREATE TABLE capture(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE snapshot(
  id INTEGER PRIMARY KEY, series TEXT NOT NULL, moment INTEGER NOT NULL,
  pid INTEGER, ppid INTEGER, image INTEGER, exe TEXT, command TEXT, host TEXT, layer TEXT, mode TEXT, period_bytes INTEGER,
  started_ns INTEGER, taken_ns INTEGER, state TEXT, exit_status INTEGER, exit_signal INTEGER, rss_bytes INTEGER,
  live_bytes REAL, live_bytes_lo REAL, live_bytes_hi REAL, live_objects REAL,
  peak_bytes REAL, peak_bytes_lo REAL, peak_bytes_hi REAL,
  allocated_bytes REAL, allocations REAL, frees REAL, temporary REAL, sites INTEGER,
  facts BLOB NOT NULL, modules BLOB NOT NULL, frames BLOB NOT NULL, names BLOB NOT NULL,
  stacks BLOB NOT NULL, seal INTEGER NOT NULL);
CREATE INDEX snapshot_series ON snapshot(series, id);
CREATE TABLE site_row(
  snapshot INTEGER NOT NULL, site INTEGER NOT NULL, class TEXT, function TEXT, file TEXT, line INTEGER, module TEXT, stack TEXT,
  live_bytes REAL, live_bytes_lo REAL, live_bytes_hi REAL, live_objects REAL,
  peak_bytes REAL, allocated_bytes REAL, allocated_bytes_lo REAL, allocated_bytes_hi REAL,
  allocations REAL, frees REAL, reallocs REAL, temporary REAL, oldest_ns INTEGER,
  PRIMARY KEY(snapshot, site)) WITHOUT ROWID;
CREATE VIEW snapshots AS
  SELECT id, moment, pid, image, exe, state, datetime(taken_ns / 1000000000, 'unixepoch') AS taken, mode, period_bytes,
         live_bytes, live_bytes_lo, live_bytes_hi, live_objects, peak_bytes, allocated_bytes, allocations, sites
  FROM snapshot ORDER BY id;
CREATE VIEW images AS
  SELECT max(id) AS last_snapshot, count(*) AS snapshots, pid, ppid, image, exe, command, state, exit_status, exit_signal, mode,
         datetime(started_ns / 1000000000, 'unixepoch') AS started, live_bytes, peak_bytes, allocated_bytes, allocations
  FROM snapshot GROUP BY series ORDER BY min(id);
CREATE VIEW top_sites AS
  SELECT s.pid, s.exe, r.function, r.file, r.line, r.live_bytes, r.live_bytes_lo, r.live_bytes_hi, r.live_objects, r.peak_bytes,
         r.allocated_bytes, r.allocations, r.temporary, r.module, r.stack, r.site, r.snapshot
  FROM site_row r JOIN snapshot s ON s.id = r.snapshot
  WHERE s.id IN (SELECT max(id) FROM snapshot GROUP BY series)
  ORDER BY r.live_bytes_lo DESC, r.live_bytes DESC;
)sql";

}  // namespace heaptally::store
