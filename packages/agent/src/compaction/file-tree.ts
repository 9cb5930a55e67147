/** Writes the files of a conversation below its summary, grouped by directory, and removes such lists again. */
import { fileLists, type FileOperations } from "./file-ops.ts";
import { limits } from "./limits.ts";

const lists = /\s*<(files|read-files|modified-files)>[^]*?<\/\1>\s*/g;

/** Also removes the lists that pi and omp write. */
export function withoutFileTree(summary: string): string {
	return summary.replaceAll(lists, "\n\n").trim();
}

/** Empty if no file was touched. */
export function fileTree(operations: FileOperations): string {
	const { readFiles, modifiedFiles } = fileLists(operations);
	// Changed files matter more than files that were only read.
	const all = [...modifiedFiles, ...readFiles];
	if (all.length === 0) return "";
	const shown = all.slice(0, limits.listedFiles);
	const more = all.length - shown.length;
	const lines = [
		"<files>",
		...folded(shown, (path) => `${baseOf(path)} (${marker(path, operations)})`),
		...(more > 0 ? [`… (${more} more files omitted)`] : []),
		"</files>",
	];
	return lines.join("\n");
}

function marker(path: string, { read, written, edited }: FileOperations): string {
	if (!written.has(path) && !edited.has(path)) return "Read";
	return read.has(path) ? "RW" : "Write";
}

/** A directory below a listed one is shown by the rest of its path, one `#` deeper. */
function folded(paths: readonly string[], line: (path: string) => string): string[] {
	const byDirectory = Map.groupBy(paths.toSorted(), directoryOf);
	const open: string[] = [];
	return [...byDirectory.keys()].toSorted().flatMap((directory) => {
		while (open.length > 0 && !directory.startsWith(open.at(-1) ?? "")) open.pop();
		const rest = directory.slice((open.at(-1) ?? "").length);
		if (directory !== "") open.push(directory);
		const head = directory === "" ? [] : [`${"#".repeat(open.length)} ${rest}`];
		return [...head, ...(byDirectory.get(directory) ?? []).map(line)];
	});
}

/** The directory with its slash, so that `a/` is not a prefix of `ab/`. */
function directoryOf(path: string): string {
	return path.slice(0, path.lastIndexOf("/") + 1);
}

function baseOf(path: string): string {
	return path.slice(path.lastIndexOf("/") + 1);
}
