/** Writes docs/settings.md from the table of settings: what `tau config doc` prints. */
import { join } from "node:path";

const root = join(import.meta.dir, "..");

const child = Bun.spawn(
	[process.execPath, join(root, "packages/coding-agent/src/cli/main.ts"), "config", "doc"],
	{ cwd: root, stdin: "ignore", stdout: "pipe", stderr: "inherit" },
);
const page = await child.stdout.text();
const code = await child.exited;
// An empty page would be committed as easily as a right one.
if (code === 0 && page !== "") await Bun.write(join(root, "docs/settings.md"), page);
process.exitCode = code === 0 && page === "" ? 1 : code;
