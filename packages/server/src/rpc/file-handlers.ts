/** What a client that is not on the machine of the session sees of its files: names, and what the session works on. */
import { join } from "node:path";

import { artifactsDir } from "@tau/log";
import { workDirectories } from "@tau/session-commands/shared/attachments";
import { UserError } from "@tau/session/run";
import type { ToolEnv } from "@tau/tools/tool";

import type { RpcCommandOf } from "./commands.ts";
import type { CommandScope } from "./command-scope.ts";
import { limits } from "./limits.ts";
import type { RpcResults } from "./protocol.ts";

type FileCommand = "complete_path" | "read_path" | "get_file";

export const fileHandlers: {
	readonly [T in FileCommand]: (command: RpcCommandOf<T>, state: CommandScope) => Promise<RpcResults[T]>;
} = {
	async complete_path({ query, limit = limits.paths }, scope) {
		const { machine } = envOf(scope);
		const found = await Promise.all(
			rootsOf(scope).map(async (root, at) => {
				const most = Math.min(limit, limits.paths);
				const find = { root, query: query || ".", limit: most, hidden: true, cache: true };
				const paths = await machine.files.fuzzyFind({ ...find, signal: deadline() });
				// Those in the first directory are relative to it, as a user writes them.
				return paths.map(({ path }) => (at === 0 ? path : join(root, path)));
			}),
		);
		return { paths: found.flat().slice(0, limit) };
	},
	async read_path({ path, offset, limit }, scope) {
		const env = envOf(scope);
		const allowed = await allowedPath(path, scope);
		const { readForUser } = await import("@tau/tools/read");
		const { content, isError = false } = await readForUser(allowed, { offset, limit }, env, deadline());
		return { content, isError };
	},
	async get_file({ path }, scope) {
		const { files } = envOf(scope).machine;
		const allowed = await allowedPath(path, scope);
		const info = await files.stat(allowed);
		if (info?.kind !== "file") throw new UserError(`There is no file ${path}.`);
		const bytes = await files.read(allowed, { signal: deadline(), maxBytes: limits.fileBytes });
		return { data: bytes.toBase64(), size: bytes.length };
	},
};

function envOf({ commands }: CommandScope): ToolEnv {
	if (!commands) throw new UserError("This session does not show files to clients.");
	return commands.env();
}

function deadline(): AbortSignal {
	return AbortSignal.timeout(limits.fileMs);
}

function rootsOf({ host }: CommandScope): string[] {
	return workDirectories(host.log.getCwd(), host.settings);
}

/**
 * The path without links, if it is where the session works or where its own files are: a page must not be led to the
 * keys of the home directory by what a model has written. Throws the reason.
 */
async function allowedPath(path: string, scope: CommandScope): Promise<string> {
	const env = envOf(scope);
	const { files } = env.machine;
	const real = await files.realpath(env.resolve(path)).catch(() => undefined);
	if (real === undefined) throw new UserError(`There is no file ${path}.`);
	const own = scope.host.log.getSessionFile();
	const roots = [...rootsOf(scope), ...(own === undefined ? [] : [artifactsDir(own)])];
	const resolved = await Promise.all(roots.map((root) => files.realpath(root).catch(() => undefined)));
	const isAllowed = resolved.some(
		(root) => root !== undefined && (real === root || real.startsWith(`${root}/`)),
	);
	if (!isAllowed) throw new UserError(`${path} is not in a directory that the session works in.`);
	return real;
}
