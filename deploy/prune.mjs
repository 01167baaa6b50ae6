// Copies what one built workspace runs on into a folder of its own: the lockfile, and of that
// workspace and those it depends on the manifest and the build. `npm ci --omit=dev` installs the rest.
import { cpSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const [wanted, target] = process.argv.slice(2);
const manifests = new Map(
  globSync("{packages,services}/*/package.json").map((path) => [
    dirname(path),
    JSON.parse(readFileSync(path, "utf8")),
  ]),
);
if (target === undefined || !manifests.has(wanted)) {
  process.stderr.write("Say what and where to: node deploy/prune.mjs services/invoice /out\n");
  process.exit(2);
}

const folderOf = new Map([...manifests].map(([folder, { name }]) => [name, folder]));
const needed = new Set([wanted]);
// A set's iteration goes on with what is added meanwhile.
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
