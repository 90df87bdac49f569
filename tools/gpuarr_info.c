/* gpuarr-info: what this machine has for gpuarr, what is wrong and the remedy.

       gpuarr-info             version, devices, libraries, threads, limits
       gpuarr-info --bench     ten figures: does this machine run as it should?
       gpuarr-info --watch [s] a line a GPU every s seconds: use, memory, rates;
                               without a GPU the processor's

   Ends with 1 where something is wrong. NVIDIA's management library is opened
   where it is there. ARCHS: what the kernels were compiled for.            */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include "gpuarr.h"

static int wrong;
static void remedy(const char *what, const char *then) {
    wrong++;
    printf("  ! %s\n    %s\n", what, then);
}
static double gb(size_t bytes) { return (double)bytes / 1e9; }

/* ------------------------------------------------------------------- NVML
   Its few types and names, which have not changed since its first versions. */
typedef struct nvml_memory { unsigned long long total, free, used; } nvml_memory;
typedef struct nvml_use { unsigned gpu, memory; } nvml_use;
static struct {
    int (*Init_v2)(void);
    int (*SystemGetDriverVersion)(char *, unsigned);
    int (*DeviceGetCount_v2)(unsigned *);
    int (*DeviceGetHandleByIndex_v2)(unsigned, void **);
    int (*DeviceGetName)(void *, char *, unsigned);
    int (*DeviceGetMemoryInfo)(void *, nvml_memory *);
    int (*DeviceGetUtilizationRates)(void *, nvml_use *);
    int (*DeviceGetTemperature)(void *, int, unsigned *);
    int (*DeviceGetPowerUsage)(void *, unsigned *);
    int (*DeviceGetPcieThroughput)(void *, int, unsigned *);
    int (*DeviceGetCurrPcieLinkGeneration)(void *, unsigned *);
    int (*DeviceGetCurrPcieLinkWidth)(void *, unsigned *);
    int (*DeviceGetNvLinkState)(void *, unsigned, unsigned *);
    int (*DeviceGetCurrentClocksThrottleReasons)(void *, unsigned long long *);
    int (*DeviceGetP2PStatus)(void *, void *, int, int *);
} nvml;
static const struct { const char *name; size_t at; } nvml_names[] = {
#define N(f) {"nvml" #f, offsetof(__typeof__(nvml), f)}
    N(Init_v2), N(SystemGetDriverVersion), N(DeviceGetCount_v2),
    N(DeviceGetHandleByIndex_v2), N(DeviceGetName), N(DeviceGetMemoryInfo),
    N(DeviceGetUtilizationRates), N(DeviceGetTemperature),
    N(DeviceGetPowerUsage), N(DeviceGetPcieThroughput),
    N(DeviceGetCurrPcieLinkGeneration), N(DeviceGetCurrPcieLinkWidth),
    N(DeviceGetNvLinkState), N(DeviceGetCurrentClocksThrottleReasons),
    N(DeviceGetP2PStatus)};
#undef N
static unsigned nvml_open(void) {   /* the number of GPUs                   */
    void *h = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    unsigned n = 0;
    if (!h) return 0;
    for (size_t i = 0; i < sizeof nvml_names / sizeof *nvml_names; i++) {
        void *f = dlsym(h, nvml_names[i].name);
        if (!f) return 0;
        memcpy((char *)&nvml + nvml_names[i].at, &f, sizeof f);
    }
    return nvml.Init_v2() || nvml.DeviceGetCount_v2(&n) ? 0 : n;
}

