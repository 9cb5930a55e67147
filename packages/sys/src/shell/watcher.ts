/** Starts the process that ends our commands if Tau itself is killed and cannot do it. */
import { tmpdir } from "node:os";

import { log, temporaryTag } from "@tau/utils";

import { limits } from "../limits.ts";
import { processesAreListed } from "../process/index.ts";
import { findOwn, standardPath } from "./find-shell.ts";
import script from "./watcher.sh" with { type: "text" };

type Watcher = Bun.Subprocess<"pipe", "ignore", "ignore">;

let watcher: Watcher | undefined;
/** Replacements since the last process that Tau started. */
let replacements = 0;

/** Called for each process that starts: a program that starts none needs no watcher, and a killed one is replaced. */
export function startWatcher(mark: string): void {
	replacements = 0;
	if (watcher && watcher.exitCode === null && watcher.signalCode === null) {
		// A command may have stopped it.
		watcher.kill("SIGCONT");
		return;
	}
	replaceWatcher(mark);
}

function replaceWatcher(mark: string): void {
	const shell = findOwn("sh");
	if (!shell) return;
	try {
		watcher = spawnWatcher(shell, mark);
	} catch (error) {
		log.warn("commands would outlive a killed Tau", { reason: String(error) });
	}
}

/** For systems whose processes show no mark: a group is all that can be ended. */
export function watchGroup(pid: number, isEmpty = false): void {
	if (processesAreListed || !watcher) return;
	watcher.stdin.write(`${isEmpty ? "-" : "+"} ${pid}\n`);
	void watcher.stdin.flush();
}

/** Its environment has no mark, and it is in a session of its own: nothing that ends Tau's processes ends it too. */
function spawnWatcher(shell: string, mark: string): Watcher {
	const parents = new Set([tmpdir(), "/tmp"]);
	const child = Bun.spawn([shell, "-c", script, "tau-watcher", mark, temporaryTag(), ...parents], {
		cwd: "/",
		env: { PATH: standardPath },
		stdin: "pipe",
		stdout: "ignore",
		stderr: "ignore",
		detached: true,
		// A command that kills it is followed by others, perhaps before the kernel has ended it.
		onExit(ended) {
			if (watcher === ended && replacements++ < limits.watcherReplacements) replaceWatcher(mark);
		},
	});
	child.unref();
	process.off("exit", endWatcher);
	process.once("exit", endWatcher);
	return child;
}

/** A Tau that exits by itself has ended its processes, and deleted its directories. */
function endWatcher(): void {
	replacements = limits.watcherReplacements;
	watcher?.kill("SIGKILL");
}
