/** The settings by which Tau uses the scripted language server for files that end in `.tst`. */
import { join } from "node:path";

const program = join(import.meta.dir, "scripted-server.ts");

export function scripted(...modes: string[]): Record<string, unknown> {
	return { scripted: { command: [process.execPath, program, ...modes], files: { ".tst": "tst" } } };
}
