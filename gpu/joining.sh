#!/usr/bin/env bash
cp gpu/joining_time.c bench/joining_time.c
make CUDA=1 ARCH=sm_90 DEPS=0 build/cuda/bench/joining_time >/tmp/joining_build.log 2>&1 || tail -20 /tmp/joining_build.log
rm bench/joining_time.c
timeout 15 build/cuda/bench/joining_time
timeout 22 python3 gpu/joining_peers.py 2>&1 | grep -v Warning