/* ------------------------------------------------------------------ report */
/* What is mapped now, of one of these names: found by the work that needs it. */
static void mapped(const char *name) {
    char line[4096], last[4096] = "";
    FILE *f = fopen("/proc/self/maps", "r");
    while (f && fgets(line, sizeof line, f)) {
        char *path = strchr(line, '/');
        if (!path) continue;
        path[strcspn(path, "\n")] = 0;
        const char *base = strrchr(path, '/') + 1;
        if (strncmp(base, name, strlen(name)) || !strcmp(path, last)) continue;
        snprintf(last, sizeof last, "%s", path);
        printf("  %-18.*s %s\n", (int)strcspn(name, "."), name, path);
    }
    if (f) fclose(f);
}
static bool works(const char *what, ga_array *r) {
    if (r && !ga_synchronize()) return true;
    char text[1200];
    const ga_status s = ga_error();
    snprintf(text, sizeof text, "%s: %s", what, ga_error_message());
    ga_clear_error();
    remedy(text, s == GA_ERR_ARCH ? ga_device() == GA_CPU
             ? "build for every processor: make ISA=all"
             : "build for this GPU: make ARCH=native"
           : s == GA_ERR_OLD_DRIVER ? "a driver as new as CUDA's runtime, or a "
             "build with an older CUDA"
           : s == GA_ERR_LIBRARY && ga_device() == GA_CPU ? "make deps, then "
             "build again; by hand -DGPUARR_USE_LAPACK -llapacke -lopenblas"
           : s == GA_ERR_LIBRARY ? "CUDA's libraries on LD_LIBRARY_PATH, or "
             "pip install nvidia-cublas-cu12 and its like"
           : s == GA_ERR_DEVICE_MEMORY ? "another program holds the GPU's memory: "
             "nvidia-smi names it"
           : "docs/debugging.md");
    return false;
}
/* Processors' worth of time that a container may use; 0: as much as there is. */
static double quota(void) {
    double most = 0, period = 1;
    FILE *f = fopen("/sys/fs/cgroup/cpu.max", "r");
    if (f && fscanf(f, "%lf %lf", &most, &period) != 2) most = 0;
    if (f) fclose(f);
    return most / period;
}
static void processor(int threads) {
    const long there = sysconf(_SC_NPROCESSORS_ONLN);
    const double may = quota();
    printf("  threads            %d\n", threads);
#if defined(__x86_64__) && defined(__GNUC__)
    printf("  vectors            %s\n", __builtin_cpu_supports("avx512f")
           ? "AVX-512" : __builtin_cpu_supports("avx2") ? "AVX2" : "SSE2");
    if (!__builtin_cpu_supports("avx2"))
        remedy("no AVX2: loops run with SSE2", "a newer processor, or a virtual "
               "machine that shows its own: -cpu host");
#endif
    if (threads < 2 && there > 1 && !getenv("OMP_NUM_THREADS"))
        remedy("loops run on one thread", "compile kernels.cu and the program "
               "with -fopenmp (make OPENMP=1)");
    if (may > 0 && threads > may + 0.5)
        remedy("more threads than this container may use processors: they wait "
               "for each other", "OMP_NUM_THREADS and OPENBLAS_NUM_THREADS to "
               "that number, or a higher limit");
}
static void device(int d) {
    ga_device_properties p;
    GA_SCOPE;
    if (ga_device_info(d, &p) || ga_set_device(d)) {
        remedy(ga_error_message(), "GPUARR_DEVICE=cpu does without");
        ga_clear_error();
        return;
    }
    char number[16];
    snprintf(number, sizeof number, "%d", d);
    printf("device %s: %s\n", d == GA_CPU ? "cpu" : number,
           p.name);
    printf("  memory             %.1f GB, %.1f free\n", gb(p.total_memory),
           gb(p.free_memory));
    if (d == GA_CPU) processor(p.multiprocessors);
    else
        printf("  compute capability %d.%d, %d multiprocessors, %.0f MB of L2\n"
               "  CUDA               driver %d.%d, this program's runtime %d.%d\n",
               p.major, p.minor, p.multiprocessors, (double)p.l2_bytes / 1e6,
               p.driver_version / 1000, p.driver_version / 10 % 100,
               p.runtime_version / 1000, p.runtime_version / 10 % 100);
    if (d != GA_CPU && p.free_memory < p.total_memory / 10)
        remedy("nine tenths of this GPU's memory are taken",
               "nvidia-smi names the programs that hold it");
    ga_array *x = ga_add(ga_identity(4, GA_FLOAT64), 1);
    if (!works("element-wise work", x)) return;
    works("a matrix product", ga_matmul(x, x));
    works("a decomposition", ga_inv(x));
    works("a Fourier transform",
          ga_fft(ga_ones(GA_SHAPE(5000), GA_FLOAT32), 0, -1, GA_BACKWARD));
}
static void links(unsigned gpus) {
    for (unsigned i = 0; i < gpus; i++) {
        void *h;
        unsigned gen = 0, width = 0, up = 0, active;
        char name[96] = "";
        unsigned long long slow = 0;
        if (nvml.DeviceGetHandleByIndex_v2(i, &h)) continue;
        nvml.DeviceGetName(h, name, sizeof name);
        nvml.DeviceGetCurrPcieLinkGeneration(h, &gen);
        nvml.DeviceGetCurrPcieLinkWidth(h, &width);
        for (unsigned k = 0; k < 18; k++)
            up += !nvml.DeviceGetNvLinkState(h, k, &active) && active;
        printf("  GPU %u              PCIe %u x%u, %u NVLinks up\n", i, gen,
               width, up);
        if (!nvml.DeviceGetCurrentClocksThrottleReasons(h, &slow) && slow & 0xe8)
            remedy("this GPU is slowed down by heat or its power supply",
                   "look at its cooling: nvidia-smi -q -d PERFORMANCE");
    }
    for (unsigned i = 0; i < gpus; i++)         /* 0: reading, 2: by NVLink */
        for (unsigned k = 0; k < i; k++) {
            void *a, *b;
            int reads = 1, nvlink = 1;
            if (nvml.DeviceGetHandleByIndex_v2(i, &a)
                || nvml.DeviceGetHandleByIndex_v2(k, &b)
                || nvml.DeviceGetP2PStatus(a, b, 0, &reads)) continue;
            nvml.DeviceGetP2PStatus(a, b, 2, &nvlink);
            printf("  GPU %u and %u        %s\n", k, i, reads
                   ? "no access to each other: copies go through the host"
                   : nvlink ? "peers over PCIe" : "peers over NVLink");
        }
}
static int report(void) {
    struct utsname u;
    struct rlimit stack, files, locked;
    char driver[96] = "";
    const unsigned gpus = nvml_open();
    uname(&u);
    printf("gpuarr %d.%d.%d, %s; %s %s %s\n", GA_VERSION_MAJOR, GA_VERSION_MINOR,
           GA_VERSION_PATCH,
#ifdef GPUARR_NO_CUDA
           "built for the CPU alone",
#else
           "built for CUDA devices and the CPU",
#endif
           u.sysname, u.release, u.machine);
    if (gpus && !nvml.SystemGetDriverVersion(driver, sizeof driver))
        printf("driver %s, %u GPU%s\n", driver, gpus, gpus == 1 ? "" : "s");
#if defined(ARCHS) && !defined(GPUARR_NO_CUDA)
    printf("kernels for %s\n", ARCHS);
#endif
    const int n = ga_device_count();
    for (int d = 0; d < n; d++) device(d);
    device(GA_CPU);
    ga_clear_error();
#ifndef GPUARR_NO_CUDA
    if (n && !dlopen("libnvrtc.so", RTLD_NOW)) dlopen("libnvrtc.so.13", RTLD_NOW);
    if (n) dlopen("libnccl.so.2", RTLD_NOW);    /* optional: no remedy      */
#endif
    printf("libraries that this work opened\n");
    static const char *const lib[] = {"libcuda.", "libcublas.", "libcusolver.",
        "libcurand.", "libcufft.", "libnvrtc.", "libnccl.", "libopenblas", "liblapacke", "libgomp",
        "libomp", "libz."};
    for (size_t i = 0; i < sizeof lib / sizeof *lib; i++) mapped(lib[i]);
    char *(*core)(void), *(*config)(void);
    *(void **)&core = dlsym(RTLD_DEFAULT, "openblas_get_corename");
    *(void **)&config = dlsym(RTLD_DEFAULT, "openblas_get_config");
    if (core && config) {
        printf("  OpenBLAS's core    %s (%s)\n", core(), config());
        if (!strcmp(core(), "Prescott"))
            remedy("OpenBLAS is older than this processor and uses slow kernels",
                   "take a newer one, or set OPENBLAS_CORETYPE=Haswell");
    }
    printf("machine\n  processors         %ld\n", sysconf(_SC_NPROCESSORS_ONLN));
    links(gpus);
    getrlimit(RLIMIT_STACK, &stack);
    getrlimit(RLIMIT_NOFILE, &files);
    getrlimit(RLIMIT_MEMLOCK, &locked);
    printf("  limits             stack %.0f kB, %llu files, locked memory %s\n",
           (double)stack.rlim_cur / 1e3, (unsigned long long)files.rlim_cur,
           locked.rlim_cur == RLIM_INFINITY ? "unlimited" : "limited");
    for (char **e = environ; *e; e++)
        if (!strncmp(*e, "GPUARR_", 7) || !strncmp(*e, "OMP_", 4)
            || !strncmp(*e, "CUDA_", 5) || !strncmp(*e, "OPENBLAS_", 9))
            printf("  %s\n", *e);
#ifdef GPUARR_NO_CUDA
    if (gpus) remedy("there is a GPU, but this build knows none",
                     "build with CUDA's nvcc: make CUDA=1");
#else
    if (gpus && !n) {
        (void)ga_set_device(0);
        remedy(ga_error_message(), "the rest runs on the CPU");
        ga_clear_error();
    }
#endif
    printf(wrong ? "%d wrong: the lines with !\n" : "nothing wrong was found\n",
           wrong);
    return wrong != 0;
}

