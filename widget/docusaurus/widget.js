// @ts-check
'use strict';

const {createHash} = require('node:crypto');
const {existsSync, readdirSync, readFileSync} = require('node:fs');
const path = require('node:path');

/** Beside the plugin in the package; in Quoth's own tree, where the widget is built. */
const PLACES = ['dist', path.join('..', 'dist')];
const MAIN = 'quoth-widget.js';

/**
 * The widget as files of the site: the main one's name below the site's base, and the bundler
 * plugin that emits them as they are, in builds and in the development server. They load each other
 * by name, so the hash is their folder's.
 */
function widgetAsset() {
  const folder = PLACES.map((place) => path.join(__dirname, place)).find((each) => existsSync(path.join(each, MAIN)));
  if (!folder) throw new Error('[quoth-docusaurus] the widget, dist/quoth-widget.js, is not there');
  const names = readdirSync(folder).filter((name) => name.endsWith('.js')).sort();
  const files = names.map((name) => [name, readFileSync(path.join(folder, name))]);
  const digest = createHash('sha256');
  for (const [name, source] of files) digest.update(name).update(source);
  const below = `assets/quoth/${digest.digest('hex').slice(0, 8)}/`;
  const plugin = {
    apply(compiler) {
      const {Compilation, sources} = compiler.webpack;
      const stage = Compilation.PROCESS_ASSETS_STAGE_ADDITIONAL;
      compiler.hooks.thisCompilation.tap('quoth', (compilation) => {
        compilation.hooks.processAssets.tap({name: 'quoth', stage}, () => {
          for (const [name, source] of files) {
            // They are minified already: saying so keeps the bundler from doing it again.
            compilation.emitAsset(below + name, new sources.RawSource(source), {minimized: true});
          }
        });
      });
    },
  };
  return {name: below + MAIN, plugin};
}

module.exports = {widgetAsset};
