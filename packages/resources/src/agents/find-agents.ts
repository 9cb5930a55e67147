/** Reads the types of agents that users and projects have written: `agents/*.md`. */
import { agentTypeFrom, type AgentType } from "@tau/tools/task";

import { parseDocument } from "../discovery/frontmatter.ts";
import { limits } from "../discovery/limits.ts";
import { nothing, together, type Discovered, type Findings, type Warning } from "../discovery/types.ts";
import { readText } from "../discovery/walk.ts";

export interface AgentFile extends Discovered {
	path: string;
	type: AgentType;
}

export interface ListedFile extends Discovered {
	path: string;
}

/** `listed` are the files of a directory. */
export function readAgents({ items, warnings }: Findings<ListedFile>): Findings<AgentFile> {
	return together([{ items: [], warnings }, ...items.map(readAgent)]);
}

function readAgent({ name: fileName, path, origin }: ListedFile): Findings<AgentFile> {
	const read = readText(path, limits.documentBytes);
	if (!read) return nothing();
	if (!read.ok) return leftOut(path, read.message);
	const { fields, body, problem } = parseDocument(read.text);
	// A file without frontmatter beside agents is a README.
	if (Object.keys(fields).length === 0 && !problem) return nothing();
	const name = fileName.replace(/\.(?:agent\.)?md$/, "");
	const parsed = agentTypeFrom(fields, body, { name, path });
	if (!parsed.ok) return leftOut(path, parsed.problem);
	const { type, notes } = parsed;
	return {
		items: [{ name: type.name, path, origin, type }],
		warnings: [
			...(problem ? [{ path, ...problem, isLeftOut: false }] : []),
			...notes.map((message) => ({ path, message, isLeftOut: false })),
		],
	};
}

function leftOut(path: string, message: string): Findings<AgentFile> {
	const warning: Warning = { path, message, isLeftOut: true };
	return { items: [], warnings: [warning] };
}
