/** The locations and names of session files. */
import { basename, join, resolve, sep } from "node:path";

import { cutUtf8Bytes, dirs } from "@tau/utils";

import type { SessionHeader } from "../tree/entry.ts";
import { limits } from "../limits.ts";

export const sessionSuffix = ".jsonl";

/** `root` is the directory of all sessions. */
export function defaultSessionDir(cwd: string, root: string = dirs().sessions): string {
	return join(root, directoryName(resolve(cwd)));
}

/** Where pi and omp may store the sessions of a directory; omp leaves out the home directory in newer versions. */
export function foreignSessionDirs(cwd: string, home: string = dirs().home): string[] {
	const path = resolve(cwd);
	const inHome = path === home ? "" : path.startsWith(home + sep) ? path.slice(home.length + 1) : undefined;
	const names = [
		directoryName(path),
		...(inHome === undefined ? [] : [`-${inHome.replaceAll(/[/\\:]/g, "-")}`]),
	];
	const roots = [".pi/agent/sessions", ".pi/sessions", ".omp/agent/sessions"];
	return roots.flatMap((root) => names.map((name) => join(home, root, name)));
}

/** The directories of pi and omp, into which Tau never writes. */
export function isForeign(path: string): boolean {
	return path.split(sep).some((part) => part === ".pi" || part === ".omp");
}

/** Names sort by time. */
export function sessionFileName({ timestamp, id }: Pick<SessionHeader, "timestamp" | "id">): string {
	return `${timestamp.replaceAll(/[:.]/g, "-")}_${id}${sessionSuffix}`;
}

/** The header fields that can be taken from a file's name if the header is unreadable. */
export function fromFileName(path: string): { id?: string; timestamp?: string } {
	const match = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z_(.+)\.jsonl$/.exec(basename(path));
	if (!match) return {};
	const [, day = "", hour = "", minute = "", second = "", ms = "", id = ""] = match;
	return { id, timestamp: `${day}T${hour}:${minute}:${second}.${ms}Z` };
}

/** In the outputs of a session, while it is open: what its project was before the command that runs. */
export const baselineFolder = "baseline";

/** The directory for files of a session that are not in its log. */
export function artifactsDir(path: string): string {
	return path.endsWith(sessionSuffix) ? path.slice(0, -sessionSuffix.length) : `${path}.d`;
}

/** `/work/main` becomes `--work-main--`, as in the directories of pi and omp. */
function directoryName(cwd: string): string {
	const plain = cwd.replace(/^[/\\]/, "").replaceAll(/[/\\:]/g, "-");
	const name = `--${plain}--`;
	if (Buffer.byteLength(name) <= limits.fileNameBytes) return name;
	const tail = cutUtf8Bytes(Buffer.from(plain), limits.directoryTailBytes, "tail");
	return `--${Bun.hash(cwd).toString(36)}-${new TextDecoder().decode(tail)}--`;
}
