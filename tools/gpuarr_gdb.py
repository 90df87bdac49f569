"""gpuarr's arrays in gdb: `print x` and the variables of an editor show dtype,
shape, device and the first elements instead of a struct of pointers.

    (gdb) source /usr/local/share/gpuarr/gpuarr_gdb.py     # or in ~/.gdbinit
    (gdb) print *x
    $1 = float64 (2, 3) on the CPU {0, 1, 2, 3, 4, 5}
    (gdb) call (int)ga_print(x)                            # as NumPy prints

Elements on a GPU are not read; ga_print copies them."""
import struct
import gdb
import gdb.printing

# dtypes: name, bytes, struct's letters
TYPES = [('bool', 1, '?'), ('int8', 1, 'b'), ('int16', 2, 'h'), ('int32', 4, 'i'), ('int64', 8, 'q'),
         ('uint8', 1, 'B'), ('uint16', 2, 'H'), ('uint32', 4, 'I'), ('uint64', 8, 'Q'), ('float16', 2, 'e'),
         ('bfloat16', 2, 'H'), ('float32', 4, 'f'), ('float64', 8, 'd'), ('complex64', 8, 'ff'),
         ('complex128', 16, 'dd')]


class Array:
    def __init__(self, x):
        self.x = x

    def shape(self):
        return [int(self.x['shape'][i]) for i in range(int(self.x['ndim']))]

    def dtype(self):
        name = str(self.x['dtype'])         # GA_FLOAT64
        return next((t for t in TYPES if 'GA_' + t[0].upper() == name), None)

    def places(self, most=20):
        """Offsets, in elements, of the first in C order."""
        shape = self.shape()
        strides = [int(self.x['strides'][i]) for i in range(len(shape))]
        n = 1
        for length in shape:
            n *= length
        for k in range(min(n, most)):
            at = 0
            for length, stride in zip(reversed(shape), reversed(strides)):
                at += k % length * stride
                k //= length
            yield at

    def elements(self, t):
        base = int(self.x['data'])
        for at in self.places():
            raw = bytes(gdb.selected_inferior().read_memory(base + at * t[1], t[1]))
            v = struct.unpack('=' + t[2], raw)
            if t[0] == 'bfloat16':
                v = struct.unpack('=f', struct.pack('=I', v[0] << 16))
            yield '%g%+gj' % v if len(v) == 2 else str(v[0]) if t[2] in '?bhiqBHIQ' and t[0] != 'bfloat16' else '%g' % v[0]

    def to_string(self):
        shape, t, device = self.shape(), self.dtype(), int(self.x['device'])
        if len(shape) > 8 or t is None:
            return 'no array, or not yet: ' + str(self.x['dtype'])
        text = '%s (%s) on %s' % (t[0], ', '.join(map(str, shape)) + (',' if len(shape) == 1 else ''),
                                  'the CPU' if device < 0 else 'device %d' % device)
        if device >= 0:
            return text
        try:
            found = list(self.elements(t))
        except gdb.MemoryError:
            return text + ', its memory is gone'
        n = int(self.x['size'])
        return text + ' {' + ', '.join(found) + (', ... %d' % n if n > len(found) else '') + '}'


printers = gdb.printing.RegexpCollectionPrettyPrinter('gpuarr')
printers.add_printer('ga_array', '^ga_array$', Array)
gdb.printing.register_pretty_printer(gdb.current_objfile(), printers, replace=True)
