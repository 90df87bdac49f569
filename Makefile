# gpuarr. `make help` lists the targets and options.
#
# Two variants build side by side, each in a folder of its own: build/cuda
# (CUDA devices and the CPU in one binary, where nvcc and a GPU are found or
# CUDA=1) and build/cpu (the CPU device alone). GNU make, a C11 and a C++17
# compiler.

.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

# All cores without being asked to, the output of each target in one piece.
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(shell env -u OMP_NUM_THREADS nproc 2>/dev/null || echo 2) --output-sync=target
endif
# A recipe whose output is to be seen as it comes (make does not hold back a
# line marked +), but which `make -n` shall not run.
LIVE = +@$(if $(findstring n,$(firstword -$(MAKEFLAGS))),true || )

# ------------------------------------------------------------ compilers
# CXX follows CC, so that CC=clang is all it takes.
ifeq ($(origin CC),default)
CC := cc
endif
ifeq ($(origin CXX),default)
CXX := $(strip $(if $(findstring clang,$(CC)),$(subst clang,clang++,$(CC)), \
         $(if $(findstring gcc,$(CC)),$(subst gcc,g++,$(CC)),c++)))
endif

# nvcc: $NVCC, the PATH, the usual folders.
ifndef NVCC
NVCC := $(shell command -v nvcc 2>/dev/null)
endif
ifeq ($(NVCC),)
NVCC := $(firstword $(wildcard $(CUDA_HOME)/bin/nvcc $(CUDA_PATH)/bin/nvcc \
          /usr/local/cuda/bin/nvcc /opt/cuda/bin/nvcc))
endif

# CUDA=0 and CUDA=1 force the variant; anything else finds out. A GPU is in
# one of three places: a PC, WSL, Jetson.
GPU := $(firstword $(wildcard /dev/nvidia[0-9]* /dev/dxg /dev/nvhost-gpu))
ifneq ($(filter 0 1,$(CUDA)),)
V := $(if $(filter 1,$(CUDA)),cuda,cpu)
else
V := $(if $(NVCC),$(if $(GPU),cuda,cpu),cpu)
endif
ifeq ($(V),cuda)
ifneq ($(filter-out clean help uninstall deps,$(or $(MAKECMDGOALS),help)),)
$(if $(NVCC),,$(error CUDA=1, but nvcc is not found: set NVCC=/path/to/nvcc))
endif
endif
B ?= build/$(V)

# The toolkit's folders are nvcc's to know (TOP in its dry run).
ifeq ($(V),cuda)
CUDA_TOP := $(abspath $(shell $(or $(NVCC),false) --dryrun -x cu /dev/null 2>&1 \
              | sed -n 's/^\#$$ TOP=//p' | head -1))
CUDA_INC := $(patsubst %/cuda_runtime_api.h,%,$(firstword $(wildcard \
  $(addsuffix /cuda_runtime_api.h,$(CUDA_TOP)/include $(CUDA_TOP)/targets/*/include))))
CUDA_LIB := $(patsubst %/libcudart_static.a,%,$(firstword $(wildcard \
  $(addsuffix /libcudart_static.a,$(CUDA_TOP)/lib64 $(CUDA_TOP)/targets/*/lib $(CUDA_TOP)/lib))))

# ARCH: the cards found; without one sm_90. A list ("sm_80 sm_90"), native and
# all are understood; compute_90 is PTX alone, which ptxas only checks, half of what
# a part takes. (An ARCH in the environment may be another tool's.)
ifeq ($(filter sm_% compute_% native all,$(ARCH)),)
ARCH := $(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader \
          2>/dev/null | grep -E '^[0-9]+\.[0-9]+$$' | tr -d . | sort -un \
          | sed 's/^/sm_/')
ARCH := $(or $(strip $(ARCH)),$(if $(GPU),native,sm_90))
endif
ifeq ($(ARCH),all)
override ARCH := sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120
endif
# A name stands for its machine code; of a list the last keeps PTX too, which
# the driver of a later card compiles, for minutes. For one card it would be two
# thirds of kernels.o.
code = -gencode arch=compute_$(lastword $(subst _, ,$(1))),code=$(1)
ifeq ($(ARCH),native)
ARCHFLAGS := -arch=native
else
ARCHFLAGS := $(foreach a,$(ARCH),$(call code,$(a))) \
  $(if $(word 2,$(ARCH)),$(foreach a,$(filter sm_%,$(lastword $(ARCH))),$(subst code=sm,code=compute,$(call code,$a))))
endif
endif

# ---------------------------------------------------------------- flags
# OPENMP=0 leaves the CPU loops single-threaded; so does a compiler that
# cannot link OpenMP. One compiler makes the loops, another may link: the
# first of these flags that joins them is taken. Looked up when first used.
OPENMP ?= 1
LOOPCXX = $(if $(filter cuda,$(V)),$(or $(NVCC_CCBIN),g++),$(CXX))
find_omp = $(shell d=$$(mktemp -d); \
  printf 'int main(int c,char**v){int s=0;\n_Pragma("omp parallel for")\nfor(int i=0;i<c;i++)s=i;return s;}' \
    > $$d/a.cc; \
  if $(LOOPCXX) -fopenmp -c $$d/a.cc -o $$d/a.o 2>/dev/null; then \
    for f in -fopenmp -lgomp -lomp; do \
      if $(CC) $$d/a.o $$f -o $$d/a 2>/dev/null; then echo $$f; break; fi; \
    done; fi; rm -r $$d)
