/** Collects the facts about a command while it is walked. */
import { dirname, resolve } from "node:path";

import type { Arg } from "./args.ts";
import { unlistedFile, type ClosedCall } from "./closed-list.ts";
import type { CommandFacts, CommandLocation, CommandWrite, ProgramRun } from "./facts.ts";
import { limits } from "./limits.ts";

/** Files that take what is written to them and keep nothing. */
const sinks = /^\/dev\/(?:null|zero|full|tty)$/u;
/** The output of the command, unless a redirection made it a file. */
const outputs = /^\/dev\/(?:stdout|stderr|fd\/[12])$/u;
/** Linux opens the file behind a descriptor anew: `echo x < a > /dev/stdin` changes a. */
const descriptors = /^\/dev\/(?:std(?:in|out|err)|fd\/\d)$/u;

/** How a file is changed. */
export type WriteKind = Pick<CommandWrite, "isTree" | "deletes" | "moves" | "into" | "inDirectory">;

export class Findings {
	readonly #start: string;
	readonly #isLinked: boolean;
	readonly #programs: { readonly run: ProgramRun; readonly call: ClosedCall }[] = [];
	readonly #writes: CommandWrite[] = [];
	readonly #reads = new Set<string>();
	readonly #globs = new Set<string>();
	readonly #treeGlobs = new Set<string>();
	readonly #trees = new Set<string>();
	readonly #followed = new Set<string>();
	readonly #repositories = new Set<string>();
	/** Where the command itself has put files that may be links. */
	readonly #arrivals: string[] = [];
	/** Directories that the command changes to. */
	readonly #visited = new Set<string>();
	/** Others in which the shell may be when its directory is not known: home, and what is above the start. */
	readonly #around = new Set<string>();
	/** What is read relative to a directory that is not known. */
	readonly #adrift = new Map<string, Arg & { isTree?: boolean; follows?: boolean }>();
	#unknown: string | undefined;
	/** The first word that names the output of the command. */
	#output: string | undefined;
	/** A redirection may have made the output a file that is open for reading. */
	#isOutputTurned = false;

	constructor({ cwd: start, home, isLinked = false }: CommandLocation) {
		this.#start = start;
		this.#isLinked = isLinked;
		this.#around.add(home);
		for (let at = start; at !== dirname(at); at = dirname(at)) this.#around.add(at);
	}

	/** Nothing more is listed; the command is unknown. */
	get isFull(): boolean {
		return this.#programs.length >= limits.listed;
	}

