# What another allocator maps to serve malloc from is not counted again: class mapped is the program's own calls alone.
. "$(dirname "$0")/lib.sh"
ran=0
for library in libjemalloc.so.2 libtcmalloc_minimal.so.4 libmimalloc.so.2.0; do
  ldconfig -p | grep -q "$library" || continue
  ran=1
  for mode in exact bytes; do
    LD_PRELOAD=$library profile $mode "$programs/mapped_memory"
    expect 0
    truth --mode $mode --mapped --complete
  done
done
[ $ran = 1 ] || skip "neither jemalloc nor tcmalloc nor mimalloc is installed"
finish
