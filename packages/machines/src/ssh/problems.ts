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

/** What ssh says about a failed connection, with the way out. `target` is what follows `ssh`: `-p 2222 me@box`. */
export function explained(reason: string, target: string): string {
	if (reason.includes("HOST IDENTIFICATION HAS CHANGED")) {
		const [fingerprint = ""] = /SHA256:[\w+/=]+/.exec(reason) ?? [];
		const [remove = `ssh-keygen -R ${target.split(/[ @]/).at(-1)}`] = /ssh-keygen -f .*/.exec(reason) ?? [];
		return `Its host key has changed (now ${fingerprint}), so that somebody else may be answering in its place. Host key verification failed. If you know that the key was replaced, remove the old one with ${remove.trim()}, and connect again.`;
	}
	if (reason.includes("Host key verification failed"))
		return `${reason} The key of this host is not known, and was not accepted. To accept it, connect once with ssh ${target}.`;
	if (/Permission denied \(/.test(reason))
		return `${reason} Check that ssh ${target} works. A key with a passphrase needs an ssh-agent where nobody can be asked, as in print mode.`;
	return reason;
}

export function codedError(code: string, message: string): Error {
	return Object.assign(new Error(message), { code });
}
