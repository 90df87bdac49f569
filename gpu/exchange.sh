#!/usr/bin/env bash
# DLPack against the libraries of this machine.
set -u
cc -shared -o build/cuda/exchange.so -Wl,--whole-archive build/cuda/libgpuarr.a -Wl,--no-whole-archive \
   -L/usr/local/cuda/lib64 -lcudart_static -ldl -lrt $(.ci/lapack cc | tr ' ' '\n' | grep -v '^-[ID]' | tr '\n' ' ') -fopenmp -lpthread -lm || exit 1
timeout 38 python3 tests/exchange.py build/cuda/exchange.so
