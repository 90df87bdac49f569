# A release: build/VARIANT/dist/gpuarr-VERSION-SYSTEM.tar.gz (tools/dist.sh says
# what is in it). The CUDA variant packs both kinds of library, the loops of
# which are the same objects; the other has the CPU's alone.
DIST := $(B)/dist
# Not $(OPT): a library to go is optimised. (The tests give both; their DIST is
# another folder.)
DIST_OPT ?= -O2
# No OpenBLAS, no zlib: nothing that the machine it goes to may not have.
DIST_CC = $(CC) -std=c11 $(DIST_OPT) -fPIC -I. -Iext
DIST_CXX = $(LOOPCXX) -x c++ $(CXXFLAGS) $(LOOPFLAGS) $(filter -O0,$(DIST_OPT)) -I.

$(DIST)/cpu/gpuarr.o: packages/gpuarr.c gpuarr.h $(EXT) $(B)/flags
	@mkdir -p $(@D)
	$(DIST_CC) -DGPUARR_NO_CUDA -c $< -o $@
$(DIST)/cuda/gpuarr.o: packages/gpuarr.c gpuarr.h $(EXT) $(B)/flags
	@mkdir -p $(@D)
	$(DIST_CC) $(if $(filter-out /usr/include,$(CUDA_INC)),-isystem $(CUDA_INC)) -c $< -o $@
# What nvcc compiled for both, once more without it.
$(DIST)/cpu/kernels.%.o: kernels.cu gpuarr.h $(B)/flags
	@mkdir -p $(@D)
	$(DIST_CXX) $(PART) -c $< -o $@
$(DIST)/cpu/gpuarr_sparse.o: ext/gpuarr_sparse.cu ext/gpuarr_sparse.h gpuarr.h $(B)/flags
	@mkdir -p $(@D)
	$(DIST_CXX) -c $< -o $@
DIST_PARTS := $(if $(filter cuda,$(V)),$(filter-out %_cpu %_cuda,$(PARTS)))
$(DIST)/cpu/kernels.o: $(LOOPS:%=$(B)/kernels.%.o) $(DIST_PARTS:%=$(DIST)/cpu/kernels.%.o)
	$(LD) -r -x -o $@ $^
$(DIST)/cpu/libgpuarr.a: $(addprefix $(DIST)/cpu/,gpuarr.o kernels.o gpuarr_sparse.o)
# -x: the names of static functions, which nvcc draws anew each time.
$(DIST)/cuda/gpuarr_sparse.o: $(B)/gpuarr_sparse.o
	@mkdir -p $(@D)
	$(LD) -r -x -o $@ $<
$(DIST)/cuda/libgpuarr.a: $(DIST)/cuda/gpuarr.o $(B)/kernels.o $(DIST)/cuda/gpuarr_sparse.o
$(DIST)/%/libgpuarr.a:
	@rm -f $@
	$(AR) rcsD $@ $^

## dist: a release in build/: sources, built libraries, checksums, SPDX; CUDA=1 for both kinds
dist: $(DIST)/cpu/libgpuarr.a $(if $(filter cuda,$(V)),$(DIST)/cuda/libgpuarr.a)
	@CC='$(CC)' NVCC='$(NVCC)' ARCH='$(ARCH)' CUDA_LIB='$(CUDA_LIB)' \
	  tools/dist.sh $(DIST) $(VERSION) $(V)
## dist-all: the same for every GPU from sm_75 to sm_120
dist-all:
	+@$(MAKE) --no-print-directory dist CUDA=1 ARCH=all ISA=all B=build/all
