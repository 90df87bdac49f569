#!/usr/bin/env bash
# DLPack against the libraries of this machine.
set -u
cc -shared -o build/cuda/exchange.so -Wl,--whole-archive build/cuda/libgpuarr.a -Wl,--no-whole-archive \
   -L/usr/local/cuda/lib64 -lcudart_static -ldl -lrt $(.ci/lapack cc | tr ' ' '\n' | grep -v '^-[ID]' | tr '\n' ' ') -fopenmp $(nm build/cuda/libgpuarr.a 2>/dev/null | grep -q " U deflate$" && echo -lz) -lpthread -lm || exit 1
timeout 25 python3 tests/exchange.py build/cuda/exchange.so
cc -O2 -std=gnu11 -w -I. -I/usr/local/cuda/include gpu/exchange_time.c build/cuda/exchange.so -Wl,-rpath,$PWD/build/cuda -lm -o build/cuda/exchange_time && for d in cpu 0; do echo device $d; GPUARR_DEVICE=$d timeout 15 build/cuda/exchange_time; done
cc -O2 -fPIC -shared -I. -I/usr/local/cuda/include examples/19_from_python/standardise.c build/cuda/exchange.so -Wl,-rpath,$PWD/build/cuda -o build/cuda/standardise.so && python3 examples/19_from_python/from_python.py build/cuda/standardise.so
