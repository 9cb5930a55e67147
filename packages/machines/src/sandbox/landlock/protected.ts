/**
 * Puts back what commands must not change inside of the project, such as git's hooks: Landlock cannot make a part of a
 * writable directory read-only. What changes while no command runs is the user's, and is accepted.
 */
import { existsSync, lstatSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";

import { findOwn, HeldDirectory, standardPath } from "@tau/sys";
import type { Denial } from "../denial.ts";
import { limits } from "../limits.ts";
import { isBelow } from "../below.ts";
import type { SandboxProfile } from "../profile.ts";

interface Options {
	profile: Pick<SandboxProfile, "readOnly" | "writable">;
	/** A directory for copies, which commands can read and not change. */
	copies: string;
	/** A directory for changed versions, which commands can write. */
	changed: string;
	/**
	 * Runs a command to its end inside, and says whether it succeeded: a link that another command has made leads no further
	 * than that one could go.
	 */
	runInside(command: readonly string[]): boolean;
}

/**
 * $1 is put back from $2, and what was there goes to $3. A command may have closed the directories on the way ($4 is the
 * uppermost), or have put something else in their place; and what cannot be moved there is given another name.
 */
const putBack = `
way() {
	[ "$1" = "$top" ] || way "$(dirname -- "$1")"
	chattr -i -a -- "$1" 2>&-
	case "$(readlink -f -- "$1")/" in "$top"/*) ;; *) mv -f -- "$1" "$changed/" ;; esac
	[ -d "$1" ] || { mv -f -- "$1" "$changed/"; mkdir -- "$1"; }
	[ -L "$1" ] || chmod u+rwx -- "$1"
}
changed=$3 top=$4
mkdir -p -- "$changed"
way "$(dirname -- "$1")"
if [ -e "$1" ] || [ -L "$1" ]; then
	chattr -R -i -a -- "$1" 2>&-
	mv -f -- "$1" "$1.$$.old"
	mv -f -- "$1.$$.old" "$changed/$(basename -- "$1")" || chmod -R a-x -- "$1.$$.old"
fi
[ ! -e "$2" ] || cp -a -- "$2" "$1"
if [ -e "$2" ]; then diff -r -- "$2" "$1"; else [ ! -e "$1" ] && [ ! -L "$1" ]; fi
`;

export class ProtectedFiles {
	readonly #options: Options;
	readonly #paths: readonly string[];
	readonly #states = new Map<string, string>();
	/** What could not be put back: a changed version must not become the one that is kept. */
	readonly #lost = new Set<string>();
	#running = 0;
	#restored = 0;

	constructor(options: Options) {
		this.#options = options;
		const { readOnly, writable } = options.profile;
		this.#paths = readOnly.filter((path) => writable.some((above) => isBelow(path, above)));
	}

	/**
	 * `areLeft`: a process of an earlier command runs, or ran, so that a change may be its own. Returns what was put back. Throws
	 * if there is too much to copy.
	 */
	commandStarts(areLeft: boolean): Denial[] {
		const restored = areLeft || this.hasLost ? this.putBack() : [];
		if (this.#running === 0) for (const path of this.#paths) this.#keep(path);
		this.#running++;
		return restored;
	}

	/** Whether something could not be put back. */
	get hasLost(): boolean {
		return this.#lost.size > 0;
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
		if (this.#lost.has(path))
			throw new Error(
				`${path} was changed by a command and could not be put back. Look at it, then start Tau again.`,
			);
		const state = stateOf(path);
		if (state === tooMany)
			throw new Error(
				`Landlock cannot protect ${path}: it contains more than ${limits.protectedFiles} files. Install bubblewrap.`,
			);
		if (this.#states.get(path) === state) return;
		const copy = this.#copyOf(path);
		const options = {
			env: { PATH: standardPath },
			stdin: "ignore",
			stdout: "ignore",
			stderr: "ignore",
		} as const;
		Bun.spawnSync([findOwn("rm") ?? "rm", "-rf", "--", copy], options);
		// Without a copy it would be lost instead of put back.
		if (!copied(path, copy, options) && state !== "")
			throw new Error(`${path} could not be copied to protect it.`);
		this.#states.set(path, state);
	}

	#putBack(path: string): Denial {
		const changed = join(this.#options.changed, `changed-${++this.#restored}`);
		const top = this.#options.profile.writable.find((above) => isBelow(path, above)) ?? dirname(path);
		const copy = this.#copyOf(path);
		const isBack = this.#options.runInside(["/bin/sh", "-c", putBack, "sh", path, copy, changed, top]);
		if (!isBack) {
			this.#lost.add(path);
			return {
				what: `${path} was changed and could not be put back: look at it first`,
				mayRunOutside: false,
			};
		}
		this.#lost.delete(path);
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

/** A link on the way could show commands what is hidden from them: they can read the copies. */
function copied(path: string, copy: string, options: { readonly env: Record<string, string> }): boolean {
	try {
		using directory = HeldDirectory.open(dirname(path));
		const command = [findOwn("cp") ?? "cp", "-a", "--", `./${basename(path)}`, copy];
		return Bun.spawnSync(command, { ...options, cwd: directory.at() }).exitCode === 0;
	} catch {
		// It is not there, or behind a link now.
		return false;
	}
}

/** The state of what contains more files than are copied. */
const tooMany = "too many files";

/** Differs after every change: a program cannot set the time of the last one. Empty if there is nothing. */
function stateOf(root: string): string {
	const states: string[] = [];
	const queue = [root];
	for (const path of queue) {
		try {
			const info = lstatSync(path, { throwIfNoEntry: false, bigint: true });
			if (!info) continue;
			states.push(`${path} ${info.ino} ${info.ctimeNs} ${info.mode}`);
			if (info.isDirectory()) queue.push(...readdirSync(path).map((name) => join(path, name)));
		} catch (error) {
			// A command has closed a directory, or put a file in its place.
			states.push(`${path} ${String(error)}`);
		}
		if (queue.length > limits.protectedFiles) return tooMany;
	}
	return states.join("\n");
}
