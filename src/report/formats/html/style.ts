import { chartStyle } from './style-charts.ts';

/** The style sheet of report.html. No image, font or file of another place is asked for. */
export const style = `
:root {
  color-scheme: light dark;
  --paper: light-dark(#fbfbfa, #14171b);
  --raised: light-dark(#ffffff, #1b2026);
  --sunk: light-dark(#f3f4f2, #101316);
  --ink: light-dark(#1d2126, #e7eaee);
  --muted: light-dark(#565e68, #a5aeb9);
  --line: light-dark(#dadedf, #343c45);
  --link: light-dark(#0a56a8, #86bdff);
  --pass: light-dark(#12652f, #72d893);
  --fail: light-dark(#a8122a, #ff9c94);
  --error: light-dark(#75309f, #d6acff);
  --inconclusive: light-dark(#7a4b00, #e9c467);
  --skipped: light-dark(#565e68, #a5aeb9);
  --pass-tint: light-dark(#e2f3e6, #17301f);
  --fail-tint: light-dark(#fdeaea, #3a1a1c);
  --error-tint: light-dark(#f4e9fb, #2e1f3b);
  --inconclusive-tint: light-dark(#fbf0d9, #33290f);
  --skipped-tint: light-dark(#eceeef, #262c33);
  --mono: ui-monospace, 'SFMono-Regular', 'DejaVu Sans Mono', Menlo, Consolas, monospace;
}
* { box-sizing: border-box; }
html { scroll-padding-top: 3.5rem; -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif; overflow-wrap: anywhere;
}
main, .overview, body > footer { max-width: 72rem; margin: 0 auto; padding: 0 1.5rem; }
h1, h2, h3 { line-height: 1.25; text-wrap: balance; }
h2 { font-size: 1.35rem; margin: 3.25rem 0 1rem; padding-bottom: .4rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1.05rem; margin: 0; }
p { margin: .5rem 0; }
a { color: var(--link); text-underline-offset: .15em; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 2px; }
code, pre { font: .84rem/1.5 var(--mono); font-variant-ligatures: none; }
pre { margin: 0; white-space: pre-wrap; }
[hidden] { display: none !important; }
.muted { color: var(--muted); }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip-link { position: absolute; left: -100vw; }
.skip-link:focus { left: 1rem; top: .5rem; background: var(--raised); padding: .5rem 1rem; z-index: 3; }

.contents { position: sticky; top: 0; z-index: 2; background: var(--paper); border-bottom: 1px solid var(--line); }
.contents ul {
  display: flex; gap: .25rem 1.4rem; max-width: 72rem; margin: 0 auto; padding: .55rem 1.5rem; list-style: none;
  overflow-x: auto; white-space: nowrap; font-size: .9rem;
}
.contents a { color: var(--ink); text-decoration: none; }
.contents a:hover { text-decoration: underline; }

.brand { margin: 1.6rem 0 .9rem; color: var(--muted); letter-spacing: .02em; }
.brand b { color: var(--ink); }
.hero { display: grid; grid-template-columns: minmax(0, 1.15fr) minmax(0, 1fr); gap: 1.5rem 3rem; align-items: start; }
.stamp {
  display: inline-block; margin: 0 0 .8rem; padding: .45rem 1.1rem .5rem; border: 3px double currentcolor;
  border-radius: .5rem; font-size: clamp(1.5rem, 1rem + 2.4vw, 2.35rem); font-weight: 750; letter-spacing: .05em;
  text-transform: uppercase; overflow-wrap: normal;
}
.stamp.conformant { color: var(--pass); background: var(--pass-tint); }
.stamp.non-conformant { color: var(--fail); background: var(--fail-tint); }
.stamp.inconclusive { color: var(--inconclusive); background: var(--inconclusive-tint); }
.stamp.error { color: var(--error); background: var(--error-tint); }
.lead { font-size: 1.1rem; margin: 0 0 .6rem; text-wrap: pretty; }
.conformant, .pass { color: var(--pass); }
.non-conformant, .fail { color: var(--fail); }
.error { color: var(--error); }
.inconclusive { color: var(--inconclusive); }
.skipped { color: var(--skipped); }
.counts { display: flex; flex-wrap: wrap; gap: .2rem 1.3rem; margin: 0; padding: 0; list-style: none; font-weight: 600; }
.notice {
  margin: .6rem 0; padding: .5rem .8rem; border-left: .25rem solid var(--inconclusive);
  background: var(--inconclusive-tint); border-radius: .2rem;
}
.proof { color: var(--muted); font-size: .92rem; }
.facts { display: grid; gap: .45rem; margin: .2rem 0 0; font-size: .94rem; }
.facts > div { display: grid; grid-template-columns: 4.5rem 1fr; gap: .75rem; }
dt { color: var(--muted); }
dd { margin: 0; }
.outcome { font-weight: 600; }
.causes { margin-top: 1.4rem; padding: .9rem 1.2rem; background: var(--raised); border: 1px solid var(--line); border-left: .3rem solid var(--fail); border-radius: .4rem; }
.causes h2 { margin: 0 0 .35rem; padding: 0; border: 0; font-size: 1rem; }
.causes ol { margin: 0; padding-left: 1.4rem; }
.causes li { margin: .25rem 0; }
.causes a { font-weight: 650; }
.strips { margin: 1.4rem 0 0; }
.strip { margin: 0 0 .6rem; }
.strip b { display: block; font-size: .9rem; }
.strip ul { display: flex; flex-wrap: wrap; gap: .25rem; margin: .2rem 0 0; padding: 0; list-style: none; }
.tile {
  display: grid; place-items: center; width: 1.5rem; height: 1.5rem; border: 1px solid currentcolor;
  border-radius: .25rem; font-size: .8rem; font-weight: 700; text-decoration: none;
}
.tile.pass { background: var(--pass-tint); color: var(--pass); }
.tile.fail { background: var(--fail); color: var(--paper); }
.tile.error { background: var(--error); color: var(--paper); }
.tile.inconclusive { background: var(--inconclusive-tint); color: var(--inconclusive); }
.tile.skipped { background: var(--skipped-tint); color: var(--skipped); border-style: dashed; }

.chip { display: inline-block; padding: 0 .5rem; border-radius: 1rem; font-size: .84rem; font-weight: 600; white-space: nowrap; }
.chip.pass { background: var(--pass-tint); }
.chip.fail { background: var(--fail-tint); }
.chip.error { background: var(--error-tint); }
.chip.inconclusive { background: var(--inconclusive-tint); }
.chip.skipped { background: var(--skipped-tint); }

.card {
  margin: 0 0 1.5rem; padding: 1.1rem 1.3rem 1.2rem; background: var(--raised); border: 1px solid var(--line);
  border-left: .3rem solid var(--fail); border-radius: .45rem;
}
.card.waived { border-left-color: var(--inconclusive); }
.card > header { display: flex; flex-wrap: wrap; gap: .3rem .8rem; align-items: baseline; }
.card h3 { font-family: var(--mono); font-size: 1.02rem; }
.message { font-size: 1.06rem; margin: .55rem 0; text-wrap: pretty; }
.rule { color: var(--ink); padding-left: .8rem; border-left: .2rem solid var(--line); }
.causes-of { margin-top: 1rem; padding: .6rem .85rem; background: var(--sunk); border-radius: .3rem; font-size: .95rem; }
.against { display: grid; grid-template-columns: 1fr 1fr; gap: .75rem; margin: .9rem 0; }
.against > div { padding: .5rem .8rem; border-radius: .35rem; }
.against span { display: block; font-size: .8rem; font-weight: 600; }
.against code { font-size: 1rem; color: var(--ink); }
.expected { background: var(--pass-tint); color: var(--pass); }
.actual { background: var(--fail-tint); color: var(--fail); }
.exchanges { display: grid; gap: .9rem; margin: .9rem 0; }
.line { display: grid; grid-template-columns: 4.5rem 1fr; gap: .6rem; margin: .15rem 0; }
.label { color: var(--muted); font-size: .84rem; }
.excerpt, .text, .head, .heads > pre {
  padding: .6rem .8rem; background: var(--sunk); border: 1px solid var(--line); border-radius: .35rem;
}
.excerpt { margin-top: .35rem; max-height: 26rem; overflow: auto; }
.excerpt mark {
  display: block; color: var(--fail); background: var(--fail-tint); font-weight: 650;
  border-left: .25rem solid var(--fail); padding-left: .4rem; margin-left: -.65rem;
}
.small-facts { display: flex; flex-wrap: wrap; gap: .2rem 2rem; margin: .4rem 0; font-size: .94rem; }
.small-facts > div { display: flex; gap: .5rem; }
.curl { position: relative; }
.curl .text { padding-right: 5.2rem; }
.copy {
  position: absolute; top: .4rem; right: .4rem; font: inherit; font-size: .84rem; padding: .15rem .7rem; cursor: pointer;
  color: var(--ink); background: var(--raised); border: 1px solid var(--muted); border-radius: .3rem;
}
.violation { border-top: 1px solid var(--line); margin-top: .8rem; padding-top: .4rem; }
.others { margin-top: .8rem; }
summary { cursor: pointer; }
.reasons, .ids { margin: 0; padding: 0; list-style: none; }
.reasons > li { margin: 0 0 1rem; padding: .7rem 1.1rem; background: var(--raised); border: 1px solid var(--line); border-radius: .4rem; }
.reasons .message { font-size: 1rem; margin: 0 0 .4rem; }
.ids > li { margin: .15rem 0; font-size: .95rem; }

.scroll { overflow-x: auto; margin: 0 0 1.5rem; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
caption { text-align: left; font-weight: 650; padding: .2rem .3rem .4rem; }
th, td { text-align: left; vertical-align: top; padding: .45rem .8rem .45rem .3rem; border-bottom: 1px solid var(--line); }
td.number, th.number { text-align: right; padding-right: .3rem; padding-left: .8rem; }
thead th { color: var(--muted); font-weight: 600; }
tbody th { font-weight: 600; overflow-wrap: normal; }
tr.chapter th { padding-top: 1.2rem; font-size: .98rem; text-transform: capitalize; }
tr:target > * { background: var(--inconclusive-tint); }
.matrix td:nth-child(4) { min-width: 18rem; width: 55%; }
.matrix td:nth-child(2), .matrix tbody th, th[scope=col] { white-space: nowrap; }
.why { color: var(--muted); margin-top: .25rem; }
.filter { display: flex; flex-wrap: wrap; gap: .5rem 1.2rem; align-items: center; margin: 0 0 1rem; font-size: .94rem; }
.filter label { display: flex; gap: .5rem; align-items: center; }
.filter select, .filter input { font: inherit; color: inherit; background: var(--raised); border: 1px solid var(--muted); border-radius: .3rem; padding: .2rem .4rem; }
.filter output { color: var(--muted); }

.fold { margin: 0 0 .5rem; border: 1px solid var(--line); border-radius: .4rem; background: var(--raised); }
.fold > summary { padding: .5rem .9rem; font-weight: 600; }
.exchange { margin: 0; padding: .25rem .9rem; border-top: 1px solid var(--line); font-size: .92rem; content-visibility: auto; contain-intrinsic-height: auto 2.2rem; }
.exchange.cited { border-left: .25rem solid var(--fail); }
.exchange:target { background: var(--inconclusive-tint); }
.heads { display: grid; gap: .5rem; padding: .5rem 0 .8rem; }
.heads > * { min-width: 0; margin: 0; }
.environment { display: grid; gap: .3rem; }
.environment > div { display: grid; grid-template-columns: 12rem 1fr; gap: 1rem; }
body > footer { margin-top: 3.5rem; padding-bottom: 3rem; color: var(--muted); font-size: .9rem; }
${chartStyle}
@media (max-width: 46rem) {
  .hero, .against { grid-template-columns: minmax(0, 1fr); }
  main, .overview, body > footer, .contents ul { padding-left: 1rem; padding-right: 1rem; }
  .environment > div { grid-template-columns: 1fr; gap: 0; }
  .card { padding: .9rem .9rem 1rem; }
}
@media print {
  :root { color-scheme: light; --paper: #ffffff; --raised: #ffffff; }
  @page { margin: 16mm 14mm; }
  html { font-size: 9.5pt; }
  main, .overview, body > footer { max-width: none; padding: 0; }
  .contents, .filter, .copy, .skip-link, .browser, figure details { display: none !important; }
  .hero { grid-template-columns: 1.15fr 1fr; gap: 1rem 1.5rem; }
  .stamp { font-size: 16pt; white-space: nowrap; }
  .against { grid-template-columns: 1fr 1fr; }
  .excerpt { max-height: none; }
  .curl .text { padding-right: .8rem; }
  .against, .causes, .reasons > li, figure, tr, .asked { break-inside: avoid; }
  h2, h3, .card > header, thead { break-after: avoid; }
  .scroll { overflow: visible; }
  .pictures { grid-template-columns: 1fr 1fr; gap: .8rem; }
  table { font-size: 8pt; }
  .matrix { table-layout: fixed; }
  .matrix td:nth-child(4) { min-width: 0; width: auto; }
  .matrix td:nth-child(2), .matrix tbody th, th[scope=col] { white-space: normal; overflow-wrap: anywhere; }
  .matrix th:nth-child(1) { width: 22%; }
  .matrix th:nth-child(2) { width: 9%; }
  .matrix th:nth-child(3) { width: 14%; }
  .matrix th:nth-child(n + 5) { width: 9.5%; }
  .chip { white-space: normal; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
`;
