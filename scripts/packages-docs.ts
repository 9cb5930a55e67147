/** Writes the lines of each package into the table of docs/architecture.md. */
import { join } from "node:path";

import { packageLines, packagesPage, withLines } from "../test/architecture/package-lines.ts";

const root = join(import.meta.dir, "..");
const path = join(root, packagesPage);
await Bun.write(path, withLines(await Bun.file(path).text(), await packageLines(root)));
