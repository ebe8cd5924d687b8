// Looks whether the lock file is one that everybody can install from: it names no registry, and each package that is
// installed on x86-64 Linux with glibc, which is what CI runs on, has its checksum. Builds for other systems stand there
// without one where the registry that wrote the file has none of them: without their entries `npm ci` fails everywhere.
import { readFileSync } from 'node:fs';

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const allows = (list, system) => !list || list.includes(system);
const wrong = Object.entries(packages).flatMap(([name, { resolved, integrity, optional, os, cpu, libc }]) => {
  if (name === '') return [];
  const isForElsewhere = optional && !(allows(os, 'linux') && allows(cpu, 'x64') && allows(libc, 'glibc'));
  if (resolved) return [`${name} names a registry; see .npmrc`];
  return integrity || isForElsewhere ? [] : [`${name} has no checksum`];
});
for (const what of wrong) console.error(`package-lock.json: ${what}`);
process.exit(wrong.length === 0 ? 0 : 1);
