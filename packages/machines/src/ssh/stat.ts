/** Reads the facts that `stat` prints on another machine. */
import type { FileFacts } from "@tau/sys";

export interface RemoteStat {
	/** With the kind of the file. */
	readonly mode: number;
	readonly size: number;
	readonly mtimeMs: number;
	readonly links: number;
	readonly uid: number;
	readonly gid: number;
}

/** The fields of `S` in files.sh. */
export function parseStat(line: string): RemoteStat {
	const [mode = "0", , size = "0", modified = "0", , links = "1", uid = "0", gid = "0"] = line.split(/\s+/);
	return {
		mode: Number.parseInt(mode, 16),
		size: Number(size),
		mtimeMs: Number(modified) * 1000,
		links: Number(links),
		uid: Number(uid),
		gid: Number(gid),
	};
}

const kinds: Readonly<Record<number, FileFacts["kind"]>> = {
	0o100000: "file",
	0o040000: "directory",
	0o120000: "link",
};

export function factsIn(line: string): FileFacts {
	const { mode, size, mtimeMs } = parseStat(line);
	return { kind: kinds[mode & 0o170000] ?? "other", size, mtimeMs };
}
