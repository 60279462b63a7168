// What the tests load: one plain function, one that a resolver chooses, and one that is not default-visible.
static int Chosen(void) { return ANSWER + 1; }
static int (*Choose(void))(void) { return Chosen; }

int loaded_answer(void) { return ANSWER; }
int loaded_chosen(void) __attribute__((ifunc("Choose")));
__attribute__((visibility("hidden"))) int loaded_hidden(void) { return ANSWER; }