	run(run: ProgramRun, call: ClosedCall): void {
		if (!this.isFull) this.#programs.push({ run, call });
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
		if (this.maySkipLink(value, directories)) this.#writes.push({ text, ...how });
		for (const path of this.#pathsOf(value, directories)) {
			if (path.startsWith("/dev/tcp/") || path.startsWith("/dev/udp/"))
				this.unknown("a redirection opens a network connection");
			else if (outputs.test(path)) this.#output ??= text;
			else if (descriptors.test(path)) this.#writes.push({ text, ...how });
			else if (!sinks.test(path)) {
				this.#writes.push({ path, text, ...how });
				if (this.#mayFollowLink(path, how)) this.#writes.push({ text, ...how });
			}
		}
	}

	/** A later write at this path, or below it, may go through a link that nobody has judged (`tar xf a; echo > b`). */
	arrive({ value }: Arg, directories: readonly string[] | undefined): void {
		if (value !== undefined) this.#arrivals.push(...this.#pathsOf(value, directories));
	}

	#mayFollowLink(path: string, { deletes }: WriteKind): boolean {
		return this.#arrivals.some((root) => {
			// What is deleted is the link itself.
			if (deletes && (path === root || dirname(path) === root)) return false;
			return path === root || path.startsWith(root === "/" ? root : `${root}/`);
		});
	}

	/** `link/../x` is beside the target of the link, which only the system knows; so is `../x` after `cd link`. */
	maySkipLink(value: string, directories: readonly string[] | undefined): boolean {
		const parts = value.split("/");
		const first = parts.findIndex((part) => !/^\.{0,2}$/u.test(part));
		if (first >= 0 && parts.includes("..", first)) return true;
		const hasMoved = this.#isLinked || directories?.length !== 1 || directories[0] !== this.#start;
		return hasMoved && /^(?:\.\/)*\.\.(?:\/|$)/u.test(value);
	}

	/** A name with `..` behind what may be a link as it is given, which the policy resolves as the system does. */
	#asGiven(name: string, directories: readonly string[] | undefined): string[] {
		if (name.length > limits.pathChars || !this.maySkipLink(name, directories)) return [];
		return name.startsWith("/") ? [name] : (directories ?? []).map((directory) => `${directory}/${name}`);
	}

	#pathsOf(name: string, directories: readonly string[] | undefined): string[] {
		const paths = pathsOf(name, directories);
		if ([name, ...paths].every((path) => path.length <= limits.pathChars)) return paths;
		this.unknown("a name is longer than that of any file");
		return [];
	}

	/** `showsContent`: more than its name, size or sum is shown. */
	read(arg: Arg, directories: readonly string[] | undefined, showsContent = true): void {
		const name = arg.value ?? arg.glob;
		// `$PPID` is Tau itself, whose environment holds keys.
		if (name === undefined && mayBeOfProcess(arg)) this.unknown(`${arg.text} may be the memory of a process`);
		// `if=~/x`, `~-/x` and `~ann/x`: home directories, too.
		if (name === undefined && /(?:^|[=:])~/u.test(arg.text))
			this.unknown(`only the shell knows which file ${arg.text} is`);
		// Of a loop: `for f in a b; do (cd ~; cat "$f"); done`.
		if (name === undefined) for (const each of arg.among ?? []) this.read(each, directories, showsContent);
		if (name === undefined || name === "" || name === "-") return;
		if (directories === undefined && !name.startsWith("/")) return this.#drift(name, arg);
		if (this.#reads.size + this.#globs.size >= limits.listed)
			return this.unknown("the command reads too many files to list");
		if (showsContent && this.#pathsOf(name, directories).some((path) => this.#mayFollowLink(path, {})))
			this.unknown(`${arg.text} may be a link that the command itself has put there`);
		for (const path of this.#asGiven(name, directories))
			(arg.value === undefined ? this.#globs : this.#reads).add(path);
		for (const path of this.#pathsOf(name, directories)) {
			if (arg.value === undefined) this.#globs.add(path);
			else if (path.startsWith("/dev/tcp/") || path.startsWith("/dev/udp/"))
				this.unknown("a redirection opens a network connection");
			else if (!sinks.test(path) && !descriptors.test(path)) this.#reads.add(path);
		}
	}

	/** Something that is read with everything below it, and with what links there lead to. */
	readTree(arg: Arg, directories: readonly string[] | undefined, follows: boolean): void {
		const { value, glob } = arg;
		const name = value ?? glob;
		if (name === undefined) {
			for (const each of arg.among ?? []) this.readTree(each, directories, follows);
			return;
		}
		if (directories === undefined && !name.startsWith("/"))
			return this.#drift(name, { ...arg, isTree: true, follows });
		if (this.#trees.size + this.#treeGlobs.size >= limits.listed)
			return this.unknown("the command reads too many directories to list");
		for (const path of [...this.#asGiven(name, directories), ...this.#pathsOf(name, directories)]) {
			(value === undefined ? this.#treeGlobs : this.#trees).add(path);
			if (follows) this.#followed.add(path);
		}
	}

	/** After this, a relative name whose directory is not known may be below it (`cd -P ~/.ssh; cat id_rsa`). */
	visit(arg: Arg, directories: readonly string[] | undefined): void {
		for (const each of arg.among ?? []) this.visit(each, directories);
		if (arg.value === undefined && arg.glob !== undefined) this.read(arg, directories, false);
		const paths =
			arg.value === undefined || /^[-+]/u.test(arg.value) ? [] : this.#placesOf(arg.value, directories);
		// From a directory that is not known, `cd ..` mostly leads back to where it was.
		const isBack = directories === undefined && /^[./]*$/u.test(arg.value ?? "");
		for (const path of paths) (isBack ? this.#around : this.#visited).add(path);
		if (this.#visited.size + this.#around.size > limits.visited)
			this.unknown("the command changes its directory too often to follow");
	}

	#placesOf(name: string, directories: readonly string[] | undefined): string[] {
		return this.#pathsOf(name, directories ?? [...this.#visited, ...this.#around].slice(0, limits.visited));
	}

	#drift(name: string, arg: Arg & { isTree?: boolean; follows?: boolean }): void {
		if (this.#adrift.size < limits.adrift) this.#adrift.set(`${name}\0${arg.isTree === true}`, arg);
		else this.unknown("the command reads too many files in directories that are not known");
	}

	#landAdrift(): void {
		for (const arg of this.#adrift.values()) {
			// Names that are everywhere (`grep -r x .`, `cat *`) are looked for only where the command went.
			const isAnywhere = /^(?:[./]*|[^/]*[*?[].*)$/su.test(arg.value ?? arg.glob ?? "");
			const directories = [...this.#visited, ...(isAnywhere ? [] : this.#around)].slice(0, limits.visited);
			if (arg.isTree) this.readTree(arg, directories, arg.follows === true);
			else this.read(arg, directories, false);
		}
	}

	/** A directory in which git looks for a repository, whose settings can name programs. */
	repository(directory: Arg | undefined, directories: readonly string[] | undefined): void {
		const name = directory ? directory.value : ".";
		if (name === undefined || (directories === undefined && !name.startsWith("/")))
			return this.unknown("only the shell knows which repository git uses");
		for (const path of this.#pathsOf(name, directories)) this.#repositories.add(path);
	}

	/** `echo x 1< a > /dev/stdout` changes a. */
	turnOutput(): void {
		this.#isOutputTurned = true;
	}

	unknown(reason: string): void {
		this.#unknown ??= reason.length > limits.reasonChars ? `${reason.slice(0, limits.reasonChars)}…` : reason;
	}

	#listedPrograms(): ProgramRun[] {
		const listed = {
			cwd: this.#start,
			reads: [...this.#reads, ...this.#trees],
			globs: [...this.#globs, ...this.#treeGlobs],
			writes: this.#writes.flatMap(({ path }) => path ?? []),
			hasMoved: this.#programs.some(({ run }) => run.name === "cd"),
		};
		return this.#programs.map(({ run, call }) => {
			const file = call.reason === undefined ? unlistedFile(call, listed) : undefined;
			const unlisted = file === undefined ? call.reason : `only ${run.name} knows what it does with ${file}`;
			return unlisted === undefined
				? run
				: { ...run, unlisted, ...(call.hasPattern ? { hasPattern: true } : {}) };
		});
	}

	facts(): CommandFacts {
		this.#landAdrift();
		const turned = this.#isOutputTurned && this.#output !== undefined ? [{ text: this.#output }] : [];
		return {
			programs: this.#listedPrograms(),
			writes: [...this.#writes, ...turned],
			reads: [...this.#reads],
			readGlobs: [...this.#globs],
			treeGlobs: [...this.#treeGlobs],
			readTrees: [...this.#trees],
			followedTrees: [...this.#followed],
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

/** A path in `/proc` that only the shell knows, but for what anybody may see of a process. */
export function mayBeOfProcess({ value, text, prefix }: Arg): boolean {
	if (value !== undefined || !(prefix.startsWith("/proc/") || /environ\b/u.test(text))) return false;
	return !/^\/proc\/\$(?:\$|!|\w+|\{\w+\})\/(?:status?|statm|cmdline|comm|exe|maps|limits|cgroup|io|sched|wchan)$/u.test(
		text,
	);
}

/** Others show names, sizes and sums, and nothing of what is in a file; git shows a link as such. */
export function showsFiles(program: string): boolean {
	return !/^(?:ls|dir|vdir|exa|eza|lsd|stat|du|df|readlink|realpath|file|wc|tree|g?find|fd|fdfind|lsattr|getfacl|cksum|sum|md5sum|sha\d+sum|b2sum|mv|rm|git|test|\[)$/u.test(
		program,
	);
}

/** Programs that read what is in the files below a directory. */
function isRecursive(name: string, argv: readonly (string | undefined)[]): boolean {
	if (/^(?:rg|ag|ack|ugrep|tar|rsync)$/u.test(name)) return true;
	// Outside of a repository, or with `--no-index`, they read any directory.
	if (name === "git") return argv.some((word) => word === "grep" || word === "diff");
	if (isFinder(name)) return startsPrograms(name, argv);
	if (!/^(?:[ef]?grep|zgrep|diff|cp|zip)$/u.test(name)) return false;
	return argv.some((word) => /^-(?:[^-]*[rRad]|-[rad])/u.test(word ?? ""));
}

export function isFinder(name: string): boolean {
	return /^(?:g?find|fd|fdfind)$/u.test(name);
}

/** Others may be the value of an option, which may be abbreviated (`grep -m1 -R x`, `grep --inc a -R x`). */
export function isLastOperand(arg: Arg, args: readonly Arg[]): boolean {
	return arg === args.at(-1) && !args.some(({ value }) => /^--[a-z-]+$/u.test(value ?? ""));
}

/** Whether a finder starts programs with what it finds. */
function startsPrograms(name: string, argv: readonly (string | undefined)[]): boolean {
	return (
		isFinder(name) &&
		argv.some((word) => /^-(?:exec|ok|execdir|okdir|[HIusigFaLp0lq1]*[xX]|-exec.*)$/u.test(word ?? ""))
	);
}

/** With `-type f` alone, and before everything that shows or starts something, no link is found that a program would follow. */
function findsFilesAlone(argv: readonly (string | undefined)[]): boolean {
	const isOpen = argv.some((word) => /^(?:-o|-or|!|-not|,|\(|-[^-]*L|-follow|--follow)$/u.test(word ?? "-o"));
	const types = argv.flatMap((word, at) => (/^(?:-t|--?type)/u.test(word ?? "") ? [at] : []));
	const [type = 0, ...others] = types;
	const acts = argv.findIndex((word) =>
		/^-(?:exec|ok|print|fprint|fls|ls|[^-]*[xX]|-exec)/u.test(word ?? ""),
	);
	return !isOpen && others.length === 0 && argv[type + 1] === "f" && (acts < 0 || type < acts);
}

/** How programs are told to follow the links that they find; diff and zip do so by themselves. */
const following: readonly (readonly [RegExp, RegExp])[] = [
	[/^(?:[ef]?grep|zgrep)$/u, /^-(?:[^-]*R|-de)/u],
	[/^(?:rg|ugrep|g?find|fd|fdfind|cp|rsync)$/u, /^-(?:[^-]*[LRk]|-f(?:o|$)|-de|follow|-c)/u],
	[/^(?:ag|ack)$/u, /^-(?:[^-]*f|-f)/u],
	[/^tar$/u, /^(?:-?[^-/]*h|--de)/u],
	[/^(?:diff|zip)$/u, /^/u],
];

function followsLinks(program: string, argv: readonly (string | undefined)[]): boolean {
	// A name that a pattern gives may be an option: `grep x *`, with a file `-R`.
	const unknown = /^[ef]?grep$/u.test(program) ? "-R" : "";
	return following.some(
		([name, option]) => name.test(program) && argv.some((word) => option.test(word ?? unknown)),
	);
}

export interface Reading {
	/** It reads what is below its directories, and below the current one if it names none. */
	readonly readsTree: boolean;
	/** The same for a directory that it names: which programs do so with which options is too much to list. */
	readonly mayReadTree: boolean;
	/** It follows the links that it finds there. */
	readonly follows: boolean;
}

/** `isOpened`: another command opens the files whose names it prints. */
export function readingOf(name: string, argv: readonly (string | undefined)[], isOpened: boolean): Reading {
	const opensFound = isFinder(name) && (isOpened || startsPrograms(name, argv));
	const readsTree = isRecursive(name, argv) || opensFound;
	return {
		readsTree,
		// `diff -N ~ empty` shows each file in the home directory.
		mayReadTree: readsTree || showsFiles(name),
		follows: followsLinks(name, argv) || (opensFound && !findsFilesAlone(argv)),
	};
}
