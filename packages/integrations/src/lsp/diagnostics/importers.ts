/** Finds files that seem to import a changed one, by its name in their imports: they may break with it. */
import { basename, dirname, extname } from "node:path";

import type { MachineFiles } from "@tau/sys";

import type { LanguageServer } from "../client/language-server.ts";
import { limits } from "../limits.ts";

/** Files that stand for their directory: others import it by the name of that. */
const indexNames = new Set(["index", "__init__", "mod", "lib", "main"]);

/** The files that were looked at already: what imports them is open since then. */
const searched = new WeakMap<LanguageServer, Set<string>>();

/** Opens them in the server, within a moment; once for each changed file. */
export async function openImporters(
	server: LanguageServer,
	path: string,
	files: Pick<MachineFiles, "search">,
	signal: AbortSignal,
): Promise<void> {
	const known = searched.get(server) ?? new Set();
	searched.set(server, known);
	// A server that only publishes may never say that a file is fine: waiting for that would hold up the rest.
	if (known.has(path) || !server.pullOptions) return;
	known.add(path);
	const found = new Set<string>();
	const endings = Object.keys(server.row.files).filter((name) => name.startsWith("."));
	const options = {
		pattern: patternOf(path),
		paths: [server.root],
		cwd: server.root,
		globs: [`*{${endings.join(",")}}`],
		nodeModules: false,
		maxPerFile: 1,
		maxMatches: limits.dependants,
		timeoutMs: limits.importersMs,
		signal,
	};
	await files.search(options, (event) => {
		if (event.type === "match" && event.path !== path) found.add(event.path);
	});
	for (const importer of found) await server.sync(importer).catch(() => {});
}

/** An import with the name as a word, or the name at the end of a path in quotes. */
function patternOf(path: string): string {
	const stem = basename(path, extname(path));
	const name = indexNames.has(stem) ? basename(dirname(path)) : stem;
	const quoted = name.replaceAll(/[^\w]/g, (character) => `\\${character}`);
	const words = "import|from|require|use|using|include|mod|export|load";
	return `\\b(${words})\\b.*\\b${quoted}\\b|["'/]${quoted}(\\.\\w+)?["'>]`;
}
