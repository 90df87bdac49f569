"""What the reports' charts share: names, colours, a few lines of SVG."""
import html

NAMES = {"gpuarr": "gpuarr", "cuda": "plain CUDA", "cupy": "CuPy", "pytorch": "PyTorch",
         "jax": "JAX", "numba": "Numba", "numpy": "NumPy"}
COLOURS = {"gpuarr": "#d1425b", "gpuarr_cpu": "#d89aa5", "cupy": "#2da44e",
           "pytorch": "#e08a2c", "jax": "#9a6ad6", "numba": "#3f8fd9", "numpy": "#8a8f98"}
STYLE = """<style>
text { font: 11px system-ui, sans-serif; fill: #7a828e }
.title { font-size: 14px; font-weight: 600 } .head { font-weight: 600 }
.grid { stroke: #8a8f98; stroke-opacity: .25 } .one { stroke: #7a828e; stroke-width: 1.2 }
.r { text-anchor: end } .m { text-anchor: middle }
@media (prefers-color-scheme: light) { text { fill: #24292f } .one { stroke: #24292f } }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .one { stroke: #e6edf3 } }
</style>"""


class Svg:
    def __init__(self, width, height, label):
        self.parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} '
                      f'{height:g}" width="{width:g}" height="{height:g}" role="img" '
                      f'aria-label="{html.escape(label)}">', STYLE]

    def text(self, x, y, s, kind=""):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}">{html.escape(s)}</text>')

    def line(self, x1, y1, x2, y2, kind="grid"):
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
                          f'class="{kind}"/>')

    def dot(self, x, y, colour, title="", r=3.6):
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r}" fill="{colour}">'
                          f"<title>{html.escape(title)}</title></circle>")

    def path(self, points, colour, width=1.8):
        at = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(f'<polyline points="{at}" fill="none" stroke="{colour}" '
                          f'stroke-width="{width}"/>')

    def write(self, path):
        with open(path, "w") as f:
            f.write("\n".join(self.parts + ["</svg>\n"]))
