/** Says which files a call of a built-in tool reads or changes. */
import type { FileAccess, FileOperations } from "@tau/agent";

const byPath: Readonly<Partial<Record<string, keyof FileOperations>>> = {
	read: "read",
	write: "written",
	edit: "edited",
	notebook: "edited",
};

/** The lines of a patch that name a file. */
const patched = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm;

export const fileAccess: FileAccess = ({ name, arguments: args }) => {
	const kind = byPath[name];
	if (!kind) return [];
	const { path } = args;
	if (typeof path === "string") return isFile(path) ? [{ kind, path }] : [];
	return Object.values(args)
		.filter((value) => typeof value === "string")
		.flatMap((text) => Array.from(text.matchAll(patched), ([, file = ""]) => ({ kind, path: file.trim() })));
};

/** What has a scheme is a page, an artifact or the like. */
function isFile(path: string): boolean {
	return path !== "" && !path.includes("\n") && !/^\w[\w+.-]*:\/\//.test(path);
}
