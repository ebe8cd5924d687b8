// Takes away what an earlier build made; the folder itself stays, because the server is compiled with it.
import { readdirSync, rmSync } from 'node:fs';

for (const name of readdirSync('dist')) {
  if (name !== '.gitignore') rmSync(`dist/${name}`, { recursive: true });
}
