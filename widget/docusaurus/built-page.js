// @ts-check
'use strict';

const {createHash} = require('node:crypto');
const {createRequire} = require('node:module');
const path = require('node:path');

const HEADING = /^h[1-6]$/;
const BLOCKS = new Set('h1 h2 h3 h4 h5 h6 p li pre tr dt dd blockquote summary figcaption'.split(' '));
const NOT_TEXT = new Set('script style template noscript button svg'.split(' '));
/** Where a page's text stands, the most exact place first: a theme may have changed some. */
const ROOTS = [
  (name, classes) => classes.includes('theme-doc-markdown'),
  (name) => name === 'article',
  (name) => name === 'main',
];

/**
 * What stands in a built page: its headings, in order, and the hashes of its blocks' texts.
 *
 * A heading without an id has an empty one. A hash is the first 16 hex digits of the SHA-256 of
 * the block's own text without white space. TeX is written as in its source, between dollars.
 */
function readPage(html, siteDir) {
  for (const isRoot of ROOTS) {
    const found = read(html, isRoot, siteDir);
    if (found) return found;
  }
  return {headings: [], blocks: []};
}

function read(html, isRoot, siteDir) {
  const {Parser} = loadParser(siteDir);
  const open = []; // elements inside the root, the root first
  const headings = [];
  const blocks = [];
  let seen = false;

  const parser = new Parser({
    onopentag(name, attributes) {
      const classes = (attributes.class ?? '').split(/\s+/);
      if (!open.length && (seen || !isRoot(name, classes))) return;
      seen = true;
      const above = open.at(-1);
      const element = {name, skip: above?.skip ?? false, block: above?.block, heading: above?.heading};
      if (NOT_TEXT.has(name) || classes.includes('hash-link') || classes.includes('katex-html')) {
        element.skip = true;
      } else if (name === 'math') {
        element.skip = true; // only its TeX is read
      } else if (name === 'annotation' && attributes.encoding === 'application/x-tex') {
        element.skip = false;
        element.tex = true;
      }
      if (BLOCKS.has(name) && !element.skip) {
        element.block = {text: ''};
        blocks.push(element.block);
      }
      if (HEADING.test(name) && !element.skip) {
        element.heading = {id: attributes.id ?? '', text: '', level: Number(name[1])};
        headings.push(element.heading);
      }
      if (element.tex) add(element, '$');
      open.push(element);
    },
    ontext(text) {
      const element = open.at(-1);
      if (element && !element.skip) add(element, text);
    },
    onclosetag() {
      const element = open.pop();
      if (element?.tex) add(element, '$');
    },
  });
  parser.end(html);
  if (!seen) return null;
  for (const heading of headings) heading.text = heading.text.replace(/[\s\u200b]+/g, ' ').trim();
  return {
    headings,
    blocks: blocks.map(({text}) => text.replace(/[\s\u200b]+/g, '')).filter(Boolean).map(hash),
  };
}

function add(element, text) {
  if (element.block) element.block.text += text;
  if (element.heading) element.heading.text += text;
}

function hash(text) {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** The plugin's own parser or, when the plugin is used from a folder, the site's. */
function loadParser(siteDir) {
  try {
    return require('htmlparser2');
  } catch (error) {
    if (error.code !== 'MODULE_NOT_FOUND') throw error;
    return createRequire(path.join(siteDir, 'package.json'))('htmlparser2');
  }
}

module.exports = {readPage};