OMP_LINK = $(eval OMP_LINK := $$(if $$(filter 1,$$(OPENMP)),$$(find_omp)))$(OMP_LINK)
OMP_LOOP = $(if $(OMP_LINK),-fopenmp)

# ISA: whose instructions the CPU loops are compiled for. native: this processor's,
# in two thirds of the time; what goes to other machines (dist, DESTDIR) has all,
# which it chooses from when it runs. So has one that the compiler knows nothing of.
ifeq ($(origin ISA),command line)
$(if $(filter-out native all,$(ISA)),$(error ISA=$(ISA): native and all are known))
endif
ISA_OF := $(if $(SAN),native,$(or $(filter native all,$(ISA)),$(if \
  $(DESTDIR)$(filter dist%,$(MAKECMDGOALS)),all,native)))
ISA_IS = $(eval ISA_IS := $$(if $$(filter native,$$(ISA_OF)),$$(shell $$(LOOPCXX) \
  -march=native -dM -E -x c++ /dev/null 2>/dev/null | awk '{ n[$$$$2] = 1 } END { if (n["__x86_64__"]) \
  print "-DGK_ISA_IS=" (n["__AVX2__"] && n["__FMA__"] ? 1 + (n["__AVX512F__"] && n["__AVX512BW__"] && \
  n["__AVX512DQ__"] && n["__AVX512VL__"]) : 0) }')))$(ISA_IS)

# CBLAS and LAPACKE, where a program can be built with them (.ci/lapack finds
# out, after `deps`); LAPACK=0 leaves them out.
LAPACK ?= 1
LAPACK_FOUND = $(eval LAPACK_FOUND := $$(if $$(filter 0,$$(LAPACK)),,$$(shell .ci/lapack '$$(CC)')))$(LAPACK_FOUND)
LAPACK_CFLAGS = $(if $(LAPACK_FOUND),-DGPUARR_USE_LAPACK $(filter -I% -D%,$(LAPACK_FOUND)))
LAPACK_LIBS = $(filter-out -I% -D%,$(LAPACK_FOUND))
# zlib, for compressed .npz files; ZLIB=0 leaves it out.
ZLIB ?= 1
ZLIB_FOUND = $(eval ZLIB_FOUND := $$(if $$(filter 0,$$(ZLIB)),,$$(shell \
  printf '#include <zlib.h>\nint main(void){return !zlibVersion();}' \
    | $$(CC) -x c - -lz -o /dev/null 2>/dev/null && echo -lz)))$(ZLIB_FOUND)
# FFTW=1: transforms on the CPU device by FFTW, which is under the GPL.
FFTW ?= 0
FFTW_LIBS := $(if $(filter 1,$(FFTW)),-lfftw3_omp -lfftw3f_omp -lfftw3 -lfftw3f)
# LINK_LIBS=1 links cuBLAS, cuSOLVER and cuRAND instead of opening them.
CUDA_EXTRA := $(if $(filter 1,$(LINK_LIBS)),$(if $(filter cuda,$(V)),1))
comma := ,
empty :=
space := $(empty) $(empty)
# Warnings are errors in CI alone: another compiler knows other warnings. gcc
# reads the file again for one of them, 2 of the 4.2 s that the implementation
# takes at -O0; tests/compile.sh asks for it.
WARN := -Wall -Wextra -Wpedantic $(if $(findstring clang,$(CC)),,-Wno-misleading-indentation) $(if $(CI),-Werror)
OPT ?= -O2
CFLAGS ?=
# SAN=1 (make sanitize) adds the sanitizers to everything. (One of clang's asks
# for C++'s runtime.) Programs of 60 MB are many: LLVM's linker, where it is, takes
# half as long for each.
SANLINK = $(eval SANLINK := $$(if $$(SAN),$$(shell echo 'int main(void) { return 0; }' | \
  $$(CC) -fuse-ld=lld -x c - -o /dev/null 2>/dev/null && echo -fuse-ld=lld)))$(SANLINK)
SANFLAGS := $(if $(SAN),-g1 -fno-omit-frame-pointer -fsanitize=address$(comma)undefined \
              $(if $(findstring clang,$(CC)),-fno-sanitize=function) -fno-sanitize-recover=all)
override CFLAGS += $(CPPFLAGS) -std=c11 $(WARN) $(OPT) $(SANFLAGS) -I. -Iext $(LAPACK_CFLAGS) \
  $(if $(ZLIB_FOUND),-DGPUARR_USE_ZLIB) $(if $(FFTW_LIBS),-DGPUARR_USE_FFTW) $(if $(CUDA_EXTRA),-DGPUARR_LINK_LIBS) \
  $(if $(filter cpu,$(V)),-DGPUARR_NO_CUDA,$(if $(filter-out /usr/include,$(CUDA_INC)),-isystem $(CUDA_INC)))
# Compressed, kernels.o is a fifth as large and loads no slower; a fifth less by
# -compress-mode=size takes 12 s of CPU.
FATBIN ?= -Xfatbin -compress-all
# A short loop across two cache lines of code takes up to twice as long. SPECFUN:
# libstdc++'s std::beta and its kin, which nobody calls, are a third of what the
# compilers of a CUDA part read before its own text (0.6 s of CPU, 0.4 without).
LOOPFLAGS = -fno-exceptions -fno-threadsafe-statics -fno-math-errno \
  -fno-trapping-math -falign-loops=32 -fPIC -D_GLIBCXX_BITS_SPECFUN_H $(OMP_LOOP)
