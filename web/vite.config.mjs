// Two pages: the office (index.html) and a person at home (survey.html), which alone may run WebAssembly.
import { resolve } from 'node:path';
import { defineConfig } from 'vite';

const built = resolve(import.meta.dirname ?? '.', process.env.DISCREET_WEB ?? '../build/web');

export default defineConfig({
  resolve: { alias: { '@client': resolve(built, 'client') } },
  build: {
    outDir: resolve(built, 'dist'),
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0, // nothing inline: the content security policy would refuse it
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rollupOptions: { input: ['index.html', 'survey.html'] },
  },
});
