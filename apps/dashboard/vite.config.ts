import { defineConfig } from 'vite';
import { compression } from 'vite-plugin-compression2';
import { iconShapes } from './icon-shapes.js';

/** The editor and the reader of messages are large, and few pages use them. */
const isForMostPages = (id: string) => !/codemirror|lezer|postal-mime/.test(id);

/**
 * Two sites from one source: the dashboard and, with `--mode inbox`, the pages that show the mail that `npm start`
 * catches. They are built separately; if they shared chunks, the dashboard would load its code in more pieces.
 */
export default defineConfig(({ mode }) => ({
  plugins: [iconShapes(), compression({ algorithms: ['brotliCompress', 'gzip'], threshold: 1_024 })],
  resolve: { conditions: ['@posthorn/source', 'module', 'browser', 'production'] },
  build: {
    outDir: mode === 'inbox' ? 'dist-inbox' : 'dist',
    target: 'es2023',
    // The first browser versions with light-dark(). For older ones, Vite would rewrite light-dark(), and the theme
    // switch would stop working.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      input: mode === 'inbox' ? 'inbox.html' : 'index.html',
      // One file for what several pages share. By default a page loads 36 files, most of them smaller than 5 kB.
      output: { codeSplitting: { groups: [{ name: 'shared', minShareCount: 2, test: isForMostPages }] } },
      // Mantine's "use client" directives matter only for server rendering.
      onLog: (level, log, report) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && report(level, log),
    },
  },
  // For `npm run dev --workspace=@posthorn/dashboard`, while `npm start` runs
  server: { proxy: Object.fromEntries(['^/api/', '/auth', '/billing'].map((path) => [path, 'http://localhost:3000'])) },
}));