/* ------------------------------------------------------------------- bench */
static double figure(const char *what, ga_bench b, double work, const char *unit) {
    const double rate = work / (b.median_ms * 1e-3);
    printf("  %-44s %9.4f ms  %10.1f %s\n", what, b.median_ms, rate, unit);
    return rate;
}
static void below(double rate, double of, double part, const char *what,
                  const char *then) {
    char text[200];
    if (!(of > 0) || rate >= part * of) return;
    snprintf(text, sizeof text, "%s: %.0f, %.0f is possible", what, rate, of);
    remedy(text, then);
}
/* What the GPU's memory and its bus can do at most, in GB/s; 0: not known. */
static void limits(int d, double *memory, double *bus) {
    void *h;
    unsigned gen = 0, width = 0, bits = 0, mhz = 0;
    int (*get_bits)(void *, unsigned *), (*get_mhz)(void *, int, unsigned *);
    *memory = *bus = 0;
    if (nvml_open() <= (unsigned)d || nvml.DeviceGetHandleByIndex_v2((unsigned)d, &h))
        return;
    *(void **)&get_bits = dlsym(RTLD_DEFAULT, "nvmlDeviceGetMemoryBusWidth");
    *(void **)&get_mhz = dlsym(RTLD_DEFAULT, "nvmlDeviceGetMaxClockInfo");
    if (get_bits && get_mhz && !get_bits(h, &bits) && !get_mhz(h, 2, &mhz))
        *memory = 2.0 * mhz * bits / 8e3;
    nvml.DeviceGetCurrPcieLinkGeneration(h, &gen);
    nvml.DeviceGetCurrPcieLinkWidth(h, &width);
    if (gen) *bus = 0.25 * (1 << (gen - 1)) * width;
}
static int bench(void) {
    ga_device_properties p;
    const int d = ga_device();
    if (ga_device_info(d, &p)) {
        remedy(ga_error_message(), "GPUARR_DEVICE=cpu does without");
        return 1;
    }
    const bool gpu = d != GA_CPU;
    const int64_t n = gpu ? 1 << 28 : 1 << 24, m = gpu ? 8192 : 1024;
    const double bytes = 4.0 * (double)n, flop = 2.0 * (double)(m * m) * (double)m;
    double memory, bus;
    GA_SCOPE;
    limits(d, &memory, &bus);
    printf("%s, arrays of %.0f MB\n", p.name, bytes / 1e6);
    ga_array *x = ga_random(GA_SHAPE(n), GA_FLOAT32), *y = ga_copy(x);
    ga_array *z = ga_empty_like(x), *few = ga_ones(GA_SHAPE(8), GA_FLOAT32);
    ga_array *a = ga_random(GA_SHAPE(m, m), GA_FLOAT32);
    ga_array *c = ga_empty_like(a), *h = ga_astype(a, GA_FLOAT16);
    ga_array *hc = ga_empty_like(h), *keys = ga_slice(x, "::16");
    void *host = ga_pinned_alloc((size_t)bytes);
    if (!keys || !hc || !host) return !works("memory for the figures", NULL);
    const double copied = figure("copy of float32", GA_BENCH(ga_assign(y, x)),
                                 2e-9 * bytes, "GB/s");
    const double added = figure("x + y", GA_BENCH(ga_add_into(z, x, y)),
                                3e-9 * bytes, "GB/s");
    const double summed = figure("sum", GA_BENCH(ga_sum(x, GA_ALL)),
                                 1e-9 * bytes, "GB/s");
    figure("cos(x)**2 + sin(y)**2 by GA_EVAL",
           GA_BENCH(GA_EVAL_INTO(z, cos(x)**2 + sin(y)**2, x, y)),
           3e-9 * bytes, "GB/s");
    figure("uniform numbers", GA_BENCH(ga_random(GA_SHAPE(n), GA_FLOAT32)), 1e-6 * (double)n,
           "10^6/s");
    figure("sort, a sixteenth of them", GA_BENCH(ga_sort(keys, GA_ALL, 0)),
           1e-6 * (double)(n / 16), "10^6/s");
    figure("matrix product, float32", GA_BENCH(ga_matmul_into(c, a, a)),
           1e-9 * flop, "GFLOP/s");
    figure("matrix product, float16", GA_BENCH(ga_matmul_into(hc, h, h)),
           1e-9 * flop, "GFLOP/s");
    const double out = figure("copy to the host, page-locked",
                              GA_BENCH(ga_asnumpy(z, host)), 1e-9 * bytes, "GB/s");
    const double calls = figure("a call on 8 elements",
                                GA_BENCH(ga_add_into(few, few, few)), 1e-3,
                                "10^3/s");
    ga_pinned_free(host);
    if (ga_error()) return !works("the figures", NULL);
    below(copied, memory, 0.7, "copying, GB/s",
          "another process on this GPU? heat? nvidia-smi -q -d PERFORMANCE");
    if (gpu) below(added, copied, 0.75, "x + y, GB/s", "kernels.cu was compiled for another "
          "GPU or without -O3: see docs/projects.md");
    if (gpu) below(summed, copied, 0.5, "sum, GB/s", "kernels.cu was compiled for another "
          "GPU or without -O3: see docs/projects.md");
    below(out, bus, 0.6, "to the host, GB/s", "fewer lanes than the slot could "
          "have, or a card that sleeps: nvidia-smi -q -d CLOCK,PCIE");
    below(calls, 100, 1, "calls on small arrays, 10^3/s", "GPUARR_PROFILE, "
          "GPUARR_SYNC or a debugger slow them; else the processor saves power");
    printf(wrong ? "%d wrong: the lines with !\n" : "as it should be\n", wrong);
    return wrong != 0;
}

