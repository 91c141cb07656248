import { resolve } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { licences } from '../scripts/build.ts'

// While developing: `npx vite web`, with a server of Troupe at this address behind it.
const server = process.env.TROUPE_URL ?? 'http://127.0.0.1:4848'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), licences('licences.txt')],
  build: {
    outDir: resolve(import.meta.dirname, '../dist/web'),
    emptyOutDir: true,
    target: 'es2023',
    // The policy of the page allows no script or style but its own files.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 900,
  },
  server: { proxy: { '/api': { target: server, ws: true } } },
})
