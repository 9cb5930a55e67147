/** Lists everything below a directory of another machine, except ignored files. */
import {
	fuzzyPaths,
	type FuzzyPath,
	type MachineGlobOptions,
	compileGlob,
	type FuzzyFindOptions,
	type GlobResult,
	type ScanEntry,
	type ScanOptions,
} from "@tau/sys";
import { lineQuote } from "./channel.ts";
import type { SshConnection } from "./connection.ts";
import { limits } from "./limits.ts";
import { remoteError } from "./problems.ts";

interface ListOptions {
	root: string;
	hidden?: boolean | undefined;
	gitignore?: boolean | undefined;
}

/** Run in the directory: prints the paths of files, each followed by a NUL or, where only find is there, a line end. */
export function listScript(
	programs: ReadonlySet<string>,
	{ hidden = true, gitignore = true }: ListOptions,
): string {
	if (programs.has("rg"))
		return `rg --no-config --files -0 ${hidden ? "--hidden " : ""}${gitignore ? "" : "--no-ignore "}--glob '!.git' . 2>/dev/null`;
	const names = hidden ? `-name .git -prune` : `-name ".?*" -prune`;
	const find = `find . ${names} -o ! -type d -print 2>/dev/null | tr "\\n" "\\0"`;
	if (!gitignore || !programs.has("git")) return find;
	const git = `git -c core.fsmonitor=false ls-files -co --exclude-standard -z 2>/dev/null`;
	return `if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then ${git}; else ${find}; fi`;
}

export function pathsIn(output: Buffer): string[] {
	return output
		.toString("utf8")
		.split("\0")
		.filter((path) => path !== "");
}

interface Listing {
	root: string;
	entries: readonly ScanEntry[];
	isCut: boolean;
}

/** Listings of a machine; the last one is kept for a moment, because completion asks with each letter. */
export class RemoteLists {
	readonly #connection: SshConnection;
	#last: { key: string; at: number; listing: Promise<Listing> } | undefined;

	constructor(connection: SshConnection) {
		this.#connection = connection;
	}

	async glob(options: MachineGlobOptions): Promise<GlobResult> {
		const matches = compileGlob(options.pattern);
		const nodeModules = options.nodeModules === true || options.pattern.includes("node_modules");
		const { root, entries, isCut } = await this.#list(options);
		const matching = entries.filter(
			({ path, kind }) => matches(path, kind) && (nodeModules || !inNodeModules(path)),
		);
		return { root, entries: matching, isCut };
	}

	async fuzzyFind(options: FuzzyFindOptions): Promise<FuzzyPath[]> {
		const key = JSON.stringify([options.root, options.hidden, options.gitignore]);
		const isFresh = this.#last?.key === key && Date.now() - this.#last.at < limits.listingMs;
		if (!isFresh || !this.#last) this.#last = { key, at: Date.now(), listing: this.#list(options) };
		const { entries } = await this.#last.listing;
		const paths = entries
			.filter(({ path }) => options.nodeModules === true || !inNodeModules(path))
			.map(({ path, kind }) => (kind === "directory" ? `${path}/` : path));
		return fuzzyPaths(options.query, paths, options.limit);
	}

	forget(): void {
		this.#last = undefined;
	}

	async #list({ root, hidden, gitignore, signal }: ScanOptions): Promise<Listing> {
		const { programs } = await this.#connection.facts(signal);
		const list = listScript(programs, { root, hidden, gitignore });
		const check = `if [ ! -d ${lineQuote(root)} ]; then echo "No such file or directory"; (exit 3); else cd -P ${lineQuote(root)} && printf "%s\\0" "$PWD" && { ${list}; true; }; fi`;
		const { status, output } = await this.#connection.request(check, {
			signal,
			isLong: true,
			mayRepeat: true,
		});
		if (status !== 0) throw remoteError(output);
		const [real = root, ...paths] = pathsIn(output);
		const isCut = paths.length > limits.listed;
		return { root: real, entries: entriesOf(paths.slice(0, limits.listed)), isCut };
	}
}

/** The directories of the files are entries as well. */
function entriesOf(paths: readonly string[]): ScanEntry[] {
	const kinds = new Map<string, ScanEntry["kind"]>();
	for (const each of paths) {
		const path = each.replace(/^\.\//, "");
		kinds.set(path, "file");
		for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
			const directory = path.slice(0, at);
			if (kinds.has(directory)) break;
			kinds.set(directory, "directory");
		}
	}
	const entries = [...kinds].map(([path, kind]): ScanEntry => ({ path, kind }));
	return entries.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

function inNodeModules(path: string): boolean {
	return /(?:^|\/)node_modules(?:\/|$)/.test(path);
}
