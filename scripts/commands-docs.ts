/** Writes docs/commands.md from the table of commands. */
import { writePage } from "./write-page.ts";

const module = "packages/interactive/src/pages/commands-page.ts";

process.exitCode = await writePage(module, "commandsPage", "docs/commands.md");
