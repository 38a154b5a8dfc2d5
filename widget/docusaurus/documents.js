// @ts-check
'use strict';

const path = require('node:path');

const DOCS = 'docusaurus-plugin-content-docs';
const SITE = '@site/';

/**
 * The documents of every instance and version of the docs plugin, in the order of their sources.
 *
 * `source` is relative to `sourceRoot`, with slashes; `permalink` is as the site serves it.
 */
function collectDocuments(allContent, {siteDir, sourceRoot, baseUrl, trailingSlash}) {
  const documents = [];
  for (const content of Object.values(allContent[DOCS] ?? {})) {
    for (const version of content?.loadedVersions ?? []) {
      for (const doc of version.docs) {
        documents.push({
          source: sourceOf(doc.source, siteDir, sourceRoot),
          permalink: permalinkOf(doc.permalink, {baseUrl, trailingSlash}),
          version: version.versionName,
          title: doc.title,
        });
      }
    }
  }
  return documents.sort((a, b) => (a.source < b.source ? -1 : a.source > b.source ? 1 : 0));
}

function sourceOf(source, siteDir, sourceRoot) {
  const inside = source.startsWith(SITE) ? source.slice(SITE.length) : source;
  return path.relative(sourceRoot, path.resolve(siteDir, inside)).split(path.sep).join('/');
}

/** The link to a document, percent-encoded, its end as `trailingSlash` (true, false, unset) asks. */
function permalinkOf(permalink, {baseUrl, trailingSlash}) {
  const encoded = encodeURI(decode(permalink));
  // The site's root keeps its slash, or nothing would be left.
  if (trailingSlash === undefined || encoded === '/' || encoded === baseUrl) return encoded;
  const bare = encoded.replace(/\/$/, '');
  return trailingSlash ? `${bare}/` : bare;
}

function decode(text) {
  try {
    return decodeURI(text);
  } catch {
    return text; // a lone % stands for itself
  }
}

/**
 * What a page's widget is told of each document, by its permalink: source, chapter (the label of
 * the outermost category of its sidebar) and, where the site has several, the version.
 */
function pageFacts(allContent, documents) {
  const several = new Set(documents.map(({version}) => version)).size > 1;
  const chapters = new Map();
  for (const content of Object.values(allContent[DOCS] ?? {})) {
    for (const version of content?.loadedVersions ?? []) {
      const labels = chapterLabels(version.sidebars ?? {});
      for (const doc of version.docs) chapters.set(doc.permalink, labels.get(doc.id));
    }
  }
  const decoded = new Map([...chapters].map(([link, label]) => [bare(link), label]));
  return Object.fromEntries(
    documents.map(({permalink, source, version}) => {
      const chapter = decoded.get(bare(permalink));
      return [permalink, {source, ...(chapter && {chapter}), ...(several && {version})}];
    }),
  );
}

function bare(permalink) {
  return decode(permalink).replace(/\/$/, '');
}

/** The outermost category's label of every document in the sidebars. */
function chapterLabels(sidebars) {
  const labels = new Map();
  const walk = (items, label) => {
    for (const item of items) {
      if (item.type === 'category') {
        if (item.link?.type === 'doc') labels.set(item.link.id, label ?? item.label);
        walk(item.items, label ?? item.label);
      } else if (item.id && label) {
        labels.set(item.id, label);
      }
    }
  };
  for (const items of Object.values(sidebars)) walk(items, undefined);
  return labels;
}

module.exports = {collectDocuments, pageFacts, permalinkOf};
