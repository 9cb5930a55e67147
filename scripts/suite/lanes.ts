/** Finds the test files and sorts them into lanes that run side by side. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join, relative } from "node:path";

import longFiles from "./long-files.json" with { type: "json" };

export interface Lane {
	name: "unit" | "programs" | "checks";
	files: string[];
	workers: number;
	/** Without isolation a worker loads each module once, not once per file: a fifth to a half of the CPU time. */
	isIsolated: boolean;
}

const testFile = /\.test\.tsx?$/;
const checksFolder = "test/architecture/";

/** Starting programs and serving: these tests wait, so that more of them than there are cores can run at once. */
const startsPrograms =
	/\bBun\.(?:spawn|spawnSync|serve|listen|connect|\$|Terminal)\b|\bspawn(?:Sync)?\(|\bneeds\(|\bcreateServer\(|\bnew Worker\(|\bawait \$`|"node:(?:child_process|net|http|https|dgram|worker_threads)"/;
/** A file that looks at what others leave behind in its process says so, with the reason. */
const isIsolated = /^\/\/ isolated: /m;
/** Whatever a file changes in its process, the next file of the same worker would see. */
const changesProcess =
	/\bprocess\.(?:env(?:\.\w+|\[[^\]]+\])\s*(?:\?\?)?=[^=]|chdir\(|umask\(|on\(|once\(|title\s*=|exitCode\s*=)|\bdelete process\.env|\bglobalThis(?:\.\w+|\[[^\]]+\])\s*=[^=]|\bObject\.(?:assign|defineProperty)\((?:process|globalThis)|\b(?:spyOn|setSystemTime|useFakeTimers|mock\.module|setDefaultTimeout)\(/;

/** The test files below a directory, sorted, as paths relative to it; `filters` are parts of their paths. */
export function testFiles(root: string, filters: readonly string[]): string[] {
	const wanted = filters.map((filter) => filter.replace(`${root}/`, "").replace(/^\.\//, ""));
	const found: string[] = [];
	const search = (folder: string): void => {
		for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
			const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
			if (entry.isDirectory() && !/^(?:\.|node_modules$|dist$)/.test(entry.name)) search(path);
			else if (entry.isFile() && testFile.test(entry.name)) found.push(path);
		}
	};
	search("");
	return found.filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part))).toSorted();
}

export function planLanes(root: string, files: readonly string[]): Lane[] {
	const sources = new Sources(root);
	const cores = availableParallelism();
	const by = Map.groupBy(files, (file): Lane["name"] => {
		if (file.startsWith(checksFolder)) return "checks";
		const texts = sources.ofTest(file);
		const marks = [startsPrograms, changesProcess, isIsolated];
		return texts.some((text) => marks.some((mark) => mark.test(text))) ? "programs" : "unit";
	});
	const lanes: Lane[] = [
		{ name: "programs", files: by.get("programs") ?? [], workers: 2 * cores, isIsolated: true },
		{ name: "unit", files: by.get("unit") ?? [], workers: cores, isIsolated: false },
		{ name: "checks", files: by.get("checks") ?? [], workers: 1, isIsolated: true },
	];
	return lanes.filter((lane) => lane.files.length > 0);
}

/** A guess for files that were never measured: what the long ones take, and the others by the number of their tests. */
export function estimateMs(root: string, { files, name }: Lane): Map<string, number> {
	const perTest = { unit: 5, programs: 300, checks: 500 }[name];
	const long: Readonly<Record<string, number | undefined>> = longFiles;
	return new Map(
		files.map((file) => {
			const seconds = long[file];
			if (seconds !== undefined) return [file, 1000 * seconds];
			const text = readFileSync(join(root, file), "utf8");
			return [file, perTest * (text.match(/\b(?:test|needs\([^)]*\))(?:\.\w+)*\(/g)?.length ?? 1)];
		}),
	);
}

/** Texts of test files and of the helpers that they import. Imports of what is tested do not count: it can do anything. */
class Sources {
	readonly #root: string;
	readonly #read = new Map<string, { text: string; helpers: string[] }>();

	constructor(root: string) {
		this.#root = root;
	}

	ofTest(file: string): string[] {
		const seen = new Set([file]);
		for (const path of seen) for (const helper of this.#of(path).helpers) seen.add(helper);
		return [...seen].map((path) => this.#of(path).text);
	}

	#of(path: string): { text: string; helpers: string[] } {
		return this.#read.getOrInsertComputed(path, () => {
			const absolute = join(this.#root, path);
			if (!statSync(absolute, { throwIfNoEntry: false })?.isFile()) return { text: "", helpers: [] };
			const text = readFileSync(absolute, "utf8");
			const helpers = [...text.matchAll(/\b(?:from|import)\s*\(?"(\.[^"]+)"/g)]
				.map(([, specifier = ""]) => relative(this.#root, join(dirname(absolute), specifier)))
				.filter((helper) => /(?:^test\/|\/testing\/|\.test\.)/.test(helper));
			return { text, helpers };
		});
	}
}
