/**
 * The store of installed packages: each installation has its own folder, which takes effect when the lock file names
 * it. A process that dies before that leaves a folder without an entry, and the next run removes it.
 */
import {
	chmodSync,
	existsSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	renameSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { formatOwner } from "@tau/log";
import { lockWithin, log, shortId } from "@tau/utils";

import { isInside, realOf } from "@tau/resources/discovery";
import { storeOf, type PackageHome } from "./homes.ts";
import { limits } from "./limits.ts";
import { PackageError } from "./problem.ts";
import { readJson } from "./record.ts";
import { isFolderName, readEntry, writeWhole, type PackageEntry, type PackageState } from "./state.ts";

/** A new folder, marked as one that Tau made. */
export function newFolder(home: PackageHome, name: string): { folder: string; directory: string } {
	const folder = `${slugOf(name)}-${shortId()}`;
	if (!isFolderName(folder)) throw new PackageError(`"${name}" is not a valid folder name.`);
	const directory = join(storeOf(home), folder);
	mkdirSync(directory, { recursive: true });
	writeFileSync(recordOf(directory), "{}\n");
	return { folder, directory };
}

function slugOf(name: string): string {
	return name.replace(/^@/, "").replaceAll(/[^\w.~-]+/g, "-");
}

/**
 * Gives a finished folder the name that it has on every machine, so that a lock file can be shared. One that is there
 * already holds the same, and stays unless it is to be replaced.
 */
export function settle(
	home: PackageHome,
	name: string,
	entry: PackageEntry,
	isReplacing: boolean,
): PackageEntry {
	const { folder = "", version, resolved = "", integrity = "" } = entry;
	const sum = new Bun.CryptoHasher("sha256").update(`${resolved}\n${integrity}`).digest("hex").slice(0, 12);
	const settled = { ...entry, folder: `${slugOf(name)}-${slugOf(version)}-${sum}` };
	const [from, to] = [join(storeOf(home), folder), join(storeOf(home), settled.folder)];
	keepRecord(from, name, settled);
	const isWhole = existsSync(join(to, "package")) && recordIn(home, settled.folder) !== undefined;
	if (isWhole && !isReplacing) return settled;
	if (existsSync(to)) renameSync(to, `${from}-old`);
	renameSync(from, to);
	return settled;
}

/** Stores the entry of a folder beside it, so that a lost lock file can be rebuilt. */
function keepRecord(directory: string, name: string, entry: PackageEntry): void {
	writeWhole(recordOf(directory), `${JSON.stringify({ name, ...entry }, null, "\t")}\n`);
}

export function recordsIn(home: PackageHome): { name: string; entry: PackageEntry }[] {
	return foldersIn(home).flatMap((folder) => recordIn(home, folder) ?? []);
}

function recordIn(home: PackageHome, folder: string): { name: string; entry: PackageEntry } | undefined {
	const file = readJson(recordOf(join(storeOf(home), folder)));
	const name = file.ok ? file.value.name : undefined;
	const entry = file.ok ? readEntry(file.value) : undefined;
	return typeof name === "string" && entry?.folder === folder ? { name, entry } : undefined;
}

function recordOf(directory: string): string {
	return join(directory, "record.json");
}

/** Folders that no entry names: an installation died there, or another one replaced it. */
export function orphansIn(home: PackageHome, { plugins }: PackageState): string[] {
	const named = new Set([...plugins.values()].map(({ folder }) => folder));
	return foldersIn(home).filter((folder) => !named.has(folder));
}

export function removeFolder(home: PackageHome, folder: string): void {
	if (!isFolderName(folder)) throw new PackageError(`"${folder}" is not a folder of the store.`);
	const directory = join(storeOf(home), folder);
	try {
		rmSync(directory, { recursive: true, force: true });
	} catch {
		openUp(directory);
		rmSync(directory, { recursive: true, force: true });
	}
}

/** An archive may set directory permissions that forbid reading: such directories could not be removed, either. */
function openUp(directory: string): void {
	chmodSync(directory, 0o700);
	for (const entry of readdirSync(directory, { withFileTypes: true }))
		if (entry.isDirectory()) openUp(join(directory, entry.name));
}

/** Only those that Tau created itself; a link is not. */
function foldersIn(home: PackageHome): string[] {
	try {
		return readdirSync(storeOf(home), { withFileTypes: true })
			.filter((entry) => entry.isDirectory() && isFolderName(entry.name))
			.map(({ name }) => name)
			.filter((name) => existsSync(recordOf(join(storeOf(home), name))));
	} catch {
		// Nothing was installed yet.
		return [];
	}
}

export interface Waiting {
	signal?: AbortSignal | undefined;
	/** Another process is working on it. */
	onWait?(who: string): void;
}

/** One run at a time changes a home; the others wait. */
export async function exclusively<T>(
	home: PackageHome,
	{ signal, onWait }: Waiting,
	run: () => Promise<T>,
): Promise<T> {
	makeHome(home);
	const taken = await lockWithin(join(home.directory, "install"), {
		waitMs: limits.waitMs,
		pollMs: limits.pollMs,
		signal,
		onWait: ({ owner }) => onWait?.(formatOwner(owner)),
	});
	if (!taken.ok)
		throw new PackageError(
			`${formatOwner(taken.locked.owner)} is still installing packages. Try again later.`,
		);
	using _ = taken.lock;
	return await run();
}

/** A repository may contain links: what is written and removed here must be in the project. */
function makeHome(home: PackageHome): void {
	const { scope, directory } = home;
	if (scope === "project") {
		const project = realOf(dirname(dirname(directory)));
		for (const path of [dirname(directory), directory, storeOf(home)]) {
			const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
			const real = realOf(path);
			if (isLink || (real !== undefined && project !== undefined && !isInside(real, project)))
				throw new PackageError(`${path} is a link. A project's packages must be inside the project.`);
		}
	}
	mkdirSync(directory, { recursive: true });
	const ignore = join(directory, ".gitignore");
	if (scope === "project" && !existsSync(ignore)) {
		// The lock file is shared, what it names is not.
		writeFileSync(ignore, "store/\n*.lock\n*.tmp\n");
		log.debug("added the packages of the project to .gitignore", { ignore });
	}
}
