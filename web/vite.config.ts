import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

// Everything lands in `assets/` under a name with a hash, nothing inline: the content security policy allows neither
// inline scripts nor data addresses.
export default defineConfig({
  plugins: [svelte()],
  // What reads PDF files in a thread of its own is one file, as everything else is.
  worker: { format: 'es' },
  build: {
    outDir: 'dist',
    emptyOutDir: false,
    assetsInlineLimit: 0,
    target: 'es2022',
    // The page names every script that it begins with, so that none waits for another to be read.
    modulePreload: { polyfill: false },
  },
  server: { proxy: { '/v1': 'http://127.0.0.1:8080', '/auth': 'http://127.0.0.1:8080' } },
});
