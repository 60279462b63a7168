# Thin wrappers. Each installs what is missing (tools/setup), builds, and does its job. CMake has the rest.
#
#   make               the tool, build/bin/heaptally, and the agent, build/lib/libheaptally.so
#   make demo          profiles a real program and shows the report
#   make test          builds and runs every test
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
PRODUCT   = bin/heaptally lib/libheaptally.so

.PHONY: all demo test install clean
.DEFAULT_GOAL := all

all:
	@tools/setup build
	@test -f $(BUILD)/build.ninja || $(CONFIGURE) -DHEAPTALLY_TESTS=OFF
	@$(NINJA) $(PRODUCT)

demo: all
	@tools/setup demo
	@tools/demo $(BUILD)

# One core runs all tests one after another within the time limit of each; two run two at a time.
test:
	@tools/setup build test
	@$(CONFIGURE) -DHEAPTALLY_TESTS=ON
	@$(NINJA)
	@ctest --test-dir $(BUILD) --output-on-failure --schedule-random -j $(JOBS)

install: all
	@DESTDIR=$(DESTDIR) cmake --install $(BUILD) --prefix $(PREFIX)

clean:
	@rm -rf $(BUILD)
