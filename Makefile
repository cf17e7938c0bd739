# SPDX-License-Identifier: MIT
#
# Ouroboros: the whole build. `make help` lists what it can do.
#
# One set of rules serves eight variants of the library; VARIANT picks one, and each
# has its own folder, build/<variant>/, with its objects below obj/:
#
#   release   what is installed                  -O2
#   debug     with the internal checks           -O1 -DOURO_DEBUG=1
#   paranoid  debug, and whole heaps are verified before and after every collection
#   asan      debug under AddressSanitizer and UndefinedBehaviorSanitizer
#   tsan      debug under ThreadSanitizer
#   check     debug with the contract checker: libouroboros-check; CHECK=1 is short for it
#   faults    asan and paranoid, laid out so that calls can be told apart: `make test-faults`
#   coverage  debug that counts what runs        -O0
#
# Settings a user may change on the command line:
#   CC       the compiler (cc)                CFLAGS   added to ours, and last
#   LDFLAGS  added when linking               WERROR=-Werror  warnings stop the build
#   BUILD    where everything is built        V=1      show whole commands
#   PREFIX, LIBDIR, INCLUDEDIR, PKGCONFIGDIR, CMAKEDIR, BINDIR, LIBEXECDIR, MANDIR, GDBDIR, DESTDIR
#            where `make install` goes
#   RPATH=   programs linked through pkg-config do not remember where the library is

CC      ?= cc
AR      ?= ar
BUILD   ?= build
VARIANT ?= $(if $(CHECK),check,release)

PREFIX       ?= /usr/local
LIBDIR       ?= $(PREFIX)/lib
INCLUDEDIR   ?= $(PREFIX)/include
PKGCONFIGDIR ?= $(LIBDIR)/pkgconfig
CMAKEDIR     ?= $(LIBDIR)/cmake/ouroboros
BINDIR       ?= $(PREFIX)/bin
LIBEXECDIR   ?= $(PREFIX)/libexec
MANDIR       ?= $(PREFIX)/share/man
# Where gdb looks for the script that belongs to a library, by the library's path.
GDBDIR       ?= $(PREFIX)/share/gdb/auto-load
# The loader looks in the folders of the system by itself.
RPATH        ?= $(if $(filter /lib% /usr/lib%,$(LIBDIR)),,-Wl,-rpath,$${libdir})

# The same as OURO_VERSION in include/ouroboros/py/version.h; `make check` compares.
# There is no ABI promise before 1.0, so the soname carries the minor version.
VERSION   := 0.1.0
SOVERSION := $(basename $(VERSION))

MAKEFLAGS += --no-print-directory
# One goal is built in parallel unless -j says how; several, as in `make clean all`, in turn.
ifeq ($(MAKELEVEL)$(filter -j%,$(MAKEFLAGS))$(word 2,$(MAKECMDGOALS)),0)
  MAKEFLAGS += -j$(shell nproc 2>/dev/null || echo 1)
endif
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all

# ---- flags ---------------------------------------------------------------------------

# A section for each function: the linker leaves out what a program does not use.
FLAGS_release := -O2 -g -ffunction-sections -fdata-sections
FLAGS_debug   := -O1 -g -DOURO_DEBUG=1
FLAGS_paranoid := $(FLAGS_debug) -DOURO_PARANOID=1
FLAGS_asan    := $(FLAGS_debug) -fno-omit-frame-pointer \
                 -fsanitize=address,undefined -fno-sanitize-recover=all
FLAGS_tsan    := $(FLAGS_debug) -fsanitize=thread
FLAGS_check   := $(FLAGS_debug) -fno-omit-frame-pointer -DOURO_CHECK=1
FLAGS_faults  := $(FLAGS_asan) -DOURO_PARANOID=1 -fno-optimize-sibling-calls \
                 -fno-reorder-functions
FLAGS_coverage := -O0 -g -DOURO_DEBUG=1 -DOURO_COVERAGE=1
ifeq ($(FLAGS_$(VARIANT)),)
  $(error VARIANT is "$(VARIANT)"; it is one of release, debug, paranoid, asan, tsan, check, \
          faults, coverage)
endif

# -fno-semantic-interposition: calls between our own functions need no detour through
# the symbol table. initial-exec: the current thread is one load away, also in the
# shared library.
# The program `ouro`, part of the checking build, names fields where libdw can be linked: a
# cross compiler may find the header of the machine it runs on.
LIBDW        := $(if $(filter check,$(VARIANT)),$(shell echo 'int main(void) { return 0; }' | \
                  $(CC) -include elfutils/libdw.h -xc - -ldw -o /dev/null >/dev/null 2>&1 && \
                  echo -ldw))
