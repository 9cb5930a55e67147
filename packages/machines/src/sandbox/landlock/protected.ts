/**
 * Puts back what commands must not change inside of the project, such as git's hooks: Landlock cannot make a part of a
 * writable directory read-only. What changes while no command runs is the user's, and is accepted.
 */
import { existsSync, lstatSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";

import { findOwn, standardPath } from "@tau/sys";
import type { Denial } from "../denial.ts";
import { limits } from "../limits.ts";
import { isBelow, type SandboxProfile } from "../profile.ts";

interface Options {
	profile: SandboxProfile;
	/** A directory for copies, which commands can read and not change. */
	copies: string;
	/** A directory for changed versions, which commands can write. */
	changed: string;
	/** Runs a command to its end inside: a link that another command has made leads no further than that one could go. */
	runInside(command: readonly string[]): void;
}

const putBack = `mkdir -p -- "$3" "$(dirname -- "$1")"; mv -- "$1" "$3/"; cp -a -- "$2" "$1"`;

export class ProtectedFiles {
	readonly #options: Options;
	readonly #paths: readonly string[];
	readonly #states = new Map<string, string>();
	#running = 0;
	#restored = 0;

	constructor(options: Options) {
		this.#options = options;
		const { readOnly, writable } = options.profile;
		this.#paths = readOnly.filter((path) => writable.some((above) => isBelow(path, above)));
	}

	/** `areLeft`: a process of an earlier command runs, so that a change may be its own. Throws if there is too much to copy. */
	commandStarts(areLeft: boolean): void {
		if (areLeft) this.putBack();
		if (this.#running === 0) for (const path of this.#paths) this.#keep(path);
		this.#running++;
	}

	/** Returns what was put back. */
	commandEnded(): Denial[] {
		this.#running = Math.max(0, this.#running - 1);
		return this.putBack();
	}

	putBack(): Denial[] {
		return this.#paths.flatMap((path) => {
			const state = this.#states.get(path);
			return state === undefined || state === stateOf(path) ? [] : [this.#putBack(path)];
		});
	}

	#keep(path: string): void {
		const state = stateOf(path);
		if (this.#states.get(path) === state) return;
		const copy = this.#copyOf(path);
		const options = { env: { PATH: standardPath }, stdin: "ignore", stdout: "ignore" } as const;
		Bun.spawnSync([findOwn("rm") ?? "rm", "-rf", "--", copy], options);
		const { exitCode } = Bun.spawnSync([findOwn("cp") ?? "cp", "-a", "--", path, copy], options);
		// Without a copy it would be lost instead of put back.
		if (exitCode !== 0 && state !== "") throw new Error(`${path} could not be copied to protect it.`);
		this.#states.set(path, state);
	}

	#putBack(path: string): Denial {
		const changed = join(this.#options.changed, `changed-${++this.#restored}`);
		this.#options.runInside(["/bin/sh", "-c", putBack, "sh", path, this.#copyOf(path), changed]);
		this.#states.set(path, stateOf(path));
		const isKept = existsSync(join(changed, basename(path)));
		return {
			what: `${path} was put back: commands cannot change it${isKept ? ` (the changed version is in ${changed})` : ""}`,
			mayRunOutside: true,
		};
	}

	#copyOf(path: string): string {
		return join(this.#options.copies, `${this.#paths.indexOf(path)}`);
	}
}

/** Differs after every change: a program cannot set the time of the last one. Empty if there is nothing. */
function stateOf(root: string): string {
	const states: string[] = [];
	const queue = [root];
	for (const path of queue) {
		const info = lstatSync(path, { throwIfNoEntry: false, bigint: true });
		if (!info) continue;
		states.push(`${path} ${info.ino} ${info.ctimeNs} ${info.mode}`);
		if (info.isDirectory()) queue.push(...readdirSync(path).map((name) => join(path, name)));
		if (queue.length > limits.protectedFiles)
			throw new Error(
				`Landlock cannot protect ${root}: it contains more than ${limits.protectedFiles} files. Install bubblewrap.`,
			);
	}
	return states.join("\n");
}
