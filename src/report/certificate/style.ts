/** The style sheet of certificate.html: one A4 page, light in every theme. */
export const CERTIFICATE_STYLE = `@page{size:A4;margin:16mm 16mm 14mm}
*{box-sizing:border-box}
body{font:14px/1.4 system-ui,sans-serif;color:#1b1f24;background:#fff;max-width:46rem;margin:2rem auto;padding:0 1rem;overflow-wrap:anywhere}
h1{font-size:1.8rem;margin:0}h2{font-size:1.1rem;margin:1.1rem 0 .35rem}
.outcome{font-size:1.3rem;font-weight:600;border:2px solid currentColor;padding:.45rem .8rem;margin:.8rem 0}
table{border-collapse:collapse;width:100%;margin-top:.6rem}
th,td{text-align:left;padding:.25rem .7rem .25rem 0;border-bottom:1px solid #c5cbd3;vertical-align:top;overflow-wrap:anywhere}
th{white-space:nowrap}td.counts{white-space:nowrap}
dl{display:grid;grid-template-columns:7.5rem 1fr;gap:.2rem 1rem;margin:0}dt{color:#4b5563}dd{margin:0;overflow-wrap:anywhere}
.note{color:#4b5563}
code{font-family:ui-monospace,monospace;font-size:.92em}
.verdicts{display:grid;grid-template-columns:1fr 1fr;gap:0 1.5rem;align-items:start}.verdicts th,.verdicts td{font-weight:400;padding:.12rem .5rem .12rem 0;white-space:normal}
@media screen and (max-width:36rem){dl,.verdicts{grid-template-columns:1fr;gap:0}th,td.counts{white-space:normal}}
@media print{body{margin:0;padding:0;max-width:none;font-size:9pt}h1{font-size:15pt}.outcome{font-size:12pt;margin:.4rem 0}}`;
