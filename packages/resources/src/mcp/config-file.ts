/** Changes Tau's own files of MCP servers: `~/.tau/agent/mcp.json` and `.tau/mcp.json`. */
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

import { isRecord, parseFailure, shortenHome, waitForLock } from "@tau/utils";

import type { McpFiles } from "./manager.ts";
import { checkServerName, parseServer } from "./parse-config.ts";
import type { FoundServer } from "./types.ts";

interface ConfigFiles {
	user: string;
	project: string;
}

/** What the user decided about servers that other programs' files define. */
export interface ServerSwitches {
	disabled: readonly string[];
	enabled: readonly string[];
}

export function configFiles(files: ConfigFiles): McpFiles {
	const isOwn = ({ origin }: FoundServer): boolean =>
		origin.path === files.user || origin.path === files.project;
	return {
		async add(level, name, config) {
			const problem = checkServerName(name);
			const parsed = parseServer(config);
			if (problem !== undefined) throw new Error(problem);
			if (!parsed.ok) throw new Error(`Invalid server config: ${parsed.message}.`);
			changeServers(files[level], (servers) => {
				if (Object.hasOwn(servers, name))
					throw new Error(`Server "${name}" already exists in ${shortenHome(files[level])}.`);
				return { ...servers, [name]: config };
			});
		},
		async remove(server) {
			if (!isOwn(server))
				throw new Error(
					`"${server.name}" comes from ${shortenHome(server.origin.path)}, which Tau does not write. Use /mcp disable ${server.name}.`,
				);
			changeServers(server.origin.path, ({ [server.name]: _, ...rest }) => rest);
		},
		async setEnabled(server, isOn) {
			if (isOwn(server)) {
				changeServers(server.origin.path, (servers) => {
					const before = servers[server.name];
					const { enabled: _, disabled: __, ...rest } = isRecord(before) ? before : {};
					return { ...servers, [server.name]: isOn ? rest : { ...rest, enabled: false } };
				});
				return;
			}
			changeFile(files.user, (value) => {
				const { disabled, enabled } = switchesIn(value);
				const without = (names: readonly string[]): string[] => names.filter((name) => name !== server.name);
				return {
					...value,
					disabledServers: isOn ? without(disabled) : [...without(disabled), server.name],
					enabledServers: isOn ? [...without(enabled), server.name] : without(enabled),
				};
			});
		},
	};
}

export function readSwitches(file: string): ServerSwitches {
	try {
		return switchesIn(read(file));
	} catch {
		// Discovery reports a file that cannot be read.
		return { disabled: [], enabled: [] };
	}
}

function switchesIn({ disabledServers, enabledServers }: Record<string, unknown>): ServerSwitches {
	const names = (value: unknown): string[] =>
		Array.isArray(value) ? value.filter((name): name is string => typeof name === "string") : [];
	return { disabled: names(disabledServers), enabled: names(enabledServers) };
}

function changeServers(
	file: string,
	change: (servers: Record<string, unknown>) => Record<string, unknown>,
): void {
	changeFile(file, (value) => ({
		...value,
		mcpServers: change(isRecord(value.mcpServers) ? value.mcpServers : {}),
	}));
}

/** Written beside it and renamed: a reader sees the old file or the new one. Secrets may be in it. */
function changeFile(file: string, change: (value: Record<string, unknown>) => Record<string, unknown>): void {
	mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
	// Two processes may add a server at the same time.
	using _ = waitForLock(file);
	const next = change(read(file));
	const draft = `${file}.${process.pid}.tmp`;
	const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0o600;
	writeFileSync(draft, `${JSON.stringify(next, null, "\t")}\n`, { mode });
	renameSync(draft, file);
}

function read(file: string): Record<string, unknown> {
	if (!statSync(file, { throwIfNoEntry: false })) return {};
	const value = parse(readFileSync(file, "utf8"), file);
	if (!isRecord(value)) throw new Error(`${shortenHome(file)} is not a map.`);
	return value;
}

function parse(text: string, file: string): unknown {
	try {
		return Bun.JSONC.parse(text);
	} catch (error) {
		throw new Error(`${shortenHome(file)} is not valid JSON: ${parseFailure(error, text)}`, { cause: error });
	}
}