# A part in _cuda has nothing but launches on the host: -O, which is for the host
# alone, takes half as long there (and a third less where no GPU will be launched on).
NVCCFLAGS = $(CPPFLAGS) -std=c++17 $(if $(filter %_cuda,$*),$(if $(filter-out compute_%,$(ARCH)),-O1,-O0),-O3) $(ISA_IS) $(ARCHFLAGS) $(FATBIN) \
  -Xcompiler $(subst $(space),$(comma),$(strip $(LOOPFLAGS)))
CXXFLAGS ?= $(if $(SAN),-O1,-O3)
# Three checks of addresses say of the kernels what ASan says when one is read, for
# half of clang's time (index_cpu 45 s, so 23).
override CXXFLAGS += $(CPPFLAGS) -std=c++17 -DGPUARR_NO_CUDA -fno-rtti $(ISA_IS) $(SANFLAGS)$(if \
  $(SAN), -fno-sanitize=pointer-overflow$(comma)object-size$(comma)null)
SYSLIBS := -lpthread -lm
CUDALIBS := $(if $(CUDA_LIB),-L$(CUDA_LIB)) \
  $(if $(CUDA_EXTRA),-lcublas -lcusolver -lcurand -lcufft $(if $(CUDA_LIB),-Wl$(comma)-rpath$(comma)$(CUDA_LIB))) \
  -lcudart_static -ldl -lrt
LIBS = $(LDFLAGS) $(SANLINK) $(LAPACK_LIBS) $(ZLIB_FOUND) $(FFTW_LIBS) $(if $(filter cuda,$(V)),$(CUDALIBS)) $(OMP_LINK) $(SYSLIBS)

# What a build depends on beside its sources: another compiler or flag builds
# again, the kernels for theirs alone. A file changes only when its text does.
FLAGS_kernels = $(LOOPCXX) $(CXXFLAGS) $(LOOPFLAGS) \
  $(if $(filter cuda,$(V)),$(NVCC) $(ARCHFLAGS) $(FATBIN))
FLAGS = $(CC) $(CFLAGS) $(LIBS) $(FLAGS_kernels)
$(B)/flags $(B)/flags_kernels: $(B)/flags%: FORCE | deps
	@mkdir -p $(B)/tests $(B)/examples $(B)/bench $(B)/own
	@echo '$(FLAGS$*)' | cmp -s - $@ || echo '$(FLAGS$*)' > $@
FORCE:

# -------------------------------------------------------------- library
# kernels.cu is one source for both kinds of device, and says itself in which
# parts all cores may compile it. Those in _cuda have nothing for the CPU alone;
# those in _cpu need no nvcc.
PARTS := $(sort $(shell grep '^\#if' kernels.cu | grep -o 'GK_PART_IS.[a-z0-9_]*' | cut -c12-))
ifeq ($(V),cuda)
LOOPS := $(filter %_cpu,$(PARTS))
else
LOOPS := $(filter-out %_cuda,$(PARTS))
PARTS := $(LOOPS)
endif
# Started in this order: the short ones last.
PARTS := $(filter-out $(LOOPS),$(PARTS)) $(LOOPS)
PART = -DGK_PART -DGK_PART_$*
# 177: a part does not use every helper. Sanitized, these take 81 s, 23 without
# optimisation, which their suites hardly notice (joining's: 4 s more); of all parts
# it would cost more (order_cpu: 33 s less, its suite 103 more).
UNHURRIED := reduce_complex_cpu reduce_int_cpu fft_cpu scan_cpu join solve
# gcc's texts for strides of one beside all others are a quarter of this part, and
# no faster in it (6700 products: the mean of old over new times 1.007).
UNVERSIONED = $(eval UNVERSIONED := $$(if $$(shell $$(LOOPCXX) -fno-version-loops-for-strides -E -x c++ /dev/null 2>&1 >/dev/null),,\
  -fno-version-loops-for-strides))$(UNVERSIONED)
$(B)/kernels.%.o: $(B)/seen.% $(B)/flags_kernels
	$(if $(filter $*,$(LOOPS)),$(LOOPCXX) -x c++ $(CXXFLAGS) $(LOOPFLAGS) \
	    $(if $(filter $*,matrix_cpu),$(UNVERSIONED)) $(if $(SAN),$(if $(filter $*,$(UNHURRIED)),-O0)), \
	  $(NVCC) $(NVCCFLAGS) -diag-suppress 177) $(PART) -c kernels.cu -o $@
# A part is compiled again when what it sees has changed: neither a comment, nor
# another part, nor the implementation in gpuarr.h, nor the prototypes of ga_
# functions, which no kernel calls. The implementation goes first, so that no
# part is looked at after an edit of it; of the rest the preprocessor says, for
# the host's code and the devices'; no condition asks for more of the system's
# headers than the macros here. `sparse` stands for an ext's kernels, one part.
$(B)/text.%: $(B)/text.%.now
	@:
$(B)/text.%.now: % $(B)/flags_kernels
	@mkdir -p $(@D)
	@sed '/^#ifdef GPUARR_IMPLEMENTATION$$/,/^#endif .*GPUARR_IMPLEMENTATION/d; /^ *\# *include/d' $< > $@
	@cmp -s $@ $(@:.now=) || cp $@ $(@:.now=)
TEXTS = $(addprefix $(B)/text.,gpuarr.h kernels.cu)
TEXTS_sparse = $(addprefix $(B)/text.,gpuarr.h ext/gpuarr_sparse.h ext/gpuarr_sparse.cu)
SEES = cat $(filter $(B)/text.%,$^) | $(LOOPCXX) -E -P -x c++ \
  -std=c++17 $(OMP_LOOP) -D__GLIBC__ -D__GLIBCXX__ $(PART) -
