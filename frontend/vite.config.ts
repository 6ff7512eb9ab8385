import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const api = process.env.SIGNALBOX_URL ?? "http://127.0.0.1:8000";

export default defineConfig({
  plugins: [react()],
  resolve: { alias: { "@signalbox/client": path("./client/src/index.ts") } },
  build: {
    outDir: path("../backend/signalbox/web/dist"),
    emptyOutDir: true,
    target: "es2022",
    // The policy of the page allows no data: URL where a file is meant.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The bound that counts, 250 kB gzipped in all, is held by tests/web.
    chunkSizeWarningLimit: 700,
  },
  server: { proxy: { "/v1": api, "/healthz": api, "/readyz": api } },
  test: { include: ["client/test/**/*.test.ts", "src/**/*.test.{ts,tsx}"], testTimeout: 20_000 },
});
