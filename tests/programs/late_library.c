// Linked with libe2e_late: its constructor runs before main, its destructor after it. See lib_late.c.
int late_loaded(void);
int main(void) { return late_loaded() ? 0 : 1; }
