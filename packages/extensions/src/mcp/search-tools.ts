/** The tool by which the model finds the tools of servers; found ones are declared from the next request on. */
import type { SessionTool } from "@tau/session/run";
import type { ToolRegistry } from "@tau/tools/registry";
import { textResult } from "@tau/tools/tool";
import { isRecord, oneLine } from "@tau/utils";

import { limits } from "./limits.ts";
import prompt from "./search-tools.md" with { type: "text" };

export interface SearchParts {
	registry: ToolRegistry;
	servers: readonly string[];
	/** Waits for servers that are starting; returns what to say about those that are not there. */
	wait(query: string, signal: AbortSignal): Promise<readonly string[]>;
}

export function searchTools({ registry, servers, wait }: SearchParts): SessionTool {
	return {
		name: "search_tools",
		label: "Search tools",
		description: prompt.trim().replace("{{servers}}", () => listOf(servers)),
		parameters: {
			type: "object",
			properties: {
				query: { type: "string" },
				limit: { type: "integer", description: `default ${limits.foundDefault}` },
			},
			required: ["query"],
		},
		concurrency: "shared",
		approval: "read",
		touches: () => [],
		validate: (input) =>
			typeof input.query === "string"
				? { ok: true, value: { ...input } }
				: { ok: false, reason: "query: expected a string. Expected: query, limit." },
		async execute(_, { query, limit }, signal) {
			const notes = await wait(String(query), signal);
			const most = Math.min(Math.max(1, Number(limit) || limits.foundDefault), limits.found);
			const matches = registry.find(String(query)).slice(0, most);
			registry.reveal(matches.map(({ name }) => name));
			const lines = matches.map(
				(tool) =>
					`${tool.name}: ${oneLine(tool.description, limits.foundDescriptionChars)}${parametersOf(tool)}`,
			);
			const head = lines.length === 0 ? ["No tool matches."] : ["You can call these tools now:", ...lines];
			return textResult([...head, ...notes].join("\n"), { found: matches.map(({ name }) => name) });
		},
	};
}

/** The same in every request of a session, whatever the servers do: providers cache it. */
function listOf(servers: readonly string[]): string {
	let text = "";
	for (const [at, name] of servers.entries()) {
		const next = text === "" ? name : `${text}, ${name}`;
		if (next.length > limits.serverListChars) return `${text} and ${servers.length - at} more`;
		text = next;
	}
	return text;
}

function parametersOf({ parameters }: SessionTool): string {
	const properties = isRecord(parameters.properties) ? Object.keys(parameters.properties) : [];
	const required = new Set(Array.isArray(parameters.required) ? parameters.required : []);
	if (properties.length === 0) return "";
	return ` (${properties.map((name) => (required.has(name) ? name : `${name}?`)).join(", ")})`;
}
