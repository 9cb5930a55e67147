/** Finds the test files and sorts them into lanes that run side by side. */
import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";

export interface Lane {
	name: "shared" | "isolated" | "checks";
	files: string[];
	workers: number;
	/** Without isolation a worker loads and optimizes each module once, not once per file: 40 % less CPU time. */
	isIsolated: boolean;
}

const testFile = /\.test\.tsx?$/;
const checksFolder = "test/architecture/";

/** A file that looks at what others leave behind in its process says so, with the reason. */
const asksForIsolation = /^\/\/ isolated: /m;
/** Whatever a file changes in its process, the next file of the same worker would see. Helpers undo what they change. */
const changesProcess =
	/\bprocess\.(?:env(?:\.\w+|\[[^\]]+\])\s*(?:\?\?)?=[^=]|chdir\(|umask\(|on\(|once\(|title\s*=|exitCode\s*=)|\bdelete process\.env|\bglobalThis(?:\.\w+|\[[^\]]+\])\s*=[^=]|\bObject\.(?:assign|defineProperty)\((?:process|globalThis)|\b(?:spyOn|setSystemTime|useFakeTimers|mock\.module)\(/;

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
	const cores = availableParallelism();
	const half = Math.ceil(cores / 2);
	const by = Map.groupBy(files, (file): Lane["name"] => {
		if (file.startsWith(checksFolder)) return "checks";
		const text = readFileSync(join(root, file), "utf8");
		return changesProcess.test(text) || asksForIsolation.test(text) ? "isolated" : "shared";
	});
	const lanes: Lane[] = [
		// Most files wait for programs, so that more of them than there are cores can run at once. Three per core use the rest
		// of the CPU time, and bounds of the product (5 s for a schema) are reached then. This lane is the longest by far: what
		// the isolated one gives up makes it shorter.
		{ name: "shared", files: by.get("shared") ?? [], workers: 2 * cores + half, isIsolated: false },
		{ name: "isolated", files: by.get("isolated") ?? [], workers: half, isIsolated: true },
		// They read all sources, and one process reads them once.
		{ name: "checks", files: by.get("checks") ?? [], workers: 1, isIsolated: false },
	];
	return lanes.filter((lane) => lane.files.length > 0);
}

/** A file that takes long says so: in a new clone nothing else tells that it has to start first. */
const takesLong = /^\/\/ takes (\d+) s$/m;
const startsPrograms = /\b(?:launch|openTau|startRpc|needs|Bun\.(?:spawn|serve))\(/;
const perTestMs = { withPrograms: 300, without: 5 };

/** A guess for files that were never measured: what they say, or else by the number of their tests. */
export function estimateMs(root: string, files: readonly string[]): Map<string, number> {
	return new Map(
		files.map((file) => {
			const text = readFileSync(join(root, file), "utf8");
			const [, seconds] = takesLong.exec(text) ?? [];
			if (seconds !== undefined) return [file, 1000 * Number(seconds)];
			const tests = text.match(/\b(?:test|needs\([^)]*\))(?:\.\w+)*\(/g)?.length ?? 1;
			return [file, tests * (startsPrograms.test(text) ? perTestMs.withPrograms : perTestMs.without)];
		}),
	);
}