SEES_CUDA = $(SEES) -D__CUDACC__ $(patsubst %,; $(SEES) -D__CUDACC__ \
  -D__CUDA_ARCH__=%0,$(or $(patsubst compute_%,%,$(patsubst sm_%,%,$(filter-out native,$(ARCH:a=)))),90))
$(B)/seen.%: $(B)/seen.%.now
	@:
$(B)/seen.sparse.now: $(TEXTS_sparse)
$(PARTS:%=$(B)/seen.%.now): $(TEXTS)
$(B)/seen.%.now: $(B)/flags_kernels
	@{ $(if $(or $(filter cpu,$(V)),$(filter $*,$(LOOPS))),$(SEES) -DGPUARR_NO_CUDA,$(SEES_CUDA)); } \
	  | awk '/^extern "C" [A-Za-z_0-9 ]* \**\(?ga_[a-z]/ {drop = 1} !drop; /;$$/ {drop = 0}' | cksum > $@
	@cmp -s $@ $(@:.now=) || cp $@ $(@:.now=)
# -x: without the names of static functions, 0.2 of 10 MB.
$(B)/kernels.o: $(PARTS:%=$(B)/kernels.%.o)
	$(LD) -r -x -o $@ $^

EXT := ext/gpuarr_rtc.h ext/gpuarr_sparse.h ext/gpuarr_plot.h ext/gpuarr_comm.h
# One source, but all cores may make its code: gcc's partitions do, where it has
# them (8 s for 20 on two), if there is more to do than to read it.
SPLIT := -flto=auto -r -flinker-output=nolto-rel
SPLITS = $(eval SPLITS := $$(if $$(SAN)$$(filter -O0,$$(OPT)),,$$(shell $$(CC) $(SPLIT) -x c /dev/null -o /dev/null \
  2>/dev/null && echo yes)))$(SPLITS)
$(B)/gpuarr.o: packages/gpuarr.c gpuarr.h $(EXT) $(B)/flags
	$(CC) $(CFLAGS:-O2=-O1) -fPIC $(if $(SPLITS),-flto) -c $< -o $@
	$(if $(SPLITS),$(CC) $(CFLAGS:-O2=-O1) -fPIC $(SPLIT) $@ -o $@.all && mv $@.all $@)
# For programs to be linked with the library, whatever they define.
$(B)/linked/gpuarr.h: Makefile
	@mkdir -p $(@D)
	@printf '#undef GPUARR_IMPLEMENTATION\n#include <gpuarr.h>\n' > $@
$(B)/gpuarr_sparse.o: ext/gpuarr_sparse.cu $(B)/seen.sparse $(B)/flags_kernels
	$(if $(filter cpu,$(V)),$(LOOPCXX) -x c++ $(CXXFLAGS) $(LOOPFLAGS),$(NVCC) $(NVCCFLAGS)) -I. -c $< -o $@
$(B)/libgpuarr.a: $(B)/gpuarr.o $(B)/gpuarr_sparse.o $(B)/kernels.o
	@rm -f $@
	$(AR) rcs $@ $^

VERSION := $(shell sed -n 's/^\#define GA_VERSION_M[A-Z]* \([0-9]*\)$$/\1/p;s/^\#define GA_VERSION_PATCH \([0-9]*\)$$/\1/p' \
             gpuarr.h 2>/dev/null | paste -sd.)
SONAME := libgpuarr.so.$(firstword $(subst ., ,$(VERSION)))
# Exports ga_* alone: what else is inside, the CUDA runtime too, stays there.
$(B)/libgpuarr.so: $(B)/gpuarr.o $(B)/kernels.o $(B)/gpuarr_sparse.o
	@echo '{ global: ga_*; local: *; };' > $(B)/exports
	$(CC) -shared -o $@ $^ -Wl,-soname,$(SONAME) \
	  -Wl,--version-script=$(B)/exports $(SANFLAGS) $(LIBS)

# What cffi, bindgen and their like can read, which macros are nothing for.
$(B)/gpuarr_plain.h: gpuarr.h $(EXT) .ci/plain $(B)/flags
	.ci/plain '$(CC)' > $@