ALL_CPPFLAGS := -Iinclude/ouroboros -D_GNU_SOURCE $(if $(LIBDW),-DOURO_HAVE_LIBDW) $(CPPFLAGS)
ALL_CFLAGS   := -std=c11 -Wall -Wextra $(WERROR) -fPIC -fvisibility=hidden -pthread \
                -ftls-model=initial-exec -fno-semantic-interposition \
                $(FLAGS_$(VARIANT)) $(CFLAGS)
COMPILE       = $(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS)
LINK          = $(CC) $(ALL_CFLAGS) $(LDFLAGS)

# `make V=1` prints every command in full, else one short line for each file.
ifeq ($(V),)
  Q   := @
  say  = @echo "  $(1) $@"
endif

# ---- files: a new source is picked up by being there ------------------------------------

O           := $(BUILD)/$(VARIANT)
# What is installed, the release and the checking libraries, is directly in build/.
LIB         := $(if $(filter release check,$(VARIANT)),$(BUILD),$(O))
NAME        := ouroboros$(if $(filter check,$(VARIANT)),-check)
SONAME      := lib$(NAME).so.$(SOVERSION)
STATIC_LIB  := $(LIB)/lib$(NAME).a
SHARED_LIB  := $(LIB)/lib$(NAME).so.$(VERSION)
TESTS       := $(O)/tests
DEMO        := $(O)/demo
SCHEME      := $(O)/scheme

# The contract checker and its tests are part of the checking build alone.
CHECKER      := $(if $(filter check,$(VARIANT)),,src/check/% tests/check/%)
LIB_OBJECTS  := $(patsubst %.c,$(O)/obj/%.o,$(filter-out $(CHECKER),$(sort \
                  $(wildcard src/*/*.c))))
# What runs when a type is made or an exception is raised, and what prints, is made small: every
# program links most of it, and none waits for it.
COLD         := $(wildcard src/builtins/exception*.c) \
                $(addprefix src/api/,buildvalue.c convert.c display.c errors.c lifecycle.c seam.c \
                    unraisable.c warnings.c weakref.c) \
                $(addprefix src/builtins/,bytes.c codec_handlers.c complex.c complex_arithmetic.c \
                    complex_text.c float_text.c format_number.c format_spec.c frozendict.c \
                    int_text.c member.c methoddef.c module.c slice.c str_codec.c str_data.c str_encode.c \
                    str_format.c str_percent.c str_writer.c wrapper_descriptor.c) \
                $(addprefix src/collector/,believe.c collect.c component.c cycle.c cycle_legacy.c \
                    cycle_verify.c farewell.c freeze.c legacy.c pace.c parts.c pauses.c phases.c \
                    report.c survey.c tables.c trigger.c) \
                src/platform/posix.c src/thread/registry.c \
                $(addprefix src/types/,bases.c build.c check.c class.c class_hooks.c field_handlers.c \
                    fields.c inherit.c mro.c names.c ready.c slot_methods.c slot_update.c spec.c \
                    subclasses.c type_type.c)
$(COLD:%.c=$(O)/obj/%.o): private ALL_CFLAGS := $(subst -O2,-Os,$(ALL_CFLAGS))
TEST_OBJECTS := $(patsubst %.c,$(O)/obj/%.o,$(filter-out $(CHECKER),$(sort \
                  $(wildcard tests/*.c tests/*/test_*.c))))
# The program `ouro` has the checking library inside.
PROGRAMS     := $(if $(filter check,$(VARIANT)),$(BUILD)/ouro)
OURO_OBJECTS := $(patsubst %.c,$(O)/obj/%.o,$(sort $(wildcard cli/*.c)))
DEMO_OBJECTS := $(O)/obj/examples/demo.o
CPP_EXAMPLES := $(if $(shell command -v $(CXX)),$(patsubst examples/cpp/%.cc,$(O)/%,$(wildcard \
                  examples/cpp/*.cc)))
SCHEME_OBJECTS := $(patsubst %.c,$(O)/obj/%.o,$(sort $(wildcard examples/scheme/*.c)))
MODULE_OBJECTS := $(patsubst %.c,$(O)/obj/%.o,$(sort $(wildcard examples/modules/*.c)))
HEADERS      := $(patsubst include/ouroboros/%,%,$(sort \
                  $(wildcard include/ouroboros/*.h include/ouroboros/*.hpp include/ouroboros/*/*.h)))

