// Compress the build once, so that the server only has to pick a file.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const root = fileURLToPath(new URL("../../backend/signalbox/web/dist/", import.meta.url));
const TEXT = new Set([".js", ".css", ".html", ".svg", ".json", ".webmanifest"]);

let scripts = 0;
for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !TEXT.has(extname(entry.name))) continue;
  const path = join(entry.parentPath, entry.name);
  const packed = gzipSync(readFileSync(path), { level: 9 });
  writeFileSync(`${path}.gz`, packed);
  if (entry.name.endsWith(".js")) scripts += packed.length;
}
process.stdout.write(`JavaScript: ${(scripts / 1000).toFixed(1)} kB gzipped\n`);
