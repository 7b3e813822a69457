#include "tacet/report/page/style.h"

#include <cstddef>

namespace tacet::report {
namespace {

// Contrast of texts is at least 4.5, of marks 3, on white as on #14181d. Names of properties of our
// own would look like options; so every colour stands where it is used.
constexpr std::string_view sheet = R"(
*{box-sizing:border-box}
html{background:#fff;color:#1b1f24;font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
body{margin:0}
header,main,footer,nav{max-width:1180px;margin:0 auto;padding:0 16px}
h1{font-size:1.7rem;line-height:1.25;margin:24px 0 4px}
h2{font-size:1.3rem;margin:40px 0 8px;border-top:2px solid #d0d7de;padding-top:16px}
h3{font-size:1.05rem;margin:24px 0 4px}
p,ul,dl{max-width:75ch;margin:8px 0}
nav ul{display:flex;flex-wrap:wrap;gap:4px 16px;list-style:none;padding:0;max-width:none}
a{color:#0550ae}
.skip{position:absolute;left:-9999px}
.skip:focus{position:static;display:inline-block;padding:8px}
.banner{background:#b3141c;color:#fff;font-weight:bold;padding:12px 16px;text-align:center}
.bad{border-left:6px solid #b3141c;padding-left:12px;font-weight:bold}
.good{border-left:6px solid #116329;padding-left:12px}
.quiet-text{color:#57606a}
dl{max-width:none;display:grid;gap:12px 40px;
grid-template-columns:repeat(auto-fit,minmax(min(100%,440px),1fr))}
dl div{max-width:75ch}
dt{font-weight:bold}
dd{margin:0}
.beside{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,330px),1fr));gap:24px}
figure{margin:16px 0;min-width:0;break-inside:avoid}
.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,300px),1fr));gap:8px}
.figure-name{font-weight:bold;margin:0 0 4px}
figcaption{font-size:.92rem;max-width:75ch}
svg{display:block;width:100%;max-width:440px;height:auto}
details{margin:8px 0}
summary{cursor:pointer;padding:4px 0}
.scroll{overflow-x:auto;max-width:100%}
table{border-collapse:collapse;font-size:.88rem;margin:8px 0}
caption{text-align:left;font-weight:bold;padding:4px 0}
th,td{text-align:left;vertical-align:top;padding:3px 10px 3px 0;border-bottom:1px solid #d0d7de;
unicode-bidi:plaintext;overflow-wrap:normal}
.b{overflow-wrap:anywhere;min-width:14em}
.n{text-align:right;font-variant-numeric:tabular-nums}
.k,td.n{white-space:nowrap}
.d1{padding-left:1.2em}.d2{padding-left:2.4em}.d3{padding-left:3.6em}.d4{padding-left:4.8em}
pre{background:#f3f5f7;padding:12px;white-space:pre-wrap;font-size:.85rem;border-radius:4px}
svg text{font-family:system-ui,sans-serif;font-size:11px;fill:#1b1f24}
.grid{stroke:#d8dee4;stroke-width:1}
.zero{stroke:#57606a;stroke-width:1}
.line{fill:none;stroke-width:2}
.interval{stroke-width:2}
.band{fill-opacity:.22}
.line.t1,.interval.t1{stroke:#0a61c9}.band.t1,.dot.t1,.bar{fill:#0a61c9}
.line.t2,.interval.t2{stroke:#a3470a;stroke-dasharray:6 3}.band.t2,.dot.t2{fill:#a3470a}
.line.t3,.interval.t3{stroke:#1a7037;stroke-dasharray:2 3}.band.t3,.dot.t3{fill:#1a7037}
.line.t4,.interval.t4{stroke:#7a3ea6;stroke-dasharray:8 3 2 3}.band.t4,.dot.t4{fill:#7a3ea6}
.line.quiet,.interval.quiet{stroke:#57606a}.band.quiet,.dot.quiet{fill:#57606a}
.line.alarm,.interval.alarm{stroke:#b3141c}.band.alarm,.dot.alarm,.beyond{fill:#b3141c}
.bar{fill-opacity:.45}.bar~.interval{stroke:#1b1f24}
.plus{fill:#0a61c9}.minus{fill:#c2570c}
:focus-visible{outline:3px solid #0a61c9;outline-offset:2px}
@media (prefers-color-scheme:dark){
html{background:#14181d;color:#e6edf3}
h2{border-color:#3d444d}a{color:#79b8ff}
.banner{background:#ff8c85;color:#14181d}.bad{border-color:#ff8c85}.good{border-color:#56d364}
.quiet-text{color:#9da7b1}
th,td{border-color:#3d444d}pre{background:#1f252c}
svg text{fill:#e6edf3}.grid{stroke:#2d343c}.zero{stroke:#9da7b1}
.line.t1,.interval.t1{stroke:#6cb0ff}.band.t1,.dot.t1,.bar{fill:#6cb0ff}
.line.t2,.interval.t2{stroke:#f0a35e}.band.t2,.dot.t2{fill:#f0a35e}
.line.t3,.interval.t3{stroke:#5fd07a}.band.t3,.dot.t3{fill:#5fd07a}
.line.t4,.interval.t4{stroke:#cf9bf5}.band.t4,.dot.t4{fill:#cf9bf5}
.line.quiet,.interval.quiet{stroke:#9da7b1}.band.quiet,.dot.quiet{fill:#9da7b1}
.line.alarm,.interval.alarm{stroke:#ff8c85}.band.alarm,.dot.alarm,.beyond{fill:#ff8c85}
.bar~.interval{stroke:#e6edf3}
:focus-visible{outline-color:#6cb0ff}}
@media (forced-colors:active){
svg text{fill:CanvasText}.line,.interval,.zero,.grid{stroke:CanvasText}
.dot,.bar,.beyond{fill:CanvasText}.banner{border:4px solid CanvasText}}
@media print{
html{font-size:11pt;background:#fff;color:#000}
nav,.skip{display:none}
.with-banner{display:table;width:100%;border-spacing:0 8px}
.banner{display:table-header-group;break-inside:avoid;-webkit-print-color-adjust:exact;
print-color-adjust:exact}
.beside{grid-template-columns:repeat(auto-fill,minmax(min(100%,250px),1fr))}
svg{max-width:400px}
h2,h3,thead,caption,p:has(+pre){break-after:avoid}figure,tr,pre{break-inside:avoid}
tbody tr:first-child{break-before:avoid}
.scroll{overflow:visible}
svg{-webkit-print-color-adjust:exact;print-color-adjust:exact}}
@page{margin:18mm}
)";

}  // namespace

std::string_view page_style() { return sheet; }

std::string fragment_style() {
  constexpr std::string_view root = "html{";
  std::string out = ".tacet-report{padding:8px 16px;";
  for (std::size_t at = 0;;) {
    const auto next = sheet.find(root, at);
    out += sheet.substr(at, next - at);
    if (next == std::string_view::npos) break;
    out += "&{";
    at = next + root.size();
  }
  return out + "}";
}

}  // namespace tacet::report
