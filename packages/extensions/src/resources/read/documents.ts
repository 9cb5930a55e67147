/** Lists rule and agent files without reading them; the code that uses them does. */
import { basename } from "node:path";

import type { NamedFile } from "../capabilities.ts";
import {
	discoveryLimits as limits,
	type Findings,
	type Origin,
	type Warning,
	infoOf,
	isInside,
	listFiles,
	realOf,
	type Listed,
} from "@tau/resources/discovery";

export interface DocumentLocation extends Omit<Origin, "path"> {
	/** A directory, or the file itself. */
	at: string;
	endings: readonly string[];
	deep: boolean;
	/** The real path that must contain a project's files, after links are resolved. */
	within?: string;
}

export function findDocuments(location: DocumentLocation): Findings<NamedFile> {
	const findings: Findings<NamedFile> = { items: [], warnings: [] };
	for (const { path, parts } of filesOf(location)) {
		const problem = problemOf(path, location.within);
		if (problem) findings.warnings.push(problem);
		else
			findings.items.push({
				name: parts.join("/"),
				path,
				origin: { source: location.source, level: location.level, path },
			});
	}
	return findings;
}

function filesOf({ at, endings, deep }: DocumentLocation): Listed[] {
	const info = infoOf(at);
	if (info?.isFile()) return [{ path: at, parts: [basename(at)] }];
	return info?.isDirectory() ? listFiles(at, { endings, deep }) : [];
}

function problemOf(path: string, within: string | undefined): Warning | undefined {
	const real = realOf(path);
	if (real === undefined) return { path, message: "the link is broken", isLeftOut: true };
	if (within !== undefined && !isInside(real, within))
		return { path, message: "it is a link that points outside the project", isLeftOut: true };
	const info = infoOf(real);
	if (info && info.size > limits.documentBytes)
		return {
			path,
			message: `has ${info.size} bytes; at most ${limits.documentBytes} are allowed`,
			isLeftOut: true,
		};
	return undefined;
}
