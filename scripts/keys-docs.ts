/** Writes docs/keys.md from the tables of keys. */
import { writePage } from "./write-page.ts";

const module = "packages/coding-agent/src/modes/interactive/pages/keys-page.ts";

process.exitCode = await writePage(module, "keysPage", "docs/keys.md");
