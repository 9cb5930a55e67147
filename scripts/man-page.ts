/** Writes docs/tau.1 from the tables of flags and commands. */
import { writePage } from "./write-page.ts";

process.exitCode = await writePage("packages/coding-agent/src/cli/man-page.ts", "manPage", "docs/tau.1");
