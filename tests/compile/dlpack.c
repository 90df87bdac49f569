/* A program that has another DLPack header before ours: what of dlpack.h 1.0
   we use, under its guard.                                                  */
#include <stdint.h>
#define DLPACK_DLPACK_H_
#define DLPACK_MAJOR_VERSION 1
#define DLPACK_MINOR_VERSION 0
#define DLPACK_FLAG_BITMASK_READ_ONLY (1UL << 0UL)
typedef struct { uint32_t major, minor; } DLPackVersion;
typedef enum { kDLCPU = 1, kDLCUDA = 2, kDLCUDAHost = 3, kDLROCM = 10,
               kDLCUDAManaged = 13 } DLDeviceType;
typedef struct { DLDeviceType device_type; int32_t device_id; } DLDevice;
typedef enum { kDLInt, kDLUInt, kDLFloat, kDLOpaqueHandle, kDLBfloat,
               kDLComplex, kDLBool } DLDataTypeCode;
typedef struct { uint8_t code, bits; uint16_t lanes; } DLDataType;
typedef struct {
    void *data;
    DLDevice device;
    int32_t ndim;
    DLDataType dtype;
    int64_t *shape, *strides;
    uint64_t byte_offset;
} DLTensor;
typedef struct DLManagedTensor {
    DLTensor dl_tensor;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensor *self);
} DLManagedTensor;
struct DLManagedTensorVersioned {
    DLPackVersion version;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensorVersioned *self);
    uint64_t flags;
    DLTensor dl_tensor;
};
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"

ga_array *round_trip(struct DLManagedTensorVersioned *t);
ga_array *round_trip(struct DLManagedTensorVersioned *t) {
    ga_array *x = ga_from_dlpack(t);
    DLManagedTensor *u = ga_to_dlpack_unversioned(x, GA_NO_SYNC);
    return u && u->dl_tensor.device.device_type == kDLCPU ? x : NULL;
}
