/** Collects the facts about a command while it is walked. */
import { dirname, resolve } from "node:path";

import type { Arg } from "./args.ts";
import type { CommandFacts, CommandWrite, ProgramRun } from "./facts.ts";
import { limits } from "./limits.ts";

/** Files that take what is written to them and keep nothing. */
const sinks = /^\/dev\/(?:null|zero|full|stdin|stdout|stderr|tty|fd\/\d)$/u;

/** How a file is changed. */
export type WriteKind = Pick<CommandWrite, "isTree" | "deletes">;

export class Findings {
	readonly #start: string;
	readonly #programs: ProgramRun[] = [];
	readonly #writes: CommandWrite[] = [];
	readonly #reads = new Set<string>();
	readonly #globs = new Set<string>();
	readonly #trees = new Set<string>();
	readonly #repositories = new Set<string>();
	/** Where the command itself has put files that may be links. */
	readonly #arrivals: string[] = [];
	#unknown: string | undefined;

	/** `start`: the directory in which the command starts. */
	constructor(start: string) {
		this.#start = start;
	}

	/** Nothing more is listed; the command is unknown. */
	get isFull(): boolean {
		return this.#programs.length >= limits.listed;
	}

	run(run: ProgramRun): void {
		if (!this.isFull) this.#programs.push(run);
		if (this.isFull) this.unknown("the command runs too many programs to list");
	}

	/** A file that is changed, in each directory that it may be relative to. */
	write(arg: Arg, directories: readonly string[] | undefined, how: WriteKind = {}): void {
		if (this.#writes.length >= limits.listed)
			return this.unknown("the command changes too many files to list");
		const { value, text } = arg;
		if (value === undefined || (directories === undefined && !value.startsWith("/"))) {
			this.#writes.push({ text, ...how });
			return;
		}
		if (this.#maySkipLink(value, directories)) this.#writes.push({ text, ...how });
		for (const path of pathsOf(value, directories)) {
			if (path.startsWith("/dev/tcp/") || path.startsWith("/dev/udp/"))
				this.unknown("a redirection opens a network connection");
			else if (!sinks.test(path)) {
				this.#writes.push({ path, text, ...how });
				if (this.#mayFollowLink(path, how)) this.#writes.push({ text, ...how });
			}
		}
	}

	/** A later write at this path, or below it, may go through a link that nobody has judged (`tar xf a; echo > b`). */
	arrive({ value }: Arg, directories: readonly string[] | undefined): void {
		if (value !== undefined) this.#arrivals.push(...pathsOf(value, directories));
	}

	#mayFollowLink(path: string, { deletes }: WriteKind): boolean {
		return this.#arrivals.some((root) => {
			// What is deleted is the link itself.
			if (deletes && (path === root || dirname(path) === root)) return false;
			return path === root || path.startsWith(root === "/" ? root : `${root}/`);
		});
	}

	/** `link/../x` is beside the target of the link, which only the system knows; so is `../x` after `cd link`. */
	#maySkipLink(value: string, directories: readonly string[] | undefined): boolean {
		if (/(?:^|\/)(?!\.{1,2}\/)[^/]+\/(?:.*\/)?\.\.(?:\/|$)/u.test(value)) return true;
		const hasMoved = directories?.length !== 1 || directories[0] !== this.#start;
		return hasMoved && /^(?:\.\/)*\.\.(?:\/|$)/u.test(value);
	}

	read(arg: Arg, directories: readonly string[] | undefined): void {
		const name = arg.value ?? arg.glob;
		if (
			name === undefined ||
			name === "" ||
			name === "-" ||
			this.#reads.size + this.#globs.size >= limits.listed
		)
			return;
		if (directories === undefined && !name.startsWith("/")) return;
		// The system resolves it, and so does the policy.
		if (arg.value !== undefined && this.#maySkipLink(name, directories))
			for (const directory of name.startsWith("/") ? [""] : (directories ?? []))
				this.#reads.add(directory === "" ? name : `${directory}/${name}`);
		for (const path of pathsOf(name, directories)) {
			if (arg.value === undefined) this.#globs.add(path);
			else if (path.startsWith("/dev/tcp/") || path.startsWith("/dev/udp/"))
				this.unknown("a redirection opens a network connection");
			else if (!sinks.test(path)) this.#reads.add(path);
		}
	}

	/** Something that is read with everything below it. */
	readTree({ value }: Arg, directories: readonly string[] | undefined): void {
		if (value === undefined || this.#trees.size >= limits.listed) return;
		for (const path of pathsOf(value, directories)) this.#trees.add(path);
	}

	/** A directory in which git looks for a repository, whose settings can name programs. */
	repository(directory: Arg | undefined, directories: readonly string[] | undefined): void {
		const name = directory ? directory.value : ".";
		if (name === undefined || (directories === undefined && !name.startsWith("/")))
			return this.unknown("only the shell knows which repository git uses");
		for (const path of pathsOf(name, directories)) this.#repositories.add(path);
	}

	unknown(reason: string): void {
		this.#unknown ??= reason.length > limits.reasonChars ? `${reason.slice(0, limits.reasonChars)}…` : reason;
	}

	facts(): CommandFacts {
		return {
			programs: this.#programs,
			writes: this.#writes,
			reads: [...this.#reads],
			readGlobs: [...this.#globs],
			readTrees: [...this.#trees],
			repositories: [...this.#repositories],
			...(this.#unknown === undefined ? {} : { unknown: this.#unknown }),
		};
	}
}

function pathsOf(name: string, directories: readonly string[] | undefined): string[] {
	if (name.startsWith("/")) return [resolve(name)];
	return (directories ?? []).map((directory) => resolve(directory, name));
}

/** Whether a name may be one that bash connects to; a pattern is one only behind the literal start. */
export function mayConnect({ prefix, glob }: Arg): boolean {
	return ["/dev/tcp/", "/dev/udp/"].some(
		(start) => prefix.startsWith(start) || (glob === undefined && start.startsWith(prefix)),
	);
}

/** Programs that read what is in the files below a directory. */
export function isRecursive(name: string, argv: readonly (string | undefined)[]): boolean {
	if (/^(?:rg|ag|ack|ugrep|tar|rsync)$/u.test(name)) return true;
	if (!/^(?:[ef]?grep|zgrep|diff|cp|zip)$/u.test(name)) return false;
	return argv.some((word) => /^-(?:[a-zA-Z]*[rRa]|-rec|-arch|-deref)/u.test(word ?? ""));
}
