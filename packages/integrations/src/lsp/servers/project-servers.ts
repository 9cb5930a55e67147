/** The servers that a project would use, by the files that it has: for the user, who decides what to install. */
import { basename, extname, join } from "node:path";

import type { MachineFiles } from "@tau/sys";
import type { Env } from "@tau/utils";

import { findProgram, findRoot, languageOf } from "./locate.ts";
import { serverRows } from "./own-rows.ts";
import type { ServerRow } from "./server-row.ts";

export interface ProjectServer {
	readonly name: string;
	/** How many files of the project it understands. */
	readonly files: number;
	/** As the protocol names them, the most frequent first. */
	readonly languages: readonly string[];
	/** Absent if it is not installed. */
	readonly command?: readonly string[];
	/** The command that installs it; empty for one that the user has named. */
	readonly install: string;
}

export interface ProjectParts {
	files: Pick<MachineFiles, "glob" | "stat" | "list" | "read">;
	/** The root of the project. */
	root: string;
	env: Env;
	/** The setting `lsp.servers`. */
	servers: Readonly<Record<string, unknown>>;
	signal: AbortSignal;
}

/** For each language the installed server, or else the one that is recommended; linters where the project has their configuration. */
export async function projectServers({
	files,
	root,
	env,
	servers,
	signal,
}: ProjectParts): Promise<ProjectServer[]> {
	const { entries } = await files.glob({ pattern: "**/*", root, signal, cache: true });
	const samples = new Map<string, { path: string; count: number }>();
	for (const { path, kind } of entries) {
		if (kind !== "file") continue;
		// Whole names such as Dockerfile matter where there is no extension.
		const key = extname(path) || basename(path);
		const known = samples.get(key);
		samples.set(key, { path: known?.path ?? join(root, path), count: (known?.count ?? 0) + 1 });
	}
	const found: ProjectServer[] = [];
	const served = new Set<string>();
	const rows = serverRows(servers).rows;
	const all = await Promise.all(
		rows.map((row) => serverOf(row, [...samples.values()], { files, root, env })),
	);
	// Installed ones first: they make others of the same language unnecessary.
	for (const isInstalled of [true, false]) {
		for (const [at, server] of all.entries()) {
			if (!server || (server.command !== undefined) !== isInstalled) continue;
			const isLinter = rows[at]?.isLinter === true;
			if (!isLinter && server.languages.every((language) => served.has(language))) continue;
			if (!isLinter) for (const language of server.languages) served.add(language);
			found.push(server);
		}
	}
	return found.toSorted((a, b) => b.files - a.files);
}

async function serverOf(
	row: ServerRow,
	samples: readonly { path: string; count: number }[],
	{ files, root, env }: Pick<ProjectParts, "files" | "root" | "env">,
): Promise<ProjectServer | undefined> {
	const known = samples.filter(({ path }) => languageOf(row, path) !== undefined);
	const [first] = known.toSorted((a, b) => b.count - a.count);
	if (!first) return undefined;
	if (row.onlyWithRoot && (await findRoot(files, row, first.path, root)) === undefined) return undefined;
	const command = await findProgram(files, row, root, env);
	// It comes with a package that the project does not have: nothing to install for its own sake.
	if (!command && row.ownPackage) return undefined;
	const languages = known
		.toSorted((a, b) => b.count - a.count)
		.flatMap(({ path }) => languageOf(row, path) ?? []);
	return {
		name: row.name,
		files: known.reduce((sum, { count }) => sum + count, 0),
		languages: [...new Set(languages)],
		install: row.install,
		...(command ? { command } : {}),
	};
}
