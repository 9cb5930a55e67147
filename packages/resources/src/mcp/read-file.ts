/** Reads the MCP servers out of the settings of any program: JSON with comments, or TOML. */
import { isRecord, parseFailure, stripControls } from "@tau/utils";

import { errorLine } from "../discovery/error-line.ts";
import { limits } from "../discovery/limits.ts";
import type { Warning } from "../discovery/types.ts";
import { readText } from "../discovery/walk.ts";
import { inputsOf } from "./inputs.ts";
import { checkServerName, parseServer } from "./parse-config.ts";
import type { McpServerConfig } from "./types.ts";

export interface ServersInFile {
	servers: { name: string; config: McpServerConfig }[];
	warnings: Warning[];
}

/** In the keys of a file that has servers for each project, the place of the project's path. */
const projectKey = "<project>";

/** `keys`: the first that exists holds the servers; `a/b` is the key `b` of the group `a`. */
export function readServers(path: string, keys: readonly string[], project = ""): ServersInFile {
	const read = readText(path, limits.configBytes);
	if (!read) return { servers: [], warnings: [] };
	if (!read.ok) return leftOut(path, read.message);
	const parsed = parse(path, read.text);
	if (!parsed.ok) return leftOut(path, parsed.message, parsed.line);
	const key = keys.find((one) => valueAt(parsed.value, one, project) !== undefined);
	if (key === undefined) return { servers: [], warnings: [] };
	const map = valueAt(parsed.value, key, project);
	// In VS Code's files they are beside the servers: `inputs`, `mcp.inputs`, or `inputs` in the group `mcp`.
	const inputs = valueAt(parsed.value, key.replace(/[^/.]*$/, "inputs"), project);
	if (!isRecord(map)) return leftOut(path, `${keys[0]} is not a map of servers`);
	const found: ServersInFile = { servers: [], warnings: [] };
	for (const [given, raw] of Object.entries(map).slice(0, limits.perDirectory)) {
		const name = stripControls(given, { newline: false, tab: false });
		const warn = (message: string, isLeftOut: boolean): void =>
			void found.warnings.push({ path, message, isLeftOut });
		const problem = checkServerName(given);
		const server = parseServer(raw);
		if (problem !== undefined) warn(`${name}: ${problem}`, true);
		else if (!server.ok) warn(`${name}: ${server.message}`, true);
		else {
			const { enabled } = server.config;
			const config = {
				...server.config,
				...inputsOf(raw, inputs),
				enabled: enabled && mayRun(parsed.value, name),
			};
			found.servers.push({ name, config });
			for (const message of server.warnings) warn(`${name}: ${message}`, false);
		}
	}
	return found;
}

/** Gemini lists the servers that run, or those that do not. */
function mayRun(file: unknown, name: string): boolean {
	const [allowed, excluded] = ["mcp/allowed", "mcp/excluded"].map((key) => valueAt(file, key, ""));
	if (Array.isArray(excluded) && excluded.includes(name)) return false;
	return !Array.isArray(allowed) || allowed.length === 0 || allowed.includes(name);
}

type Parsed = { ok: true; value: unknown } | { ok: false; message: string; line?: number };

function parse(path: string, text: string): Parsed {
	const isToml = path.endsWith(".toml");
	try {
		return { ok: true, value: isToml ? Bun.TOML.parse(text) : parseJson(text) };
	} catch (error) {
		const line = errorLine(text, isToml ? Bun.TOML.parse : Bun.JSONC.parse);
		const message = parseFailure(error, text);
		return { ok: false, message, ...(line === undefined ? {} : { line }) };
	}
}

/** The fast way first: most files have no comments, and some are megabytes. */
function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		// This parser accepts comments and trailing commas, and reports other errors with their position.
		return Bun.JSONC.parse(text);
	}
}

function valueAt(value: unknown, path: string, project: string): unknown {
	return path
		.split("/")
		.reduce((at, key) => (isRecord(at) ? at[key === projectKey ? project : key] : undefined), value);
}

function leftOut(path: string, message: string, line?: number): ServersInFile {
	const warning: Warning = { path, message, isLeftOut: true, ...(line === undefined ? {} : { line }) };
	return { servers: [], warnings: [warning] };
}
