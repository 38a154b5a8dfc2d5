import type {LoadContext, Plugin} from '@docusaurus/types';

declare namespace quoth {
  /** The options of the plugin, all of them optional. */
  interface PluginOptions {
    /** The address of Quoth's API; "" for the site's own origin. */
    endpoint?: string;
    /** Questions to start with. */
    suggestions?: string[];
    /** A sentence in the panel on how answers are made. */
    modeNote?: string;
    /** How many words a selection has at least. */
    minWords?: number;
    /** `false` writes the manifest alone. */
    widget?: boolean;
    /** The folder that source paths are relative to, from the site's folder. */
    sourceRoot?: string;
  }
}

/** Writes `quoth-manifest.json` into the built site and puts the widget into its pages. */
declare function quoth(context: LoadContext, options: quoth.PluginOptions): Plugin<void>;

export = quoth;
