/** Styles of tables, filters and the evidence browser. */
export const tableStyle = `
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
.rests-on ul { margin: .2rem 0; padding: 0; list-style: none; }
.rests-on p { margin: .2rem 0; }
.why { color: var(--muted); margin-top: .2rem; }
.lists { width: auto; max-width: 100%; }
.lists thead th { white-space: normal; }
.lists td { min-width: 6rem; }
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
.across { table-layout: fixed; min-width: 40rem; }
.across .of-tallies { width: 18rem; }
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
