# mmap, munmap, mremap, brk and sbrk in every way, class mapped: exact in every mode, to the byte and the function.
. "$(dirname "$0")/lib.sh"
for mode in exact bytes count per-class; do
  profile $mode "$programs/mapped_memory"
  expect 0
  truth --mode $mode --mapped --complete
done
finish
