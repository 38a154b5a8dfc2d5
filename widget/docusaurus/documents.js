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

module.exports = {collectDocuments, permalinkOf};
