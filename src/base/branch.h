// Branch hints, and the attributes that keep hot and cold code of the agent apart.
#pragma once

#define HT_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define HT_UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#define HT_NOINLINE __attribute__((noinline))
#define HT_COLD __attribute__((noinline, cold))
#define HT_ALWAYS_INLINE inline __attribute__((always_inline))
#define HT_EXPORT __attribute__((visibility("default")))
