/** Makes errors of this process out of what programs on another machine print about theirs, in English. */

/** In the order in which they are looked for. */
const codes: readonly [RegExp, string][] = [
	[/No such file or directory|nonexistent/i, "ENOENT"],
	[/Permission denied/i, "EACCES"],
	[/Operation not permitted/i, "EPERM"],
	[/Not a directory/i, "ENOTDIR"],
	[/Is a directory/i, "EISDIR"],
	[/Read-only file system/i, "EROFS"],
	[/No space left/i, "ENOSPC"],
	[/quota exceeded/i, "EDQUOT"],
	[/File exists/i, "EEXIST"],
];

export function remoteError(printed: Uint8Array | string): Error {
	const text = (typeof printed === "string" ? printed : Buffer.from(printed).toString("utf8")).trim();
	const code = codes.find(([pattern]) => pattern.test(text))?.[1];
	const message = text.split("\n").at(-1) || "it failed on the other machine";
	return Object.assign(new Error(message), code === undefined ? {} : { code });
}

export function codedError(code: string, message: string): Error {
	return Object.assign(new Error(message), { code });
}
