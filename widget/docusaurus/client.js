// Runs in every page: puts the widget into it and tells the widget which document is shown.
import globalData from '@generated/globalData';

const TAG = 'quoth-widget';
const {script, attributes, baseUrl, pages} = Object.values(globalData['quoth-docusaurus'])[0];
let arrive = () => {};

export function onRouteDidUpdate({location}) {
  const widget = document.querySelector(TAG) ?? mount();
  const {source, chapter, version} = factsOf(location.pathname);
  set(widget, {'page-source': source, 'chapter-title': chapter, 'page-version': version});
  arrive();
}

function mount() {
  const widget = document.createElement(TAG);
  set(widget, attributes);
  widget.addEventListener('quoth-navigate', follow);
  // Beside the site's own root, which React owns.
  document.body.append(widget);
  const element = document.createElement('script');
  element.type = 'module';
  element.src = script;
  document.head.append(element);
  return widget;
}

function set(widget, given) {
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null) widget.removeAttribute(name);
    else if (widget.getAttribute(name) !== String(value)) widget.setAttribute(name, String(value));
  }
}

/** Goes to another page of the book by the site's own router, so that the widget stays. */
function follow(event) {
  const url = new URL(event.detail.url);
  const known = url.origin === location.origin && factsOf(url.pathname).source !== undefined;
  if (event.detail.samePage || !known || !url.pathname.startsWith(baseUrl)) return;
  event.preventDefault();
  event.detail.arrived = new Promise((resolve) => (arrive = resolve));
  const state = {key: Math.random().toString(36).slice(2, 8)};
  history.pushState(state, '', url.pathname + url.search + url.hash);
  // The router listens to the browser going back and forth, and to nothing else from outside.
  dispatchEvent(new PopStateEvent('popstate', {state}));
}

let byPath = null;

function factsOf(pathname) {
  byPath ??= new Map(Object.entries(pages).map(([link, facts]) => [bare(link), facts]));
  return byPath.get(bare(pathname)) ?? {};
}

/** A path as every host may serve it: final slash, index.html and .html aside. */
function bare(pathname) {
  let decoded = pathname;
  try {
    decoded = decodeURI(pathname);
  } catch {
    // A lone % is legal in an address.
  }
  return decoded.replace(/\/index\.html$/, '/').replace(/\.html$/, '').replace(/\/+$/, '');
}
