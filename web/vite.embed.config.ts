import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig, type Plugin } from 'vite';

const PLACE = '__IBIDEM_WIDGET_STYLES__';

/** Puts the styles into the script, as a text: the widget is one file, and a page need not allow styles for it. */
function stylesInScript(): Plugin {
  return {
    name: 'styles-in-script',
    enforce: 'post',
    generateBundle(_, bundle) {
      const files = Object.values(bundle);
      const sheets = files.filter((file) => file.type === 'asset' && file.fileName.endsWith('.css'));
      const styles = sheets.map((file) => (file.type === 'asset' ? String(file.source) : '')).join('');
      if (styles === '') this.error('the widget has no styles');
      for (const file of files) {
        if (file.type !== 'chunk') continue;
        if (!file.code.includes(PLACE)) this.error(`${file.fileName} has no place for its styles`);
        // Whatever quotes the place is in, the text fits between them.
        const text = JSON.stringify(styles)
          .slice(1, -1)
          .replaceAll('`', '\\`')
          .replaceAll("'", "\\'")
          .replaceAll('$', '\\$');
        file.code = file.code.replace(PLACE, () => text);
      }
      for (const sheet of sheets) delete bundle[sheet.fileName];
    },
  };
}

// One classic script under a name that never changes: it stands in pages of other people.
export default defineConfig({
  plugins: [svelte(), stylesInScript()],
  build: {
    outDir: 'dist',
    emptyOutDir: false,
    target: 'es2022',
    lib: { entry: 'src/embedding/embed.ts', formats: ['iife'], name: 'IbidemWidget', fileName: () => 'embed.js' },
  },
});
