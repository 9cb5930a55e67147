/** Writes docs/keys.md from the tables of keys. */
import { writePage } from "./write-page.ts";

const module = "packages/interactive/src/pages/keys-page.ts";

process.exitCode = await writePage(module, "keysPage", "docs/keys.md");
