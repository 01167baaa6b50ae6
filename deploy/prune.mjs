// Copies the files that one built workspace needs at run time into an empty folder: the root manifest
// and lockfile, and the manifest and build of the workspace and of our workspaces that it depends on.
// `npm ci --omit=dev` in that folder then installs the dependencies from the registry.
import { cpSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const [workspace, target] = process.argv.slice(2);
const manifests = new Map(
  globSync("{packages,services}/*/package.json").map((path) => [
    dirname(path),
    JSON.parse(readFileSync(path, "utf8")),
  ]),
);
if (target === undefined || !manifests.has(workspace)) {
  process.stderr.write("usage: node deploy/prune.mjs <workspace> <target folder>\n");
  process.stderr.write("example: node deploy/prune.mjs services/invoice /out\n");
  process.exit(2);
}

const folderOf = new Map([...manifests].map(([folder, { name }]) => [name, folder]));
const needed = new Set([workspace]);
// The loop also visits the folders that it adds to the set.
for (const folder of needed) {
  for (const name of Object.keys(manifests.get(folder).dependencies ?? {})) {
    if (folderOf.has(name)) needed.add(folderOf.get(name));
  }
}

const files = ["package.json", "package-lock.json", ".npmrc"];
for (const folder of needed) {
  files.push(`${folder}/package.json`, ...globSync(`${folder}/dist/**/*.js`));
}
for (const file of files) cpSync(file, join(target, file));
