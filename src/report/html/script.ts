/** Copy buttons, filters kept in the URL fragment, folds that open when linked to. The page is complete without it. */
export const script = `
'use strict';
(() => {
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];

  for (const button of all('button.copy')) {
    button.hidden = false;
    button.addEventListener('click', async () => {
      const text = button.parentElement.querySelector('code').textContent;
      let done = true;
      try {
        await navigator.clipboard.writeText(text);
      } catch {
        const range = document.createRange();
        range.selectNodeContents(button.parentElement.querySelector('code'));
        getSelection().removeAllRanges();
        getSelection().addRange(range);
        done = document.execCommand('copy');
      }
      button.textContent = done ? 'Copied' : 'Press Ctrl+C';
      setTimeout(() => { button.textContent = 'Copy'; }, 2000);
    });
  }

  const reveal = () => {
    const place = document.getElementById(location.hash.slice(1));
    if (place === null) return;
    for (let at = place; at !== null; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true;
    place.scrollIntoView();
  };

  const form = document.getElementById('filter');
  const rows = all('tr[data-verdict]');
  const PREFIX = '#requirements?';
  const names = ['verdict', 'chapter', 'list', 'text'].filter((name) => form?.elements[name] !== undefined);
  const show = (wanted) => {
    const words = (wanted.get('text') ?? '').toLowerCase().split(/\\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const fits = (!wanted.get('verdict') || row.dataset.verdict === wanted.get('verdict'))
        && (!wanted.get('chapter') || row.dataset.chapter === wanted.get('chapter'))
        && (!wanted.get('list') || row.dataset.list === wanted.get('list'))
        && words.every((word) => row.textContent.toLowerCase().includes(word));
      row.hidden = !fits;
      if (fits) shown += 1;
    }
    for (const body of all('table.matrix tbody')) {
      body.hidden = all('tr[data-verdict]', body).every((row) => row.hidden);
    }
    form.elements.shown.value = shown + ' of ' + rows.length + ' shown';
  };
  const fromAddress = () => {
    if (!location.hash.startsWith(PREFIX)) {
      if (rows.some((row) => '#' + row.id === location.hash)) { form.reset(); show(new Map()); }
      reveal();
      return;
    }
    const wanted = new URLSearchParams(location.hash.slice(PREFIX.length));
    for (const name of names) form.elements[name].value = wanted.get(name) ?? '';
    show(wanted);
    document.getElementById('requirements').scrollIntoView();
  };
  if (form !== null) {
    form.hidden = false;
    form.addEventListener('submit', (event) => event.preventDefault());
    form.addEventListener('input', () => {
      const wanted = new URLSearchParams();
      for (const name of names) {
        if (form.elements[name].value) wanted.set(name, form.elements[name].value);
      }
      history.replaceState(null, '', String(wanted) === '' ? '#requirements' : PREFIX + wanted);
      show(wanted);
    });
    show(new Map());
    addEventListener('hashchange', fromAddress);
    fromAddress();
  }

  addEventListener('beforeprint', () => {
    for (const fold of all('article details')) fold.open = true;
  });
})();
`;