/* ------------------------------------------------------------------- watch */
/* How much of its time the processor has worked since the last call: the first
   is for all since it was started.                                         */
static double use_of_processor(void) {
    static double before[2];
    double v[8] = {0}, all = 0;
    FILE *f = fopen("/proc/stat", "r");
    if (f && fscanf(f, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", v, v + 1, v + 2,
                    v + 3, v + 4, v + 5, v + 6, v + 7) != 8) v[0] = 0;
    if (f) fclose(f);
    for (int i = 0; i < 8; i++) all += v[i];
    const double idle = v[3] + v[4], part = all - before[0] > 0
        ? 1 - (idle - before[1]) / (all - before[0]) : 0;
    before[0] = all;
    before[1] = idle;
    return part;
}
static double clock_of_processor(void) {        /* MHz, the mean            */
    char line[4096];
    double sum = 0, mhz;
    int n = 0;
    FILE *f = fopen("/proc/cpuinfo", "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "cpu MHz : %lf", &mhz) == 1) sum += mhz, n++;
    if (f) fclose(f);
    return n ? sum / n : 0;
}
static bool watch_processor(void) {
    ga_memory m;
    double load = 0;
    if (getloadavg(&load, 1) < 1 || ga_mem_info(GA_CPU, &m)) return false;
    printf("cpu  use %3.0f%%  load %.2f of %ld  %.0f MHz  memory %.1f of %.1f GB\n",
           100 * use_of_processor(), load, sysconf(_SC_NPROCESSORS_ONLN),
           clock_of_processor(), gb(m.total - m.free), gb(m.total));
    return true;
}
static int watch(double every) {
    const unsigned gpus = nvml_open();
    for (;;) {
        for (unsigned i = 0; i < gpus; i++) {
            void *h;
            nvml_memory m = {0, 0, 0};
            nvml_use use = {0, 0};
            unsigned heat = 0, mw = 0, in = 0, out = 0;
            char name[96] = "";
            if (nvml.DeviceGetHandleByIndex_v2(i, &h)) continue;
            nvml.DeviceGetName(h, name, sizeof name);
            nvml.DeviceGetMemoryInfo(h, &m);
            nvml.DeviceGetUtilizationRates(h, &use);
            nvml.DeviceGetTemperature(h, 0, &heat);
            nvml.DeviceGetPowerUsage(h, &mw);
            nvml.DeviceGetPcieThroughput(h, 1, &in);
            nvml.DeviceGetPcieThroughput(h, 0, &out);
            printf("%u %s  kernels %3u%%  memory %3u%%  %6.1f of %.1f GB  PCIe in "
                   "%.2f out %.2f GB/s  %u W  %u C\n", i, name, use.gpu,
                   use.memory, 1e-9 * (double)m.used, 1e-9 * (double)m.total,
                   1e-6 * in, 1e-6 * out, mw / 1000, heat);
        }
        if (!gpus && !watch_processor()) return 1;
        if (fflush(stdout)) return 1;
        const struct timespec t = {(time_t)every,
                                   (long)((every - (double)(time_t)every) * 1e9)};
        nanosleep(&t, NULL);
    }
}

int main(int argc, char **argv) {
    char *end = NULL;
    double every = 1;
    const char *what = argc > 1 ? argv[1] : "";
    if (argc > 2) every = strtod(argv[2], &end);
    if (argc == 1) return report();
    if (argc == 2 && !strcmp(what, "--bench")) return bench();
    if (!strcmp(what, "--watch") && argc <= 3 && every >= 0.05 && every < 1e6
        && (!end || !*end))
        return watch(every);
    fprintf(argc == 2 && !strcmp(what, "--help") ? stdout : stderr,
            "gpuarr-info            what there is, what is wrong\n"
            "gpuarr-info --bench    does this machine run as it should?\n"
            "gpuarr-info --watch [seconds]\n");
    return argc == 2 && !strcmp(what, "--help") ? 0 : 2;
}