# ---- what people call --------------------------------------------------------------------

.PHONY: all run examples test test-release test-check test-stress test-slices paranoid check \
        fuzz mutants coverage bench bench-full bench-icount \
        asan tsan install uninstall clean format amalgam help tests run-tests FORCE

all: $(STATIC_LIB) $(SHARED_LIB) $(PROGRAMS)  ## the static and the shared library

run: all $(DEMO)  ## build the libraries and the demonstration, and run it
	@$(DEMO)

examples: $(DEMO) $(SCHEME) $(MODULE_OBJECTS) $(CPP_EXAMPLES)  ## everything there: build/release/scheme --help

test:  ## unit tests on the debug build, and tests/scripts (FILTER=text picks tests)
	@$(if $(FILTER),:,$(MAKE) VARIANT=check all run-tests FILTER=check/)
	@$(if $(FILTER),:,$(MAKE) VARIANT=release all) # several scripts would build it at the same time
	@$(MAKE) VARIANT=debug run-tests TEST_OPTIONS="$(if $(FILTER),,--scripts tests/scripts)"

test-release:  ## unit tests on the release build, where allocation is inline
	@$(MAKE) VARIANT=release run-tests

test-check:  ## unit tests with the checking library: no false alarm
	@$(MAKE) VARIANT=check run-tests

test-stress:  ## unit tests, collecting at every allocation
	@$(MAKE) VARIANT=debug run-tests STRESS=1

test-slices:  ## unit tests with bounded pauses, and again with a slice at every allocation
	@$(MAKE) VARIANT=debug run-tests SLICES=200
	@$(MAKE) VARIANT=debug run-tests SLICES=200 STRESS=1

paranoid:  ## unit tests, verifying the whole heap around every collection
	@$(MAKE) VARIANT=paranoid run-tests

asan:  ## unit tests under AddressSanitizer and UndefinedBehaviorSanitizer
	@$(MAKE) VARIANT=asan run-tests

tsan:  ## thread tests under ThreadSanitizer
	@$(MAKE) VARIANT=tsan run-tests FILTER=thread

.PHONY: test-cpp bench-cpp
test-cpp:  ## ouroboros.hpp with g++ and clang++, every standard and option, on every CPython (minutes)
	@tools/install-packages.sh check differential
	@EVERY=1 CC="$(CC)" BUILD=$(BUILD) WERROR="$(WERROR)" tests/scripts/cpp.sh | tee $(BUILD)/cpp.log
	@! grep -q '^FAIL' $(BUILD)/cpp.log

bench-cpp: all  ## instructions of ouroboros.hpp beside those of the C that it stands for
	@tools/install-packages.sh icount
	@BUILD=$(BUILD) CC="$(CC)" CXX="$(CXX)" bench/cpp.py

.PHONY: test-musl test-faults test-long valgrind analyze
test-musl:  ## libraries, demonstration and unit tests with musl instead of glibc
	@tools/install-packages.sh musl
	@$(MAKE) BUILD=$(BUILD)/musl CC=musl-gcc VARIANT=check all
	@$(MAKE) BUILD=$(BUILD)/musl CC=musl-gcc run
	@$(MAKE) BUILD=$(BUILD)/musl CC=musl-gcc VARIANT=debug run-tests

test-faults:  ## every call that asks for memory fails once; little stack; every failing start
	@$(MAKE) VARIANT=faults tests
	@rm -f $(BUILD)/faults/sites
	OURO_FAULT_SITES=$(BUILD)/faults/sites OURO_TEST_TIMEOUT=5 $(BUILD)/faults/tests $(FILTER)
	tools/fault-sites.sh $(BUILD)/faults/tests $(BUILD)/faults/sites
	CC="$(CC)" tools/fault-programs.sh $(BUILD)/faults
	OURO_TEST_LONG=1 $(MAKE) VARIANT=debug run-tests FILTER=without_memory
	OURO_TEST_STACK=262144 $(MAKE) VARIANT=debug run-tests FILTER=collector/

test-long:  ## tests/collector/test_collect_sizes.c with ten million objects
	@OURO_TEST_LONG=1 $(MAKE) VARIANT=release run-tests FILTER="--verbose --jobs 1 /collect_sizes."

