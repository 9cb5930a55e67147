/** Lists files that are only named here: rules and agents. Whoever uses them reads them. */
import { stat } from "node:fs/promises";
import { basename, sep } from "node:path";

import type { NamedFile } from "../capabilities.ts";
import { limits } from "../limits.ts";
import type { Findings, Origin, Warning } from "../types.ts";
import { listFiles, realOf, type Listed } from "../walk.ts";

export interface DocumentPlace extends Omit<Origin, "path"> {
	/** A directory, or the file itself. */
	at: string;
	endings: readonly string[];
	deep: boolean;
	/** Where files of a project must really lie, whatever links say. */
	within?: string;
}

export async function findDocuments(place: DocumentPlace): Promise<Findings<NamedFile>> {
	const found: Findings<NamedFile> = { items: [], warnings: [] };
	const root = place.within === undefined ? undefined : await realOf(place.within);
	for (const { path, parts } of await filesOf(place)) {
		const problem = await problemOf(path, root);
		if (problem) found.warnings.push(problem);
		else
			found.items.push({
				name: parts.join("/"),
				path,
				origin: { source: place.source, level: place.level, path },
			});
	}
	return found;
}

async function filesOf({ at, endings, deep }: DocumentPlace): Promise<Listed[]> {
	const info = await stat(at).catch(() => undefined);
	if (info?.isFile()) return [{ path: at, parts: [basename(at)] }];
	return info?.isDirectory() ? listFiles(at, { endings, deep }) : [];
}

async function problemOf(path: string, root: string | undefined): Promise<Warning | undefined> {
	const real = await realOf(path);
	if (real === undefined) return { path, message: "the link leads nowhere", isLeftOut: true };
	if (root !== undefined && !real.startsWith(root.endsWith(sep) ? root : root + sep))
		return { path, message: "it is a link that leads out of the project", isLeftOut: true };
	const info = await stat(real).catch(() => undefined);
	if (info && info.size > limits.documentBytes)
		return {
			path,
			message: `has ${info.size} bytes; ${limits.documentBytes} are allowed`,
			isLeftOut: true,
		};
	return undefined;
}
