import ctypes, sys
try: import torch as np; where = {"device": "cuda" if np.cuda.is_available() else "cpu"}
except ImportError: import numpy as np; where = {}
lib, py = ctypes.CDLL(sys.argv[1]), ctypes.pythonapi
py.PyCapsule_GetPointer.restype = ctypes.c_void_p
x = np.reshape(np.arange(12, dtype=np.float32, **where), (3, 4))
capsule = ctypes.py_object(x.__dlpack__())
tensor = ctypes.c_void_p(py.PyCapsule_GetPointer(capsule, b"dltensor"))
if lib.standardise(tensor) == 0: py.PyCapsule_SetName(capsule, b"used_dltensor")
print(x)