# ------------------------------------------------------------- programs
# Linked with the archive, so that a program may define GPUARR_IMPLEMENTATION
# itself: then only kernels.o is taken from it. With it goes the object of a
# .cu file of the same name, the program's own kernels; a .cu file alone is a
# program. Without CUDA there are neither.
LINK = $(CC) $(CFLAGS) -MMD -MP -MF $@.d $< -o $@ $(filter $(B)/own/%,$^) $(B)/libgpuarr.a
OWN := $(if $(filter cuda,$(V)),$(wildcard examples/*.cu tests/test_*.cu))
EXAMPLES := $(patsubst examples/%,$(B)/examples/%,$(sort $(basename \
              $(wildcard examples/*.c) $(filter examples/%,$(OWN)))))
TESTS := $(patsubst tests/%.c,$(B)/tests/%,$(wildcard tests/test_*.c))
ONLY ?= test_
TESTS := $(foreach t,$(TESTS),$(if $(strip $(foreach o,$(ONLY),$(findstring $o,$(t)))),$(t)))

$(B)/own/%.o: examples/%.cu gpuarr.h $(B)/flags
	$(OWNCC)
$(B)/own/%.o: tests/%.cu gpuarr.h $(B)/flags
	$(OWNCC)
OWNCC = $(NVCC) $(NVCCFLAGS) -I. -MMD -MP -MF $@.d -c $< -o $@
$(foreach f,$(basename $(OWN)),$(if $(wildcard $(f).c),$(eval $(B)/$(f): $(B)/own/$(notdir $(f)).o)))

# Each is a whole program, the implementation in it. Here the library's is taken,
# 0.1 instead of 11 s of compiling.
LINKED = -iquote $(B)/linked
$(B)/examples/%: examples/%.c $(B)/linked/gpuarr.h $(B)/libgpuarr.a $(B)/flags
	$(LINK) $(LINKED) $(LIBS)
$(B)/examples/%: $(B)/own/%.o $(B)/libgpuarr.a $(B)/flags
	$(CC) $< -o $@ $(B)/libgpuarr.a $(LIBS)
# Most suites are compiled in less than they compute; these are worth an -O1,
# those of the second row not in a reduced run.
$(addprefix $(B)/tests/test_,decomp matrices products sorting): SUITE_OPT := -O1
$(addprefix $(B)/tests/test_,eval fft random reductions scans): \
  SUITE_OPT := $(if $(SAN)$(GA_TEST_QUICK),-O0,-O1)
# What it records is a library that it loads.
$(B)/tests/test_record: LDFLAGS += -rdynamic
# It pretends what the library is told.
$(B)/tests/test_devices: LDFLAGS += $(addprefix -Wl$(comma)--wrap=,gk_version gk_loops_for \
  $(if $(filter cuda,$(V)),gk_cuda_probe cudaGetDeviceCount cudaDriverGetVersion))
$(B)/tests/%: tests/%.c $(B)/libgpuarr.a $(B)/flags
	$(LINK) $(or $(SUITE_OPT),-O0) -Itests -lcmocka $(LIBS)
-include $(wildcard $(B)/*/*.d)

# A program of examples/ or bench/ once more, with the kernels of its expressions
# that a run of it has recorded: NAME.cu is that run, NAME the program.
.PRECIOUS: $(B)/recorded/%.cu
$(B)/recorded/%.cu: $(B)/%
	@mkdir -p $(@D)
	GPUARR_RECORD=$@ $< > $@.log
$(B)/recorded/%.o: $(B)/recorded/%.cu kernels.cu gpuarr.h $(B)/flags
	$(if $(filter cpu,$(V)),$(LOOPCXX) -x c++ $(CXXFLAGS) $(LOOPFLAGS),$(NVCC) $(NVCCFLAGS)) -I. -c $< -o $@
$(B)/recorded/%: %.c $(B)/recorded/%.o $(B)/linked/gpuarr.h $(B)/libgpuarr.a $(B)/flags
	$(CC) $(CFLAGS) $< -o $@ $(filter %.o,$^) $(B)/libgpuarr.a $(LINKED) $(LIBS)

## run: build what this machine can, run the walkthrough and a real data set
run: $(filter %/01_walkthrough %/02_npy,$(EXAMPLES))
	$(LIVE)$(B)/examples/01_walkthrough
	$(LIVE)$(B)/examples/02_npy examples/data/iris.npy $(B)/iris_normalised.npy

# What a question about a machine is answered with.
$(B)/gpuarr-info: tools/gpuarr_info.c $(B)/libgpuarr.a $(B)/flags
	$(LINK) -DARCHS='"$(ARCH)"' $(LIBS) $(if $(filter cpu,$(V)),-ldl)

## all: the library, static and shared, gpuarr-info and the examples
all: $(B)/libgpuarr.a $(B)/libgpuarr.so $(B)/gpuarr_plain.h $(B)/gpuarr-info examples

## examples: build all examples
examples: $(EXAMPLES)

# ---------------------------------------------------------------- tests
# What the test scripts need to know of this build.
TESTENV = B='$(B)' V='$(V)' ISA='$(ISA_OF)' ISA_IS='$(ISA_IS)' CC='$(CC)' CXX='$(CXX)' CFLAGS='$(CFLAGS)' \
  LIBS='$(LIBS)' LAPACK='$(LAPACK_FOUND)' NVCC='$(NVCC)' CUDA_INC='$(CUDA_INC)' \
  CUDA_LIB='$(CUDA_LIB)'
CHECKS ?= tests/packages.sh tests/newcomer.sh tests/compile.sh tests/examples.sh tests/snippets.sh \
  tests/docs.sh tests/contributing.sh tests/rooms.sh tests/comm.sh

## test: every suite on every device present; ONLY="name ..." runs those with a name
test: suites $(if $(filter test_,$(ONLY)),examples $(B)/libgpuarr.so $(B)/gpuarr_plain.h)
	$(LIVE)$(TESTENV) tests/run.sh $(TESTS) $(if $(filter test_,$(ONLY)),$(CHECKS))
suites: $(TESTS) $(B)/tests/devices

## sanitize: suites, examples, documentation on the CPU under ASan and UBSan
sanitize:
	+@$(MAKE) --no-print-directory sanitized-suites CUDA=0 SAN=1 \
	  B=$(if $(filter command%,$(origin B)),$(B),build/sanitize) OPT=$(if $(filter command%,$(origin OPT)),$(OPT),-O1)
# intercept_tls_get_addr=0: the sanitizers' guess at where a loaded library's
# thread-local block lies is wrong for one that begins 16 bytes into a page, and
# then the search for leaks crashes (every other run of test_eval).
sanitized-suites: suites examples $(B)/gpuarr_plain.h
	$(LIVE)$(TESTENV) ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1:intercept_tls_get_addr=0 \
	  UBSAN_OPTIONS=print_stacktrace=1 GA_TEST_QUICK=1 GA_TEST_JOBS=2 tests/run.sh $(TESTS) \
	  $(if $(filter test_,$(ONLY)),$(filter-out tests/compile.sh tests/comm.sh tests/contributing.sh tests/packages.sh tests/newcomer.sh,$(CHECKS)))

## check-gpu: compute-sanitizer (memcheck, racecheck, initcheck), a reduced run
SANITIZER := $(firstword $(wildcard $(CUDA_TOP)/bin/compute-sanitizer) \
               $(shell command -v compute-sanitizer 2>/dev/null))
check-gpu: suites
	@test -n '$(SANITIZER)' || { echo 'check-gpu: compute-sanitizer not found'; exit 1; }
	$(LIVE){ status=0; for tool in memcheck racecheck initcheck; do \
	  echo "== $$tool"; \
	  $(TESTENV) GA_TEST_QUICK=1 GA_TEST_SANITIZER=$$tool TIMEOUT=1800 DEVICES=0 \
	  WRAP="$(SANITIZER) --tool $$tool --error-exitcode 99 --report-api-errors no" \
	  tests/run.sh $(TESTS) || status=1; done; exit $$status; }

## fuzz: libFuzzer over the parsers, FUZZ_TIME seconds each (needs clang)
FUZZ_TIME ?= 60
FUZZERS := $(patsubst tests/fuzz/%.c,build/fuzz/%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZCC ?= clang
fuzz:
	+@$(MAKE) --no-print-directory run-fuzz CUDA=0
# A core each; what one says is printed when it is done.
run-fuzz: $(FUZZERS:=.run)
build/fuzz/%.run: build/fuzz/% FORCE
	@echo '== $*'; mkdir -p build/fuzz/corpus-$*; cd build/fuzz && \
	  ./$* -max_total_time=$(FUZZ_TIME) -print_final_stats=1 -rss_limit_mb=4096 \
	  corpus-$* $$(ls -d $(CURDIR)/tests/fuzz/seeds/$* 2>/dev/null)
# All share one object of the implementation, with the two that look inside.
FUZZFLAGS = $(CFLAGS) $(if $(SAN),,-g) -fsanitize=address,undefined -fno-sanitize-recover=all -Itests
FUZZED = $(LINKED) build/fuzz/gpuarr.o $(B)/kernels.o $(B)/gpuarr_sparse.o -o $@ $(LIBS)
build/fuzz/gpuarr.o: tests/fuzz/library.c $(wildcard tests/fuzz/fuzz*) gpuarr.h $(EXT) $(B)/flags
	@mkdir -p build/fuzz
	$(FUZZCC) $(FUZZFLAGS) -fsanitize=fuzzer-no-link -c $< -o $@
build/fuzz/fuzz_npy build/fuzz/fuzz_text: build/fuzz/%: build/fuzz/gpuarr.o $(B)/libgpuarr.a
	@printf '%s\n' '#include <stddef.h>' '#include <stdint.h>' \
	  'int $*(const uint8_t *, size_t), LLVMFuzzerTestOneInput(const uint8_t *, size_t);' \
	  'int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { return $*(data, size); }' >$@.c
	$(FUZZCC) $(FUZZFLAGS) -fsanitize=fuzzer $@.c $(FUZZED)
build/fuzz/%: tests/fuzz/%.c build/fuzz/gpuarr.o $(B)/linked/gpuarr.h $(B)/libgpuarr.a
	$(FUZZCC) $(FUZZFLAGS) -fsanitize=fuzzer $< $(FUZZED)

# ----------------------------------------------------------- benchmarks
BENCH := $(B)/bench/bench $(B)/bench/process $(B)/bench/alloc
# In CI they run to see that they work. (Its -Werror has them built anew outside.)
BENCHOPT := $(if $(CI),-O0)
ROWS := $(B)/bench/rows
ifeq ($(V),cuda)
BENCH += $(B)/bench/process_cuda
$(B)/bench/limits.o: bench/limits.cu $(B)/flags
	$(NVCC) $(NVCCFLAGS) -DCCCL_DISABLE_EXCEPTIONS -c $< -o $@
$(B)/bench/process_cuda: bench/process_cuda.cu $(B)/flags
	$(NVCC) -O3 $(ARCHFLAGS) -Xcompiler -fno-exceptions,-fno-threadsafe-statics -c $< -o $@.o
	$(CC) $@.o -o $@ $(CUDALIBS) $(SYSLIBS)
LIMITS := $(B)/bench/limits.o
$(B)/bench/rows_plain.o: bench/rows_plain.cu $(B)/flags
	$(NVCC) $(NVCCFLAGS) -c $< -o $@
$(ROWS) $(ROWS)_jit: $(LIMITS) $(B)/bench/rows_plain.o
$(ROWS)_jit: bench/rows.c $(B)/libgpuarr.a $(B)/flags
	$(LINK) $(BENCHOPT) -DROWS_JIT $(filter $(B)/bench/%.o,$^) -lstdc++ $(LIBS)
endif
$(B)/bench/%: bench/%.c $(B)/libgpuarr.a $(B)/flags
	$(LINK) $(BENCHOPT) $(if $(filter %/limits.o,$^),$(filter $(B)/bench/%.o,$^) -lstdc++) $(LIBS)
$(B)/bench/bench: $(LIMITS) $(if $(LIMITS),$(patsubst %,$(B)/own/%.o, \
  11_tiled_product 12_integration 13_diffusion))

## bench: library, limits and peers in one go, to bench/results; CASES=substring
bench: $(BENCH)
	$(LIVE)bench/run.sh $(B) '$(CASES)'
## bench-cpu: the CPU device against NumPy
bench-cpu: $(BENCH)
	$(LIVE)DEVICE=cpu bench/run.sh $(B) '$(CASES)'
## bench-comm: several ranks beside NCCL by hand, arrays larger than memory
bench-comm: $(B)/libgpuarr.a
	$(LIVE)$(TESTENV) bench/comm.sh
## bench-rows: every row of the tables by dtype and layout, with floors and peers
bench-rows: $(ROWS) $(if $(LIMITS),$(ROWS)_jit)
	$(LIVE)bench/rows.sh $(B) $(if $(QUICK),small,all)
## bench-shapes: calls of random shapes and layouts beside other libraries; CHECK=1: their results
bench-shapes: $(B)/libgpuarr.so $(B)/gpuarr_plain.h
	$(LIVE)BUILD=$(B) SEED=$(SEED) SECONDS=$(SECONDS) CLASSES='$(CLASSES)' CASES='$(CASES)' PEERS='$(PEERS)' \
	  CHECK=$(CHECK) $(or $(PYTHON),python3) bench/shapes.py

## dry: with CUDA=1, random calls on a GPU that computes nothing: does the launches' host code hold?
DRY = $(B)/dry_cuda
$(DRY)/libgpuarr.so: tests/dry_runtime.c $(B)/gpuarr.o $(B)/kernels.o $(B)/gpuarr_sparse.o $(B)/gpuarr_plain.h
	@mkdir -p $(@D)
	cp $(B)/gpuarr_plain.h $(@D)
	$(if $(filter cuda,$(V)),,$(error dry is for CUDA=1))
	$(CC) -shared -fPIC -w $(addprefix -isystem ,$(CUDA_INC)) -o $@ $(filter %.c %.o,$^) $(filter-out -lcudart_static,$(LIBS))
dry: $(DRY)/libgpuarr.so
	$(LIVE)BUILD=$(DRY) DRY=1 CHECK=$(or $(CHECK),1) SEED=$(SEED) SECONDS=$(SECONDS) CLASSES='$(CLASSES)' \
	  CASES='$(CASES)' $(or $(PYTHON),python3) -X faulthandler bench/shapes.py

# --------------------------------------------------------------- install
PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
DATADIR ?= $(PREFIX)/share/gpuarr
DOCDIR ?= $(PREFIX)/share/doc/gpuarr
MANDIR ?= $(PREFIX)/share/man
# What pkg-config knows of the libraries that a static program needs.
REQUIRES = $(if $(LAPACK_FOUND),$(shell for p in lapacke openblas; do \
             pkg-config --exists $$p 2>/dev/null && echo $$p; done))
D := $(DESTDIR)
# What pkg-config and CMake are told.
FILL = sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' \
  -e 's|@DATADIR@|$(DATADIR)|' -e 's|@DOCDIR@|$(DOCDIR)|' -e 's|@VERSION@|$(VERSION)|' \
  -e 's|@CFLAGS@|$(if $(filter cpu,$(V)), -DGPUARR_NO_CUDA)$(if $(CUDA_EXTRA), -DGPUARR_LINK_LIBS)$(LAPACK_CFLAGS:%= %)|' \
  -e 's|@FEATURES@|$(filter cuda,$(V)) $(if $(LAPACK_FOUND),lapack)|' \
  -e 's|@REQUIRES@|$(REQUIRES)|' -e 's|@PRIVATE@|$(strip $(LIBS))|'

## install: headers, kernels, libraries, gpuarr-info, for pkg-config and CMake; PREFIX=, DESTDIR=
install: $(B)/libgpuarr.a $(B)/libgpuarr.so $(B)/gpuarr_plain.h $(B)/gpuarr-info
	install -d $(D)$(BINDIR) $(D)$(INCLUDEDIR) $(D)$(LIBDIR)/gpuarr $(D)$(LIBDIR)/pkgconfig \
	  $(D)$(LIBDIR)/cmake/gpuarr $(D)$(DATADIR) $(D)$(DOCDIR)
	install -m 755 $(B)/gpuarr-info $(D)$(BINDIR)
	@! command -v python3 >/dev/null || { $(MAKE) -s build/docs/index.html && install -d $(D)$(MANDIR)/man3 \
	  && install -m 644 build/docs/man3/*.3 $(D)$(MANDIR)/man3 \
	  && install -d $(D)$(DOCDIR)/reference && install -m 644 build/docs/*.html $(D)$(DOCDIR)/reference; }
	install -m 644 gpuarr.h $(EXT) $(B)/gpuarr_plain.h $(D)$(INCLUDEDIR)
	install -m 644 kernels.cu ext/gpuarr_sparse.cu tools/gpuarr_gdb.py $(D)$(DATADIR)
	install -m 644 LICENSE README.md CHANGELOG.md $(D)$(DOCDIR)
	cp -R docs $(D)$(DOCDIR)
	install -m 644 $(B)/kernels.o $(B)/gpuarr_sparse.o $(D)$(LIBDIR)/gpuarr
	install -m 644 $(B)/libgpuarr.a $(D)$(LIBDIR)
	install -m 755 $(B)/libgpuarr.so $(D)$(LIBDIR)/libgpuarr.so.$(VERSION)
	ln -sf libgpuarr.so.$(VERSION) $(D)$(LIBDIR)/$(SONAME)
	ln -sf $(SONAME) $(D)$(LIBDIR)/libgpuarr.so
	for f in pkgconfig/gpuarr.pc cmake/gpuarr/gpuarrConfig.cmake cmake/gpuarr/gpuarrConfigVersion.cmake; do \
	  $(FILL) packages/$${f##*/}.in > $(D)$(LIBDIR)/$$f || exit 1; done
	@test -n '$(D)' || ldconfig 2>/dev/null || true

## uninstall: remove what install put there
uninstall:
	rm -f $(patsubst %,$(D)$(INCLUDEDIR)/%,gpuarr.h $(notdir $(EXT)) gpuarr_plain.h) \
	  $(D)$(LIBDIR)/libgpuarr.a $(D)$(LIBDIR)/libgpuarr.so* \
	  $(D)$(LIBDIR)/pkgconfig/gpuarr.pc $(D)$(BINDIR)/gpuarr-info
	rm -f $(D)$(MANDIR)/man3/ga_*.3
	rm -rf $(D)$(DATADIR) $(D)$(LIBDIR)/gpuarr $(D)$(LIBDIR)/cmake/gpuarr $(D)$(DOCDIR)

include packages/dist.mk

# -------------------------------------------------------- other systems
## cross: compile for other systems (CROSS="..."), by Python's ziglang; nothing is run
CROSS ?= x86_64-windows-gnu aarch64-linux-musl aarch64-macos riscv64-linux-musl
ZIG ?= $(or $(PYTHON),python3) -m ziglang
cross: $(CROSS:%=build/cross/%/kernels.o) $(CROSS:%=build/cross/%/gpuarr.o)
build/cross/%/gpuarr.o: gpuarr.h
	@mkdir -p $(@D)
	printf '#define GPUARR_IMPLEMENTATION\n#include "gpuarr.h"\n' > $(@:.o=.c)
	$(ZIG) cc -target $* -std=c11 $(WARN) -O0 -I. -DGPUARR_NO_CUDA -c $(@:.o=.c) -o $@
build/cross/%/kernels.o: gpuarr.h kernels.cu
	@mkdir -p $(@D)
	$(ZIG) c++ -target $* -x c++ -std=c++17 -O0 -DGPUARR_NO_CUDA -c kernels.cu -o $@

# ------------------------------------------------------------------ rest
## deps: install what is missing: OpenBLAS (CBLAS, LAPACKE), cmocka; DEPS=0 does not
DEPS ?= $(if $(D),0,1)
deps:
	$(LIVE)$(if $(filter 0,$(DEPS)),true,CC='$(CC)' CXX='$(LOOPCXX)' LAPACK=$(LAPACK) .ci/deps \
	  $(if $(filter test sanitize% check-gpu suites,$(MAKECMDGOALS)),cmocka))

## docs: the reference, build/docs/index.html, and man pages; gallery, cheat sheet
docs: build/docs/index.html docs/gallery.md docs/cheat-sheet.svg
REFERENCE = python3 tools/reference.py
build/docs/index.html: $(B)/docs/ran.txt $(wildcard docs/*.md)
	$(REFERENCE) pages gpuarr.h $(B)/gpuarr_plain.h $< build/docs build/docs/man3
docs/gallery.md: tools/gallery.py $(wildcard examples/*.c examples/expected/* docs/img/*)
	python3 tools/gallery.py > $@
docs/cheat-sheet.svg: tools/cheat_sheet.py docs/cheat-sheet.txt $(B)/docs/examples.c
	python3 tools/cheat_sheet.py gpuarr.h $(B)/gpuarr_plain.h > $(B)/docs/sheet && mv $(B)/docs/sheet $@
$(B)/docs/examples.c: tools/reference.py docs/examples.txt gpuarr.h $(EXT) $(B)/gpuarr_plain.h
	@mkdir -p $(@D)/run
	$(REFERENCE) program gpuarr.h $(B)/gpuarr_plain.h > $@
$(B)/docs/ran.txt: $(B)/docs/examples.c $(B)/libgpuarr.a
	$(CC) $(CFLAGS) -O0 -Wno-unused $< -o $(@D)/examples $(B)/libgpuarr.a $(LIBS)
	cd $(@D)/run && GPUARR_DEVICE=cpu ../examples > ../ran.txt

## clean: remove build/
clean:
	rm -rf build

## help: this list
help:
	@echo 'Targets'
	@sed -n 's/^## \([a-z-]*\): \(.*\)/  \1|\2/p' $(filter %Makefile %.mk,$(MAKEFILE_LIST)) | awk -F'|' '{printf "%-13s %s\n", $$1, $$2}'
	@echo 'Options'
	@echo '  CUDA=0|1      without or with CUDA; otherwise whether nvcc and a GPU are found'
	@echo '  NVCC=path     the CUDA compiler'
	@echo '  ARCH=sm_90    the GPU to build for: one, a list, native, all; compute_90: PTX alone; otherwise the card found'
	@echo '  ISA=native    the processor to build the CPU loops for: native, or all, for libraries that go elsewhere'
	@echo '  CC=gcc|clang  and CXX, which follows it'
	@echo '  LAPACK=0      without OpenBLAS: linear algebra on the GPU alone, but for products'
	@echo '  ZLIB=0        without zlib: no compressed .npz files'
	@echo '  FFTW=1        transforms on the CPU device by FFTW (libfftw3-dev; GPL)'
	@echo '  LINK_LIBS=1   links cuBLAS, cuSOLVER, cuRAND and cuFFT; otherwise opened at their first use'
	@echo '  OPENMP=0      CPU loops on one thread'
	@echo '  PREFIX=dir    of install and uninstall: $(PREFIX)'

.PHONY: all docs cross run examples test suites sanitize sanitized-suites check-gpu fuzz \
  run-fuzz bench bench-cpu bench-comm bench-rows bench-shapes dry install uninstall dist dist-all deps clean help FORCE
.SECONDARY:
