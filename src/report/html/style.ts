import { chartStyle, failureStyle, printStyle } from './style-sections.ts';

/** Styles of tables, filters and the evidence browser. */
const tableStyle = `
.scroll { position: relative; overflow-x: auto; margin: 0 0 1.5rem; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
caption { text-align: left; font-weight: 650; padding: .2rem 0 .3rem; }
th, td { text-align: left; vertical-align: top; padding: .45rem 1rem .45rem 0; border-bottom: 1px solid var(--line); }
td.number, th.number { padding: .45rem 0 .45rem 1rem; }
thead th { color: var(--muted); font-weight: 600; font-size: .84rem; white-space: nowrap; }
tbody th { font-weight: 600; }
tbody th .muted { font-weight: 400; font-size: .88rem; }
tr:target > * { background: var(--inconclusive-tint); }
.matrix { table-layout: fixed; min-width: 52rem; }
.of-requirement { width: 17rem; }
.of-verdict { width: 8.5rem; }
.of-cases, .of-requests { width: 5rem; }
.of-time { width: 5.5rem; }
tr.chapter th { padding-top: 1.3rem; font-size: .95rem; }
tr.chapter .muted { font-weight: 400; }
.rests-on { margin-top: .3rem; font-size: .92em; }
.rests-on summary { color: var(--muted); }
.rests-on p { margin: .2rem 0; }
.why { color: var(--muted); margin-top: .2rem; }
.tally { display: inline-block; margin-right: .7rem; font-weight: 600; font-variant-numeric: tabular-nums; }
.tally.waived, .counts > .waived { color: var(--inconclusive); }
.observations { table-layout: fixed; min-width: 44rem; }
.of-observation { width: 23rem; }
.of-evidence { width: 11rem; }
.targets { table-layout: fixed; min-width: 60rem; }
.of-target { width: 20rem; }
.of-outcome { width: 9.5rem; }
.of-tallies { width: 8.5rem; }
.of-number { width: 5.5rem; }
.fold > .scroll { margin: 0; padding: 0 .9rem .5rem; }
.runs td, .runs th { white-space: nowrap; }
.runs .tally { margin-right: .9rem; }
.progress { display: flex; flex-wrap: wrap; gap: .2rem .8rem; align-items: center; }
progress { width: 14rem; max-width: 100%; accent-color: var(--link); }
.arrived { margin: .7rem 0 0; padding: 0; list-style: none; }
.arrived code { word-spacing: .5rem; }
.card .strip { margin: .6rem 0 0; }
.arrived li { padding: .3rem 0; border-top: 1px solid var(--line); }
#state { color: var(--muted); font-size: .88rem; margin-left: .5rem; }
.detail { display: grid; gap: .1rem; margin: .15rem 0 0; font-size: .88rem; }
.detail > div { display: flex; flex-wrap: wrap; gap: 0 .6rem; }
.detail dd { min-width: 0; }
.filter { display: flex; flex-wrap: wrap; gap: .5rem 1.2rem; align-items: center; margin: 0 0 1rem; font-size: .92rem; }
.filter label { display: flex; gap: .5rem; align-items: center; }
.filter select, .filter input { font: inherit; color: inherit; background: var(--raised); border: 1px solid var(--edge); border-radius: .3rem; padding: .2rem .4rem; max-width: 16rem; }
.filter output { color: var(--muted); }

.fold { margin: 0 0 .5rem; border: 1px solid var(--line); border-radius: .4rem; background: var(--raised); }
.fold > summary { padding: .5rem .9rem; font-weight: 600; }
.fold > summary .muted { font-weight: 400; }
.exchange { margin: 0; padding: .25rem .9rem; border-top: 1px solid var(--line); font-size: .9rem; content-visibility: auto; contain-intrinsic-height: auto 2.2rem; }
.exchange.cited { box-shadow: inset .2rem 0 var(--fail); }
.exchange.observed { box-shadow: inset .2rem 0 var(--edge); }
.exchange:is(:target, :has(> :target)) { background: var(--inconclusive-tint); }
.fold:has(:target) > .exchange { content-visibility: visible; }
.heads { scroll-margin-top: 2.5rem; }
.heads { display: grid; gap: .5rem; padding: .5rem 0 .8rem; }
.heads > * { min-width: 0; margin: 0; }
@media screen and (max-width: 46rem) {
  .stacked { display: block; min-width: 0; }
  .stacked :is(thead, colgroup) { display: none; }
  .stacked :is(caption, tbody) { display: block; }
  .stacked tr { display: flex; flex-wrap: wrap; gap: .1rem 1.2rem; padding: .6rem 0; border-bottom: 1px solid var(--line); }
  .stacked tr.chapter { border: 0; padding: 1rem 0 0; }
  .stacked :is(th, td, td.number) { display: block; padding: 0; border: 0; text-align: left; }
  .stacked :is(th, td) { flex: 1 0 100%; min-width: 0; max-width: 100%; }
  .stacked :is(td.number, td.brief) { flex: 0 1 auto; }
  .stacked tr.chapter th { padding: 0; }
  .stacked td:empty { display: none; }
  .stacked td[data-name]:not(:empty)::before { content: attr(data-name) ' '; color: var(--muted); font-weight: 400; }
}
`;

/** The style sheet of every page. It loads no image, font or other file. */
export const style = `
:root {
  color-scheme: light dark;
  --paper: light-dark(#fafaf8, #14171b);
  --raised: light-dark(#ffffff, #1a1f24);
  --sunk: light-dark(#f4f4f1, #101316);
  --ink: light-dark(#1c2024, #e6e9ed);
  --muted: light-dark(#5a626b, #a3acb7);
  --line: light-dark(#e0e1de, #313941);
  --edge: light-dark(#8b9299, #6d7681);
  --link: light-dark(#0b549f, #8abfff);
  --pass: light-dark(#1a6334, #77d596);
  --fail: light-dark(#a5142b, #ff9d96);
  --error: light-dark(#71339a, #d5adff);
  --inconclusive: light-dark(#774a04, #e5c26a);
  --skipped: light-dark(#5a626b, #a3acb7);
  --pass-tint: light-dark(#e6f3e9, #16291c);
  --fail-tint: light-dark(#fcecec, #361a1c);
  --error-tint: light-dark(#f4eafa, #2b1e37);
  --inconclusive-tint: light-dark(#faf1de, #302710);
  --skipped-tint: light-dark(#eeefed, #242a30);
  --sans: system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif;
  --mono: ui-monospace, 'SFMono-Regular', Menlo, Consolas, 'DejaVu Sans Mono', monospace;
}
* { box-sizing: border-box; }
html { scroll-padding-top: 4rem; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.5 var(--sans); overflow-wrap: anywhere; }
main, .overview, body > footer { max-width: 72rem; margin: 0 auto; padding: 0 1.5rem; }
h1, h2, h3 { line-height: 1.25; text-wrap: balance; }
h1 { font-size: 1.7rem; margin: 1.5rem 0 .75rem; }
h2 { font-size: 1.3rem; margin: 3rem 0 1rem; padding-bottom: .4rem; border-bottom: 1px solid var(--line); }
main > section:first-child > h2 { margin-top: 1.4rem; padding: 0; border: 0; margin-bottom: .6rem; }
h3 { font-size: 1.05rem; margin: 0; }
p { margin: .5rem 0; text-wrap: pretty; }
a { color: var(--link); text-decoration-thickness: 1px; text-underline-offset: .18em; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 2px; }
code, pre { font: .84rem/1.5 var(--mono); font-variant-ligatures: none; }
pre { margin: 0; white-space: pre-wrap; }
summary { cursor: pointer; }
dt { color: var(--muted); }
dd { margin: 0; }
[hidden] { display: none !important; }
.muted { color: var(--muted); }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip-link { position: absolute; left: -100vw; }
.skip-link:focus { left: 1rem; top: .5rem; background: var(--raised); padding: .5rem 1rem; z-index: 3; }

.contents {
  position: sticky; top: 0; z-index: 2; display: flex; align-items: baseline; gap: .25rem 2.5rem;
  padding: 0 max(1.5rem, calc((100vw - 72rem) / 2 + 1.5rem)); background: var(--paper); border-bottom: 1px solid var(--line);
}
.brand { margin: 0; color: var(--muted); white-space: nowrap; }
.brand b { color: var(--ink); letter-spacing: .01em; }
.contents .brand { padding: .6rem 0; font-size: .92rem; }
.overview > .brand, main > header > .brand { padding-top: 1.2rem; }
.plain { margin: 0; padding: 0; list-style: none; }
.plain > li { padding: .2rem 0; }
.contents ul {
  display: flex; gap: .25rem 1.4rem; margin: 0 0 0 auto; padding: .6rem .3rem; list-style: none;
  overflow-x: auto; white-space: nowrap; font-size: .88rem;
}
.contents a { color: var(--ink); text-decoration: none; }
.contents a:hover { text-decoration: underline; }
.contents .brand span { color: var(--muted); }

.hero { display: grid; grid-template-columns: minmax(0, 1.5fr) minmax(0, 1fr); gap: 1rem 3rem; align-items: start; padding-top: 1.3rem; }
.stamp {
  display: inline-block; margin: 0 0 .65rem; padding: .3rem .9rem .35rem; border: 3px double currentcolor;
  border-radius: .4rem; font-size: clamp(1.4rem, 1rem + 2vw, 1.95rem); font-weight: 750; letter-spacing: .06em;
  text-transform: uppercase; overflow-wrap: normal;
}
.lead { font-size: 1.05rem; margin: 0 0 .5rem; }
.conformant, .pass { color: var(--pass); --tint: var(--pass-tint); }
.non-conformant, .fail { color: var(--fail); --tint: var(--fail-tint); }
.error { color: var(--error); --tint: var(--error-tint); }
.inconclusive { color: var(--inconclusive); --tint: var(--inconclusive-tint); }
.skipped { color: var(--skipped); --tint: var(--skipped-tint); }
.stamp, .chip, .tile { background: var(--tint); }
.counts { display: flex; flex-wrap: wrap; gap: .1rem 1.3rem; margin: 0; padding: 0; list-style: none; font-weight: 600; }
.notice {
  margin: .6rem 0; padding: .45rem .8rem; border-left: .25rem solid var(--inconclusive);
  background: var(--inconclusive-tint); border-radius: .2rem;
}
.summary { margin-top: 1.1rem; padding: .6rem 1.1rem; background: var(--raised); border: 1px solid var(--line); border-radius: .4rem; }
.summary dl { display: grid; gap: .25rem; margin: 0; }
.summary dl > div { display: grid; grid-template-columns: 10.5rem 1fr; gap: .75rem; }
.summary dt { white-space: nowrap; color: var(--ink); font-weight: 600; }
.proof { margin: .8rem 0 0; color: var(--muted); font-size: .88rem; }
.facts { display: grid; gap: .3rem; margin: .1rem 0 0; font-size: .9rem; }
.facts > div { display: grid; grid-template-columns: 5rem 1fr; gap: .5rem; }
.outcome { font-weight: 600; }
.strips { margin: 1.1rem 0 0; }
.strip { margin: 0 0 .7rem; }
.strip > b { display: block; font-size: .9rem; margin-bottom: .15rem; }
.strip ul { display: flex; flex-wrap: wrap; gap: .2rem; margin: 0; padding: 0; list-style: none; }
.strip > ul { gap: .5rem .95rem; }
.strip .chapter { display: block; margin-bottom: .15rem; color: var(--muted); font-size: .78rem; }
.tile {
  display: grid; place-items: center; width: 1.4rem; height: 1.4rem; border: 1px solid currentcolor;
  border-radius: .25rem; font-size: .76rem; font-weight: 700; text-decoration: none;
}
.tile:hover { filter: brightness(.92); }
.tile.fail { background: var(--fail); color: var(--paper); }
.tile.error { background: var(--error); color: var(--paper); }
.tile.skipped { border-style: dashed; }

.chip { display: inline-block; padding: 0 .5rem; border-radius: 1rem; font-size: .82rem; font-weight: 600; white-space: nowrap; }

.reasons, .ids { margin: 0; padding: 0; list-style: none; }
.reasons > li { margin: 0 0 .9rem; padding: .75rem 1.1rem .8rem; background: var(--raised); border: 1px solid var(--line); border-radius: .4rem; }
.reasons .message { margin: 0 0 .35rem; }
.reasons .ids { display: flex; flex-wrap: wrap; gap: .1rem 1.1rem; font: .84rem/1.6 var(--mono); }
.resolution { margin: .5rem 0 0; font-size: .92rem; }
.resolution b { color: var(--muted); font-weight: 600; }
.environment { display: grid; gap: .3rem; }
.environment > div { display: grid; grid-template-columns: 12rem 1fr; gap: 1rem; }
body > footer { margin-top: 3.5rem; padding-bottom: 3rem; color: var(--muted); font-size: .9rem; }
${failureStyle}${tableStyle}${chartStyle}
@media (max-width: 46rem) {
  .hero, .against, .case { grid-template-columns: minmax(0, 1fr); }
  main, .overview, body > footer { padding-left: 1rem; padding-right: 1rem; }
  .contents { position: static; display: block; padding: 0 1rem; }
  .contents .brand { padding-bottom: 0; }
  .contents ul { flex-wrap: wrap; overflow: visible; padding: .2rem 0 .6rem; }
  html { scroll-padding-top: .5rem; }
  .excerpt pre { white-space: pre-wrap; }
  .contents .brand span { display: none; }
  .summary dl > div, .environment > div { grid-template-columns: 1fr; gap: 0; }
  .causes li { grid-template-columns: 1fr; gap: 0; }
  .card { padding: .9rem .9rem 1rem; }
  .card .message { font-size: 1rem; }
}
${printStyle}`;
