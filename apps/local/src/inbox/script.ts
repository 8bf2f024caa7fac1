/**
 * /inbox.js: refreshes the message list while the page is visible. Existing rows keep their elements,
 * so the focus and the scroll position are not lost.
 */
export const script = `
const REFRESH_MS = 2000;
const byId = (id) => document.getElementById(id);

async function refresh() {
  if (document.hidden) return;
  try {
    const response = await fetch(location.href);
    if (!response.ok) throw new Error('HTTP ' + response.status);
    const fresh = new DOMParser().parseFromString(await response.text(), 'text/html');
    update(fresh);
    showStatus('');
  } catch {
    showStatus('Cannot reach the inbox. Retrying.');
  }
}

function update(fresh) {
  document.title = fresh.title;
  for (const id of ['count', 'empty', 'pages']) {
    if (byId(id).innerHTML !== fresh.getElementById(id).innerHTML) {
      byId(id).replaceChildren(...fresh.getElementById(id).childNodes);
    }
  }
  updateRows([...fresh.getElementById('messages').children]);
}

function updateRows(rows) {
  const wanted = new Set(rows.map((row) => row.id));
  const list = byId('messages');
  for (const row of [...list.children]) if (!wanted.has(row.id)) row.remove();
  let place = list.firstElementChild;
  for (const row of rows) {
    if (place && place.id === row.id) {
      if (place.className !== row.className) replaceContent(place, row);
      place = place.nextElementSibling;
    } else {
      list.insertBefore(row, place);
    }
  }
}

// A message was marked as read. The link element stays, so it keeps the focus.
function replaceContent(row, fresh) {
  row.className = fresh.className;
  row.firstElementChild.replaceChildren(...fresh.firstElementChild.childNodes);
}

function showStatus(text) {
  if (byId('state').textContent !== text) byId('state').textContent = text;
}

setInterval(refresh, REFRESH_MS);
document.addEventListener('visibilitychange', refresh);
`.trimStart();
