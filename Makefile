# Thin wrappers. Each installs what is missing (tools/setup), builds, and does its job. CMake has the rest.
#
#   make               the tool, build/bin/heaptally, and the agent, build/lib/libheaptally.so
#   make demo          profiles a real program and shows the report
#   make test          builds and runs every test
#   make statistics    400 sampled runs against the truth and against the model
#   make mutations     takes single cures out of the agent, and shows that a test fails each time (long)
#   make install       PREFIX=/usr/local DESTDIR=
#   make clean
#
# Variables: BUILD (build folder), PREFIX, DESTDIR, JOBS (parallel jobs), HEAPTALLY_SETUP=off (install no packages).

BUILD   ?= build
PREFIX  ?= /usr/local
DESTDIR ?=
JOBS    ?= $(shell nproc)

CONFIGURE = cmake --preset release -B $(BUILD) -DCMAKE_INSTALL_PREFIX=$(PREFIX) --log-level=WARNING >/dev/null
NINJA     = ninja -C $(BUILD) -j $(JOBS) --quiet
PRODUCT   = bin/heaptally lib/libheaptally.so heaptally_self

.PHONY: all demo tested-build test statistics mutations install clean
.DEFAULT_GOAL := all

all:
	@tools/setup build
	@test -f $(BUILD)/build.ninja || $(CONFIGURE) -DHEAPTALLY_TESTS=OFF
	@$(NINJA) $(PRODUCT)

demo: all
	@tools/setup demo
	@tools/demo $(BUILD)

tested-build:
	@tools/setup build test
	@$(CONFIGURE) -DHEAPTALLY_TESTS=ON
	@$(NINJA)

# One core runs all tests one after another within the time limit of each; two run two at a time.
test: tested-build
	@ctest --test-dir $(BUILD) --output-on-failure --schedule-random -j $(JOBS)

statistics: tested-build
	@tests/statistics/compare.py $(BUILD) 400

mutations: tested-build
	@tests/mutations/run $(BUILD)

install: all
	@DESTDIR=$(DESTDIR) cmake --install $(BUILD) --prefix $(PREFIX)

clean:
	@rm -rf $(BUILD)
