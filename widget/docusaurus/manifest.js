// @ts-check
'use strict';

const {readFile, writeFile} = require('node:fs/promises');
const path = require('node:path');
const {readPage} = require('./built-page.js');

const FORMAT = 1;
const NAME = 'quoth-manifest.json';

/**
 * Writes the manifest of one locale's build into its folder.
 *
 * `documents` are those of `collectDocuments`. Answers the ones that have no page.
 */
async function writeManifest({outDir, siteDir, siteConfig, i18n, generator, documents}) {
  const missing = [];
  const lines = [];
  for (const document of documents) {
    const html = await readBuilt(outDir, document.permalink, siteConfig.baseUrl);
    if (html === null) {
      missing.push(document);
      continue;
    }
    const {headings, blocks} = readPage(html, siteDir);
    lines.push(JSON.stringify({...document, locale: i18n.currentLocale, headings, blocks}));
  }
  const head = JSON.stringify({
    format: FORMAT,
    generator,
    siteUrl: siteConfig.url,
    baseUrl: siteConfig.baseUrl,
    trailingSlash: siteConfig.trailingSlash ?? null,
    locale: i18n.currentLocale,
    locales: i18n.locales,
  });
  const body = lines.length ? `\n${lines.join(',\n')}\n` : '';
  await writeFile(path.join(outDir, NAME), `${head.slice(0, -1)},"documents":[${body}]}\n`);
  return {missing};
}

/** The page that a link leads to, whichever way the site's files are laid out. */
async function readBuilt(outDir, permalink, baseUrl) {
  const inside = permalink.startsWith(baseUrl) ? permalink.slice(baseUrl.length) : permalink;
  const bare = inside.replace(/^\/+|\/+$/g, '');
  const names = bare ? [`${bare}/index.html`, `${bare}.html`, bare] : ['index.html'];
  for (const name of names) {
    for (const spelling of new Set([decodeURIComponent(name), name])) {
      try {
        return await readFile(path.join(outDir, spelling), 'utf8');
      } catch (error) {
        if (!['ENOENT', 'ENOTDIR', 'EISDIR'].includes(error.code)) throw error;
      }
    }
  }
  return null;
}

module.exports = {writeManifest};
