// @ts-check
'use strict';

const {createHash} = require('node:crypto');
const {existsSync, readFileSync} = require('node:fs');
const path = require('node:path');

/** Beside the plugin in the package; in Quoth's own tree, where the widget is built. */
const PLACES = ['quoth-widget.js', path.join('..', 'dist', 'quoth-widget.js')];

/**
 * The widget as a file of the site: its name below the site's base, and the bundler plugin that
 * emits it as it is, in builds and in the development server.
 */
function widgetAsset() {
  const found = PLACES.map((place) => path.join(__dirname, place)).find(existsSync);
  if (!found) throw new Error('[quoth-docusaurus] the widget, quoth-widget.js, is not there');
  const source = readFileSync(found);
  const hash = createHash('sha256').update(source).digest('hex').slice(0, 8);
  const name = `assets/quoth/quoth-widget.${hash}.js`;
  const plugin = {
    apply(compiler) {
      const {Compilation, sources} = compiler.webpack;
      const stage = Compilation.PROCESS_ASSETS_STAGE_ADDITIONAL;
      compiler.hooks.thisCompilation.tap('quoth', (compilation) => {
        compilation.hooks.processAssets.tap({name: 'quoth', stage}, () => {
          // It is minified already: saying so keeps the bundler from doing it again.
          compilation.emitAsset(name, new sources.RawSource(source), {minimized: true});
        });
      });
    },
  };
  return {name, plugin};
}

module.exports = {widgetAsset};
