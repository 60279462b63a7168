// Calls the other object's function in two ways: through a slot, and through a pointer in its data.
int loaded_answer(void);
static int (*volatile pointer)(void) = loaded_answer;

int caller_by_slot(void) { return loaded_answer(); }
int caller_by_pointer(void) { return pointer(); }
