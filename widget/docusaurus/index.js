// @ts-check
'use strict';

const path = require('node:path');
const {collectDocuments, pageFacts} = require('./documents.js');
const {writeManifest} = require('./manifest.js');
const {widgetAsset} = require('./widget.js');

const NAME = 'quoth-docusaurus';
const OPTIONS = {
  endpoint: 'string',
  modeNote: 'string',
  suggestions: 'object',
  minWords: 'number',
  widget: 'boolean',
  sourceRoot: 'string',
};

/**
 * A Docusaurus plugin: writes `quoth-manifest.json` into the built site and mounts the widget.
 *
 * Options, all of them optional: `endpoint` (the address of Quoth's API, "" for the site's own
 * origin), `suggestions` (a list of questions), `modeNote`, `minWords` (as the widget's
 * attributes), `widget: false` (the manifest alone), `sourceRoot` (the folder that source paths
 * are relative to, from the site's folder; the site's folder itself).
 */
module.exports = function quoth(context, options) {
  const {siteDir} = context;
  const sourceRoot = path.resolve(siteDir, options.sourceRoot ?? '.');
  const hasWidget = options.widget !== false;
  const widget = hasWidget ? widgetAsset() : null;
  let documents = [];

  return {
    name: NAME,

    async allContentLoaded({allContent, actions}) {
      const {baseUrl, trailingSlash} = context.siteConfig;
      documents = collectDocuments(allContent, {siteDir, sourceRoot, baseUrl, trailingSlash});
      if (!widget) return;
      actions.setGlobalData({
        script: baseUrl + widget.name,
        attributes: {
          endpoint: options.endpoint ?? '',
          'book-title': context.siteConfig.title,
          language: htmlLanguage(context.i18n),
          'page-locale': context.i18n.locales.length > 1 ? context.i18n.currentLocale : undefined,
          'mode-note': options.modeNote,
          suggestions: options.suggestions && JSON.stringify(options.suggestions),
          'min-words': options.minWords,
        },
        baseUrl,
        pages: pageFacts(allContent, documents),
      });
    },

    configureWebpack: (_config, isServer) =>
      widget && !isServer ? {plugins: [widget.plugin]} : {},

    getClientModules: () => (hasWidget ? [path.join(__dirname, 'client.js')] : []),

    async postBuild({outDir, siteConfig, i18n, siteMetadata}) {
      const {missing} = await writeManifest({
        outDir,
        siteDir,
        siteConfig,
        i18n,
        generator: `docusaurus ${siteMetadata?.docusaurusVersion ?? ''}`.trim(),
        documents,
      });
      for (const {source, permalink} of missing) {
        console.warn(`[${NAME}] ${source}: there is no built page for ${permalink}`);
      }
    },
  };
};

/** A locale may have any name; what its pages call their language is the widget's. */
function htmlLanguage({currentLocale, localeConfigs}) {
  return localeConfigs?.[currentLocale]?.htmlLang ?? currentLocale;
}

module.exports.validateOptions = function validateOptions({options}) {
  for (const [name, value] of Object.entries(options ?? {})) {
    if (name === 'id') continue;
    const wanted = OPTIONS[name];
    if (!wanted) throw new Error(`[${NAME}] there is no option ${JSON.stringify(name)}`);
    if (typeof value !== wanted) throw new Error(`[${NAME}] ${name} must be of type ${wanted}`);
  }
  return {id: 'default', ...options};
};