valgrind:  ## part of the tests under valgrind: no bad access, nothing lost
	@$(MAKE) VARIANT=debug tests
	@BUILD=$(BUILD) tools/valgrind.sh

analyze:  ## gcc -fanalyzer over src/
	@CC="$(CC)" BUILD=$(BUILD) tools/analyze.sh

check:  ## layering, exported names, formatting, static analysis, warnings, headers
	@tools/install-packages.sh check
	@BUILD=$(BUILD) VERSION=$(VERSION) MAKE="$(MAKE)" tools/check.sh

bench: all  ## measure beside CPython, Boehm, malloc and mimalloc: table, JSON, plots (BASE=commit: beside that)
	@$(if $(BASE),:,tools/install-packages.sh bench)
	@BUILD=$(BUILD) CC="$(CC)" BASE="$(BASE)" bench/run.sh quick

bench-full: all  ## the same with heaps of up to 1e7 objects and every CPython (an hour)
	@tools/install-packages.sh bench
	@BUILD=$(BUILD) CC="$(CC)" bench/run.sh full

bench-icount: all  ## instructions per object, compared with bench/icount.txt (RECORD=1) or BASE=commit
	@tools/install-packages.sh bench icount
	@BUILD=$(BUILD) CC="$(CC)" BASE="$(BASE)" bench/run.sh icount

fuzz:  ## fuzz the collector against its model with libFuzzer (SECONDS=60)
	@tools/install-packages.sh fuzz
	@BUILD=$(BUILD) FUZZ_SECONDS=$(or $(SECONDS),60) FUZZ_SEED=$(SEED) tools/fuzz.sh

.PHONY: cpython ouro test-cpython bench-cpython bench-cpython-full bench-audit
ouro:  ## the program: build/ouro check MODULE.so, build/ouro --help
	@$(MAKE) VARIANT=check $(BUILD)/ouro
	@$(MAKE) VARIANT=release $(BUILD)/release/demo
	@echo "cc -shared -fPIC -g -Iinclude/ouroboros -DOURO_CHECK=1 MODULE.c -o MODULE.so &&" \
	    "$(BUILD)/ouro check MODULE.so"

cpython:  ## what runs inside CPython, as packages for PYTHONPATH (PYTHON=python3)
	@CC="$(CC)" $(or $(PYTHON),python3) cpython/backend/ouro_build.py $(BUILD)/cpython/$$( \
	    $(or $(PYTHON),python3) -c 'import sys; print(sys.implementation.cache_tag)')

test-cpython:  ## CPython's own tests with ouro_gc, on every CPython found (half an hour; WHOLE=1: all)
	@tools/install-packages.sh differential greenlet
	@mkdir -p $(BUILD)
	@EVERY=1 SEEDS=20 CC="$(CC)" BUILD=$(BUILD) tests/scripts/ouro_gc.sh | tee $(BUILD)/ouro_gc.log
	@! grep -q '^FAIL' $(BUILD)/ouro_gc.log
	@tools/test-cpython.py $(if $(WHOLE),--whole)

bench-cpython:  ## full collections inside CPython, alone and with ouro_gc: tables, JSON, a picture
	@tools/install-packages.sh differential
	@mkdir -p $(BUILD)
	bench/cpython/run.py --json $(BUILD)/bench-cpython.json --plot $(BUILD)/bench-cpython.svg

bench-cpython-full:  ## the same with heaps of 1e7 objects and every CPython found (hours)
	@tools/install-packages.sh differential
	@mkdir -p $(BUILD)
	bench/cpython/run.py --every --sizes 1e5,1e6,1e7 --servers 1e6,1e7 --json $(BUILD)/bench-cpython.json

bench-audit:  ## how long suites of tests take with pytest --ouro-audit, and without
	@tools/install-packages.sh differential pytest
	@bench/cpython/plugin.py

.PHONY: audit-field audit-stdlib audit-asan
audit-field:  ## audit Debian packages with C types, and compare with the verdicts (ONLY=name)
	@BUILD=$(BUILD) tools/audit-field.py $(addprefix --only ,$(ONLY))

audit-stdlib:  ## audit the standard library of every CPython found (PY_CONFIGS chooses; minutes for each)
	@BUILD=$(BUILD) tools/audit-field.py --stdlib

audit-asan:  ## the audit's own C code under AddressSanitizer, with the zoo and a few packages
	@BUILD=$(BUILD) tools/audit-field.py --asan $(addprefix --only ,$(ONLY))

