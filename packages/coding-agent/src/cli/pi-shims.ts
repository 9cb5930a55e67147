/** Lets extensions start Tau as they would start pi or omp: by name, and as the program that runs them. */
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";

import { dirs, hostProgram, log } from "@tau/utils";

import { ownProgram } from "@tau/server/local/own-program";

const names = ["pi", "omp"] as const;

/** For extensions and their processes, not for commands of the model, whose environment was copied before. */
export function installPiShims(): void {
	// Signals to a Tau that an extension starts with a script that it should act as a runtime (script.ts).
	process.env.TAU_EXTENSION_HOST = "1";
	// Installed programs take precedence.
	const absent = names.filter((name) => hostProgram(name) === undefined);
	if (absent.length === 0 || process.platform === "win32") return;
	try {
		process.env.PATH = [process.env.PATH, namesIn(absent)].filter(Boolean).join(delimiter);
	} catch (error) {
		log.warn("extensions cannot start pi by its name", { reason: String(error) });
	}
}

/** A directory with a program of each name. Another Tau on this machine has another directory. */
function namesIn(programs: readonly string[]): string {
	const command = ownProgram();
	const directory = join(dirs().cache, "programs", Bun.hash(command.join("\0")).toString(36));
	const text = `#!/bin/sh\nexec ${command.map(quoted).join(" ")} "$@"\n`;
	for (const name of programs) {
		const file = join(directory, name);
		if (existsSync(file)) continue;
		mkdirSync(directory, { recursive: true });
		// The file is written beside its target and then moved, so that no process starts a partial program.
		const draft = `${file}.${process.pid}`;
		writeFileSync(draft, text, { mode: 0o755 });
		renameSync(draft, file);
	}
	return directory;
}

function quoted(word: string): string {
	return `'${word.replaceAll("'", `'\\''`)}'`;
}
