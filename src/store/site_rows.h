// The sites that people look at first, as plain rows for the sqlite3 shell.
#pragma once

#include <cstdint>
#include <vector>

#include "profile/profile.h"
#include "store/capture.h"
#include "store/database.h"

namespace heaptally::store {

// Indices of the first `count` sites by each of: live, peak and allocated bytes, and calls; each index once, ascending.
std::vector<uint32_t> FirstSites(const profile::Profile& profile, size_t count);

// Writes the rows of one snapshot. Returns false if SQLite does.
bool WriteSiteRows(Database* database, uint64_t snapshot, const profile::Profile& profile, const WriteOptions& options);

}  // namespace heaptally::store
