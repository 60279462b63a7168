// Memory that the program has from the kernel itself, in every way that there is: exact truth, by the function that mapped.
// A mapping is one object, which ends with its last piece; its bytes are whole pages, but those of the break.
#include "truth.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define PAGE 4096L
#define MIB (1L << 20)

TRUTH_ROW(map_large);
TRUTH_ROW(map_shared_file);
TRUTH_ROW(reserve);
TRUTH_ROW(map_to_cut);
TRUTH_ROW(map_over);
TRUTH_ROW(map_under);
TRUTH_ROW(remap);
TRUTH_ROW(map_to_remap);
TRUTH_ROW(map_odd);
TRUTH_ROW(grow_by_sbrk);
TRUTH_ROW(grow_by_brk);
TRUTH_ROW(map_in_constructor);
TRUTH_ROW(map_in_handler);
TRUTH_ROW(map_in_thread);
TRUTH_ROW(map_in_vfork);

// A piece of a mapping that goes on.
static void gave_part(struct truth_row *row, long bytes) { __atomic_add_fetch(&row->freed_bytes, bytes, __ATOMIC_RELAXED); }

static char *anonymous(long bytes, int protection, int flags) {
  char *got = mmap(NULL, (size_t)bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
  MUST(got != MAP_FAILED);
  return got;
}

static char *in_constructor;
SITE __attribute__((constructor)) static void map_in_constructor(void) {
  in_constructor = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  took(&row_map_in_constructor, 3 * PAGE);
}

SITE static char *map_large(void) {
  char *got = mmap(NULL, 256 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  MUST(got != MAP_FAILED);
  took(&row_map_large, 256 * MIB);
  return got;
}

SITE static char *map_shared_file(void) {
  const int file = memfd_create("shared", 0);
  MUST(file >= 0 && ftruncate(file, MIB) == 0);
  char *got = mmap64(NULL, MIB, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  MUST(got != MAP_FAILED && close(file) == 0);
  took(&row_map_shared_file, MIB);
  return got;
}

SITE static char *reserve(void) {
  char *got = mmap(NULL, 1024 * MIB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  MUST(got != MAP_FAILED);
  took(&row_reserve, 1024 * MIB);
  return got;
}

SITE static char *map_to_cut(long pages) {
  char *got = mmap(NULL, (size_t)(pages * PAGE), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  MUST(got != MAP_FAILED);
  took(&row_map_to_cut, (size_t)(pages * PAGE));
  return got;
}

static void cut_away(char *at, long pages) {
  MUST(munmap(at, (size_t)(pages * PAGE)) == 0);
  gave_part(&row_map_to_cut, pages * PAGE);
}

static void partial_unmaps(void) {
  char *at = map_to_cut(20);
  cut_away(at, 2);               // front
  cut_away(at + 18 * PAGE, 2);   // back
  cut_away(at + 8 * PAGE, 4);    // middle: two pieces of six and six
  cut_away(at + 4 * PAGE, 2);    // three pieces: 2..4, 6..8, 12..18
  char *whole = map_to_cut(10);
  cut_away(whole + 3 * PAGE, 4);
  // Over everything, holes and all: the mapping ends once.
  MUST(munmap(whole, 10 * PAGE) == 0);
  gave(&row_map_to_cut, 6 * PAGE);
  // A range that was never mapped, and one that is not known to anybody but the kernel.
  MUST(munmap(whole, 10 * PAGE) == 0);
  char *unknown = (char *)syscall(SYS_mmap, NULL, 4 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  MUST(unknown != MAP_FAILED && munmap(unknown, 4 * PAGE) == 0);
  // A length that is no whole number of pages.
  char *odd = map_to_cut(3);
  MUST(munmap(odd, 2 * PAGE + 1) == 0);
  gave(&row_map_to_cut, 3 * PAGE);
}

SITE static char *map_under(long pages) {
  char *got = mmap(NULL, (size_t)(pages * PAGE), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  MUST(got != MAP_FAILED);
  took(&row_map_under, (size_t)(pages * PAGE));
  return got;
}

SITE static void map_over(char *at, long pages) {
  char *got = mmap(at, (size_t)(pages * PAGE), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  MUST(got == at);
  took(&row_map_over, (size_t)(pages * PAGE));
}

static void fixed_maps(void) {
  char *at = map_under(16);
  map_over(at + 4 * PAGE, 4);  // in the middle
  gave_part(&row_map_under, 4 * PAGE);
  map_over(at + 5 * PAGE, 11);  // over three pages of that, and all that was above it
  gave_part(&row_map_over, 3 * PAGE);
  gave_part(&row_map_under, 8 * PAGE);
  char *same = map_under(4);
  map_over(same, 4);
  gave(&row_map_under, 4 * PAGE);
}

SITE static char *map_to_remap(long pages, int flags) {
  char *got = mmap(NULL, (size_t)(pages * PAGE), PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
  MUST(got != MAP_FAILED);
  took(&row_map_to_remap, (size_t)(pages * PAGE));
  return got;
}

SITE static char *remap(char *old, long old_pages, long new_pages, int flags, char *wanted) {
  char *got = mremap(old, (size_t)(old_pages * PAGE), (size_t)(new_pages * PAGE), flags, wanted);
  MUST(got != MAP_FAILED);
  return got;
}

static void remaps(void) {
  char *at = remap(map_to_remap(8, MAP_PRIVATE), 8, 64, MREMAP_MAYMOVE, NULL);  // grown, moved or not
  moved(&row_remap, 64 * PAGE, &row_map_to_remap, 8 * PAGE);
  MUST(remap(at, 64, 16, 0, NULL) == at);  // shrunk in place
  moved(&row_remap, 16 * PAGE, &row_remap, 64 * PAGE);
  char *place = map_to_remap(20, MAP_PRIVATE);
  MUST(remap(at, 16, 16, MREMAP_MAYMOVE | MREMAP_FIXED, place + 2 * PAGE) == place + 2 * PAGE);  // over another one
  moved(&row_remap, 16 * PAGE, &row_remap, 16 * PAGE);
  gave_part(&row_map_to_remap, 16 * PAGE);
#ifdef MREMAP_DONTUNMAP
  char *stays = map_to_remap(4, MAP_PRIVATE);
  char *twin = remap(stays, 4, 4, MREMAP_MAYMOVE | MREMAP_DONTUNMAP, NULL);  // 5.7 and later
  took(&row_remap, 4 * PAGE);
  MUST(twin != stays && munmap(twin, PAGE) == 0);
  gave_part(&row_remap, PAGE);
#endif
  char *shared = map_to_remap(2, MAP_SHARED);
  MUST(remap(shared, 0, 2, MREMAP_MAYMOVE, NULL) != shared);  // the same pages twice
  took(&row_remap, 2 * PAGE);
  char *part = map_to_remap(6, MAP_PRIVATE);
  remap(part + 2 * PAGE, 2, 4, MREMAP_MAYMOVE, NULL);  // a part of it
  moved(&row_remap, 4 * PAGE, &row_map_to_remap, 2 * PAGE);
  row_map_to_remap.frees--;  // its mapping goes on
}

SITE static char *map_odd(void) {
  char *got = mmap(NULL, 2 * PAGE + 100, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  MUST(got != MAP_FAILED);
  took(&row_map_odd, 3 * PAGE);
  return got;
}

SITE static void grow_by_sbrk(long bytes) {
  MUST(sbrk(bytes) != (void *)-1);
  took(&row_grow_by_sbrk, (size_t)bytes);
}

SITE static void grow_by_brk(char *end, long bytes) {
  MUST(brk(end) == 0);
  took(&row_grow_by_brk, (size_t)bytes);
}

static void breaks(void) {
  const char *before = sbrk(0);
  MUST(before != (void *)-1 && brk((void *)before) == 0);  // nothing moves
  grow_by_sbrk(16 * MIB);
  grow_by_sbrk(1000);
  MUST(sbrk(-500) != (void *)-1);
  gave_part(&row_grow_by_sbrk, 500);
  MUST(sbrk(-4 * MIB) != (void *)-1);  // the rest of the second, and of the first
  gave(&row_grow_by_sbrk, 500);
  gave_part(&row_grow_by_sbrk, 4 * MIB - 500);
  char *end = (char *)sbrk(0) + 5000;
  grow_by_brk(end, 5000);
  MUST(brk(end - 5000 - 100) == 0);
  gave(&row_grow_by_brk, 5000);
  gave_part(&row_grow_by_sbrk, 100);
}

// A failed call books nothing, and errno is its own.
static void failures(void) {
  char *at = map_odd();
  errno = 0;
  MUST(munmap(at + 1, PAGE) == -1 && errno == EINVAL);
  errno = 0;
  MUST(munmap(at, 0) == -1 && errno == EINVAL);
  errno = 0;
  MUST(mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED && errno == EINVAL);
  errno = 0;
  MUST(mmap(NULL, (size_t)1 << 60, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED && errno == ENOMEM);
  errno = 0;
  MUST(mmap64(NULL, PAGE, PROT_READ, MAP_PRIVATE, -1, 0) == MAP_FAILED && errno == EBADF);
  errno = 0;
  MUST(mmap(at, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED && errno == EEXIST);
  errno = 0;
  MUST(mremap(at, 3 * PAGE, (1L << 47) - PAGE, MREMAP_MAYMOVE) == MAP_FAILED && errno == ENOMEM);
  errno = 0;
  MUST(mremap(at + 1, PAGE, PAGE, MREMAP_MAYMOVE) == MAP_FAILED && errno == EINVAL);
  errno = 0;
  MUST(sbrk(1L << 60) == (void *)-1 && errno == ENOMEM);
  errno = 0;
  MUST(brk((void *)(1L << 60)) == -1 && errno == ENOMEM);
  errno = 4711;
  char *fine = map_odd();
  MUST(munmap(fine, 3 * PAGE) == 0 && errno == 4711);
  gave(&row_map_odd, 3 * PAGE);
}

SITE static void map_in_handler(int signal) {
  (void)signal;
  anonymous(PAGE, PROT_READ, 0);  // inlined or not: this function is among its callers
  took(&row_map_in_handler, PAGE);
}

SITE static void map_in_thread(void) {
  for (int i = 0; i < 500; ++i) {
    char *got = anonymous(2 * PAGE, PROT_READ, 0);
    took(&row_map_in_thread, 2 * PAGE);
    MUST(munmap(got + PAGE, PAGE) == 0 && munmap(got, PAGE) == 0);
    gave(&row_map_in_thread, 2 * PAGE);
  }
}

static void *thread_main(void *unused) {
  map_in_thread();
  return unused;
}

// Its memory is the parent's.
SITE static void map_in_vfork(void) {
  const pid_t child = vfork();
  if (child == 0) {
    anonymous(5 * PAGE, PROT_READ, 0);
    took(&row_map_in_vfork, 5 * PAGE);
    _exit(0);
  }
  int status = 1;
  MUST(waitpid(child, &status, 0) == child && status == 0);
}

int main(void) {
  char *large = map_large();
  memset(large, 1, 3 * PAGE);
  map_shared_file()[0] = 1;
  reserve();
  partial_unmaps();
  fixed_maps();
  remaps();
  breaks();
  failures();
  signal(SIGUSR1, map_in_handler);
  raise(SIGUSR1);
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) MUST(pthread_create(&threads[i], NULL, thread_main, NULL) == 0);
  for (int i = 0; i < 3; ++i) MUST(pthread_join(threads[i], NULL) == 0);
  map_in_vfork();
  MUST(in_constructor != MAP_FAILED && munmap(in_constructor, 3 * PAGE) == 0);
  gave(&row_map_in_constructor, 3 * PAGE);
  truth_print(1, &row_map_large, &row_map_shared_file, &row_reserve, &row_map_to_cut, &row_map_over, &row_map_under,
              &row_remap, &row_map_to_remap, &row_map_odd, &row_grow_by_sbrk, &row_grow_by_brk, &row_map_in_constructor,
              &row_map_in_handler, &row_map_in_thread, &row_map_in_vfork, NULL);
  return 0;
}
