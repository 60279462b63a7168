// What a hook does while its entry in g_real is null: the agent is not ready (start-up arena), or this function passes
// through uncounted (its real one calls another hook, which counts).
#pragma once

#include <cstddef>
#include <cstdint>

namespace heaptally::agent::cold {

#define HT_ACQUIRE(name, parameters, arguments, requested_bytes) void* name parameters;
#define HT_MOVE(name, parameters, arguments, requested_bytes) void* name parameters;
#define HT_RELEASE(name, parameters, arguments) void name parameters;
#define HT_OTHER(name, return_type, parameters, arguments) return_type name parameters;
#include "agent/malloc_family.def"

extern uint64_t g_calls __attribute__((visibility("hidden")));  // calls so far: shows whether a real function calls a hook

}  // namespace heaptally::agent::cold
