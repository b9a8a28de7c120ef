"""The style of the HTML report: light and dark, wide and narrow, on paper; no font, no picture and no script from anywhere."""

STYLE = """
:root { color-scheme: light dark; --ground: #ffffff; --card: #f6f8fa; --ink: #1f2328; --quiet: #59636e; --edge: #d1d9e0;
  --fail: #cf222e; --warn: #9a6700; --unknown: #8250df; --pass: #1a7f37; --note: #0969da; --line: #0969da; --other: #bc4c00; }
@media (prefers-color-scheme: dark) { :root { --ground: #0d1117; --card: #151b23; --ink: #f0f6fc; --quiet: #9198a1;
  --edge: #3d444d; --fail: #f85149; --warn: #d29922; --unknown: #ab7df8; --pass: #3fb950; --note: #4493f8;
  --line: #4493f8; --other: #db6d28; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; background: var(--ground); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; } h2 { font-size: 1.1rem; margin: 0; }
code { font: .875em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
a { color: inherit; } .quiet { color: var(--quiet); font-size: .875rem; }
section, header { border: 1px solid var(--edge); border-radius: .5rem; padding: 1rem; margin: 0 0 1rem; background: var(--card); }
.badge { display: inline-block; border-radius: 1rem; padding: 0 .6rem; font-size: .8rem; font-weight: 600; white-space: nowrap;
  border: 1px solid currentColor; }
.FAIL { color: var(--fail); } .WARN { color: var(--warn); } .NOT-CHECKED { color: var(--unknown); } .PASS { color: var(--pass); }
.NOTE { color: var(--note); }
ol.findings { list-style: none; margin: .75rem 0 0; padding: 0; }
ol.findings li { border-left: .25rem solid currentColor; padding: .25rem 0 .25rem .75rem; margin: 0 0 .75rem; }
ol.findings li > * { color: var(--ink); } ol.findings li > .badge { color: inherit; } ol.findings p { margin: .25rem 0; }
:target { outline: 2px solid var(--note); outline-offset: 4px; border-radius: .25rem; }
figure { margin: 1rem 0 0; } figcaption { font-size: .875rem; margin-bottom: .25rem; }
.plot { position: relative; height: 11rem; border: 1px solid var(--edge); border-radius: .25rem; background: var(--ground); }
.plot svg { position: absolute; inset: 0; width: 100%; height: 100%; display: block; }
.plot svg path { fill: none; vector-effect: non-scaling-stroke; }
.grid { stroke: var(--edge); stroke-width: 1; stroke-dasharray: 2 4; } .line { stroke: var(--line); stroke-width: 2; stroke-linejoin: round; }
.line1 { stroke: var(--other); stroke-dasharray: 6 3; } .cross { stroke: var(--fail); stroke-width: 2; }
.at { stroke: var(--fail); stroke-width: 1; }
.plot .high, .plot .low { position: absolute; font-size: .75rem; padding: 0 .25rem; color: var(--quiet);
  background: var(--ground); opacity: .9; border-radius: .25rem; z-index: 1; } .plot .high { top: .1rem; right: .25rem; }
.plot .low { bottom: .1rem; left: .25rem; }
.mark { position: absolute; bottom: 0; transform: translateX(-50%); color: var(--fail); text-decoration: none; font-size: 1rem;
  line-height: 1; padding: .35rem; z-index: 2; scroll-margin-top: 13rem; }
.steps { display: flex; justify-content: space-between; font-size: .75rem; color: var(--quiet); }
.swatch + b { margin-right: .75rem; } .swatch { display: inline-block; width: 1rem; border-top: .2rem solid var(--line); vertical-align: middle; }
.swatch.other { border-top: .2rem dashed var(--other); }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-size: .875rem; width: 100%; }
th, td { text-align: left; padding: .35rem .6rem; border-bottom: 1px solid var(--edge); vertical-align: top; }
th, td { white-space: nowrap; } details { margin-top: .75rem; font-size: .875rem; } summary { cursor: pointer; color: var(--quiet); }
ul { margin: .25rem 0; padding-left: 1.25rem; }
@media (max-width: 30rem) { body { padding: .5rem; } section, header { padding: .75rem; } .plot { height: 9rem; } }
@media print { section { break-inside: avoid; } body { max-width: none; } }
"""