.PHONY: test-views
test-views:  ## snapshots in memlab, Graphviz and Chromium (npm; a minute)
	@$(MAKE) VARIANT=release all && $(MAKE) VARIANT=check all
	@BUILD=$(BUILD) CC="$(CC)" tests/views/views.sh

mutants:  ## seed bugs, one at a time, and see that a test notices each (FILTER=text picks)
	@BUILD=$(BUILD) MAKE="$(MAKE)" CC="$(CC)" tools/mutants.py $(FILTER)

.PHONY: mutants-random soak
mutants-random:  ## bugs made by machine, for a while (SECONDS=600 SEED=1; FILTER=text picks them)
	@BUILD=$(BUILD) MAKE="$(MAKE)" CC="$(CC)" tools/mutants-random.py \
	    --seconds $(or $(SECONDS),600) --seed $(or $(SEED),1) $(FILTER)

soak:  ## everything that takes long, in turns, until it fails (HOURS=1 SEED=1)
	@BUILD=$(BUILD) MAKE="$(MAKE)" CC="$(CC)" HOURS=$(or $(HOURS),1) SEED=$(or $(SEED),1) tools/soak.sh

.PHONY: abi abi-record test-packages
abi:  ## compare the shared libraries with the recorded ABI; fails on any difference
	@tools/install-packages.sh abi
	@$(MAKE) VARIANT=release all && $(MAKE) VARIANT=check all
	@LIBRARIES=$(BUILD) tools/abi.sh compare

abi-record:  ## record the ABI anew, in packaging/abi/ (docs/release.md has the rules)
	@tools/install-packages.sh abi
	@$(MAKE) VARIANT=release all && $(MAKE) VARIANT=check all
	@LIBRARIES=$(BUILD) tools/abi.sh record

.PHONY: ports
ports:  ## every compiler that is installed, aarch64 under qemu-user, Debian unstable (ONLY=text picks)
	@tools/install-packages.sh ports
	@BUILD=$(BUILD) VERSION=$(VERSION) MAKE="$(MAKE)" tools/ports.sh $(ONLY)

.PHONY: dist
dist:  ## the release archive, build/ouroboros-VERSION.tar.gz: the same bytes at every run
	@BUILD=$(BUILD) VERSION=$(VERSION) tools/dist.sh

.PHONY: deb
deb:  ## Debian packages, in build/deb/, and what lintian says (DEB_BUILD_OPTIONS=nocheck: no tests)
	@tools/install-packages.sh deb
	@BUILD=$(BUILD) VERSION=$(VERSION) tools/deb.sh

.PHONY: manual
manual: man  ## the manual as a site, build/manual/html/index.html (sphinx, myst, furo)
	@tools/install-packages.sh manual
	@BUILD=$(BUILD) VERSION=$(VERSION) tools/manual.sh

