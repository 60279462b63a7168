// What the test programs tell about themselves: Probe prints its label and the ELF address to which it returns.
#pragma once
#ifdef __cplusplus
extern "C" {
#endif
__attribute__((noinline)) void Probe(const char* label);
__attribute__((noinline, cold)) void ColdProbe(const char* label);
__attribute__((noinline, noreturn)) void LastProbe(const char* label);
#ifdef __cplusplus
}
#endif
