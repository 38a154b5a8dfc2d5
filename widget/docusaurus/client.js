// Runs in every page: puts the widget into it and tells the widget which document is shown.
import globalData from '@generated/globalData';

const TAG = 'quoth-widget';

export function onRouteDidUpdate({location}) {
  const {script, attributes, sources} = Object.values(globalData['quoth-docusaurus'])[0];
  const widget = document.querySelector(TAG) ?? mount(script, attributes);
  const source = sourceOf(location.pathname, sources);
  if (widget.getAttribute('page-source') !== source) widget.setAttribute('page-source', source);
}

function mount(script, attributes) {
  const widget = document.createElement(TAG);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null) widget.setAttribute(name, String(value));
  }
  // Beside the site's own root, which React owns.
  document.body.append(widget);
  const element = document.createElement('script');
  element.type = 'module';
  element.src = script;
  document.head.append(element);
  return widget;
}

let byPath = null;

function sourceOf(pathname, sources) {
  byPath ??= new Map(Object.entries(sources).map(([link, source]) => [bare(link), source]));
  return byPath.get(bare(pathname)) ?? '';
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