# Each script installs what it misses, and prints its claims.
test-packages:  ## what a release consists of: ABI, archive, Debian packages, manual (FILTER=name)
	@status=0; for script in tests/packages/*$(FILTER)*.sh; do \
	    BUILD=$(BUILD) CC="$(CC)" $$script || status=1; done; exit $$status

coverage:  ## what the unit tests run of the library: figures, and what is missing
	@tools/install-packages.sh coverage
	@BUILD=$(BUILD) MAKE="$(MAKE)" tools/coverage.sh

format:  ## clang-format every tracked source in place
	@BUILD=$(BUILD) tools/tracked.sh '*.c' '*.h' '*.cc' '*.hpp' | xargs -r clang-format -i

amalgam:  ## write src/all.c, the one-file build, again
	@mkdir -p $(BUILD)
	tools/make-all-c.sh > $(BUILD)/all.c && cp $(BUILD)/all.c src/all.c

clean:  ## remove everything built
	rm -rf $(BUILD)

help:  ## this list
	@echo "make TARGET [CC=...] [CFLAGS=...] [BUILD=...] [VARIANT=release|debug|...]"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' Makefile

# ---- the library ---------------------------------------------------------------------------

$(STATIC_LIB): $(LIB_OBJECTS)
	$(call say,AR)
	@rm -f $@
	$(Q)$(AR) rcs $@ $(LIB_OBJECTS)
	$(Q)$(if $(filter faults,$(VARIANT)),objcopy --rename-section .text=ouro_text $@)

# Every exported name carries the version of its ABI. The checking library has the same one:
# a module of the other library then meets the ABI tag, and is refused with a message.
$(O)/versions.map: $(O)/flags Makefile
	@echo 'OUROBOROS_$(SOVERSION) { global: Py*; _Py*; Ouro_*; local: *; };' >$@

$(SHARED_LIB): $(LIB_OBJECTS) $(O)/versions.map
	$(call say,LD)
	$(Q)$(LINK) -shared -Wl,-soname,$(SONAME) -Wl,-z,defs -Wl,--version-script=$(O)/versions.map \
	    -o $@ $(LIB_OBJECTS) -lm -ldl
	@ln -sf $(@F) $(@D)/$(SONAME)
	@ln -sf $(SONAME) $(@D)/lib$(NAME).so

$(DEMO): $(DEMO_OBJECTS) $(STATIC_LIB)
	$(call say,LD)
	$(Q)$(LINK) -o $@ $(DEMO_OBJECTS) $(STATIC_LIB) -lm -ldl

# Modules find the names of the library in the program that loads them.
$(BUILD)/ouro: $(OURO_OBJECTS) $(STATIC_LIB)
	$(call say,LD)
	$(Q)$(LINK) -rdynamic -o $@ $(OURO_OBJECTS) -Wl,--whole-archive $(STATIC_LIB) \
	    -Wl,--no-whole-archive -lm -ldl $(LIBDW)

# The page of `ouro heap --html`, as a string of C.
$(O)/page/heap_page.inc: cli/heap.html
	@mkdir -p $(@D)
	$(Q)sed -e 's/[\\"]/\\&/g' -e 's/^/"/' -e 's/$$/\\n"/' $< >$@
$(O)/obj/cli/page.o: $(O)/page/heap_page.inc
$(O)/obj/cli/page.o: private ALL_CPPFLAGS += -I$(O)/page

$(SCHEME): $(SCHEME_OBJECTS) $(STATIC_LIB)
	$(call say,LD)
	$(Q)$(LINK) -o $@ $(SCHEME_OBJECTS) $(STATIC_LIB) -lm

$(O)/%: examples/cpp/%.cc include/ouroboros/ouroboros.hpp $(STATIC_LIB)
	$(call say,CXX)
	$(Q)$(CXX) $(ALL_CPPFLAGS) -std=c++17 $(filter-out -std=c11,$(ALL_CFLAGS)) $(LDFLAGS) -o $@ $< \
	    $(STATIC_LIB) -lm -ldl

# ---- tests ---------------------------------------------------------------------------------

tests: $(TESTS)

$(TESTS): $(TEST_OBJECTS) $(STATIC_LIB)
	$(call say,LD)
	$(Q)$(LINK) -o $@ $(TEST_OBJECTS) $(STATIC_LIB) -lm -ldl

run-tests: $(TESTS) $(if $(TEST_OPTIONS),examples)
	@BUILD=$(BUILD) CC="$(CC)" WERROR="$(WERROR)" TESTS=$(TESTS) \
	    $(if $(STRESS),OURO_STRESS=collect) $(if $(SLICES),OURO_PAUSE_BUDGET=$(SLICES)) \
	    $(TESTS) $(TEST_OPTIONS) $(FILTER)

# ---- objects -------------------------------------------------------------------------------

# Every object depends on $(O)/flags, which changes when the compiler or a flag does:
# two compilers never meet in one library.
$(O)/obj/%.o: %.c $(O)/flags
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(COMPILE) -MMD -MP -c -o $@ $<

# The library counts what runs, the tests do not; tests/coverage.c has the other end.
ifeq ($(VARIANT),coverage)
# Nothing is inlined: gcov counts the branches of every inline copy separately, and most copies have
# constant branches that cannot be taken.
$(LIB_OBJECTS): private ALL_CFLAGS += --coverage -fprofile-update=atomic -Dalways_inline=unused
$(TESTS) $(SCHEME) $(DEMO): private ALL_CFLAGS += --coverage
$(TESTS): private ALL_CFLAGS += -Wl,--wrap=_exit
endif

$(O)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(COMPILE) $(LDFLAGS)' | cmp -s - $@ || echo '$(COMPILE) $(LDFLAGS)' > $@

-include $(LIB_OBJECTS:.o=.d) $(TEST_OBJECTS:.o=.d) $(DEMO_OBJECTS:.o=.d) \
    $(SCHEME_OBJECTS:.o=.d) $(MODULE_OBJECTS:.o=.d) $(OURO_OBJECTS:.o=.d)

# ---- manual pages --------------------------------------------------------------------------

.PHONY: man
MAN := $(BUILD)/man
man: $(MAN)/man3/Ouro_GCCollect.3  ## the manual pages: man -l build/man/man3/Ouro_GCCollect.3

# All pages of section 3 are made at once; this one stands for them.
$(MAN)/man3/Ouro_GCCollect.3: tools/make-man.sh Makefile $(addprefix include/ouroboros/,$(HEADERS)) \
    docs/ouro.1 docs/ouroboros.7
	@VERSION=$(VERSION) tools/make-man.sh $(@D)
	@install -D -m 644 -t $(MAN)/man1 docs/ouro.1
	@install -D -m 644 -t $(MAN)/man7 docs/ouroboros.7

# ---- install -------------------------------------------------------------------------------

# fill FOLDER,FILE: the file, made from its template, below DESTDIR.
fill = @echo "packaging/fill.sh $(2)"; umask 022; \
    PREFIX="$(PREFIX)" LIBDIR="$(LIBDIR)" INCLUDEDIR="$(INCLUDEDIR)" RPATH='$(RPATH)' \
    VERSION=$(VERSION) packaging/fill.sh packaging/$(2).in "$(1)" >"$(DESTDIR)$(1)/$(2)"

install: all man $(if $(PROGRAMS),,$(DEMO))  ## libraries, headers, ouro and its manual below $(DESTDIR)$(PREFIX)
	install -d "$(DESTDIR)$(LIBDIR)" "$(DESTDIR)$(PKGCONFIGDIR)" "$(DESTDIR)$(CMAKEDIR)"
	for header in $(HEADERS); do \
	    install -D -m 644 include/ouroboros/$$header \
	        "$(DESTDIR)$(INCLUDEDIR)/ouroboros/$$header" || exit 1; \
	done
	install -m 644 $(STATIC_LIB) "$(DESTDIR)$(LIBDIR)"
	install -m 755 $(SHARED_LIB) "$(DESTDIR)$(LIBDIR)"
	ln -sf $(notdir $(SHARED_LIB)) "$(DESTDIR)$(LIBDIR)/$(SONAME)"
	ln -sf $(SONAME) "$(DESTDIR)$(LIBDIR)/lib$(NAME).so"
	$(call fill,$(PKGCONFIGDIR),$(NAME).pc)
	$(call fill,$(CMAKEDIR),ouroborosConfig.cmake)
	$(call fill,$(CMAKEDIR),ouroborosConfigVersion.cmake)
	$(if $(PROGRAMS),\
	    install -D $(BUILD)/ouro "$(DESTDIR)$(BINDIR)/ouro",\
	    install -D $(DEMO) "$(DESTDIR)$(LIBEXECDIR)/ouroboros/demo")
	install -D -m 644 tools/gdb/ouroboros-gdb.py \
	    "$(DESTDIR)$(GDBDIR)$(LIBDIR)/$(notdir $(SHARED_LIB))-gdb.py"
	for section in 1 3 7; do \
	    install -D -m 644 -t "$(DESTDIR)$(MANDIR)/man$$section" $(MAN)/man$$section/* || exit 1; \
	done
	$(if $(filter release,$(VARIANT)),@$(MAKE) VARIANT=check install)

uninstall:  ## remove what install put there
	rm -rf "$(DESTDIR)$(INCLUDEDIR)/ouroboros" "$(DESTDIR)$(LIBEXECDIR)/ouroboros"
	rm -rf "$(DESTDIR)$(CMAKEDIR)"
	rm -f "$(DESTDIR)$(BINDIR)/ouro" "$(DESTDIR)$(MANDIR)/man1/ouro.1" \
	    "$(DESTDIR)$(MANDIR)/man3"/Ouro_*.3 "$(DESTDIR)$(MANDIR)/man7/ouroboros.7"
	for name in ouroboros ouroboros-check; do \
	    rm -f "$(DESTDIR)$(LIBDIR)/lib$$name.a" "$(DESTDIR)$(LIBDIR)/lib$$name".so* \
	        "$(DESTDIR)$(GDBDIR)$(LIBDIR)/lib$$name".so*-gdb.py \
	        "$(DESTDIR)$(PKGCONFIGDIR)/$$name.pc"; \
	done
