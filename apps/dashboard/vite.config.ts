import { defineConfig } from 'vite';
import { compression } from 'vite-plugin-compression2';

export default defineConfig({
  plugins: [compression({ algorithms: ['brotliCompress', 'gzip'], threshold: 1_024 })],
  resolve: { conditions: ['@posthorn/source', 'module', 'browser', 'production'] },
  build: {
    target: 'es2023',
    // The first that know light-dark(), which otherwise would be rewritten and follow no switch.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      // Mantine marks its files for servers that render React; here it means nothing.
      onLog: (level, log, report) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && report(level, log),
    },
  },
  // `npm run dev --workspace=@posthorn/dashboard` beside a running `npm start`
  server: { proxy: Object.fromEntries(['^/api/', '/auth', '/billing'].map((path) => [path, 'http://localhost:3000'])) },
});
