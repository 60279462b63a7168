# Mappings and fork, in both modes: a child's are its own, and what it unmaps of its parent's stays the parent's.
. "$(dirname "$0")/lib.sh"
for mode in exact bytes; do
  profile $mode "$programs/mapped_fork"
  expect 0
  truth --mode $mode --mapped --complete --profiles 2
  profile $mode "$programs/mapped_fork" raw
  expect 0
  truth --mode $mode --mapped --complete --profiles 2
done
finish
