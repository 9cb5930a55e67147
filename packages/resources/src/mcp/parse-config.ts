/** Reads the definition of a server as any of the known programs writes it. */
import { isRecord } from "@tau/utils";

import { limits } from "./limits.ts";
import type { McpAuth, McpServerConfig, McpTransport } from "./types.ts";

export type ParsedServer =
	{ ok: true; config: McpServerConfig; warnings: readonly string[] } | { ok: false; message: string };

type Raw = Readonly<Record<string, unknown>>;

export function checkServerName(name: string): string | undefined {
	if (name === "") return "Invalid server config: a server needs a name.";
	if (name.length > limits.serverNameChars)
		return `Invalid server config: the name of a server has at most ${limits.serverNameChars} characters.`;
	if (!/^[\w.-]+$/.test(name))
		return "Invalid server config: the name of a server consists of letters, digits, and _ . -";
	// A rule for the server `x` is `mcp__x`, and means every tool whose name begins with `mcp__x__`.
	return /__|_$/.test(name)
		? "Invalid server config: the name of a server has no two _ in a row and none at its end, because rules could mistake it for another."
		: undefined;
}

export function parseServer(raw: unknown): ParsedServer {
	if (!isRecord(raw)) return { ok: false, message: "it is not a map" };
	const [command, ...ownArgs] = commandOf(raw);
	const address = text(raw.url) ?? text(raw.httpUrl) ?? text(raw.serverUrl);
	if (command !== undefined && address !== undefined)
		return { ok: false, message: "it has both a command and a url" };
	const transport = transportOf(raw, command, address);
	if (transport === undefined)
		return { ok: false, message: `unknown type ${JSON.stringify(raw.type ?? raw.transport)}` };
	if (transport === "stdio" && command === undefined)
		return {
			ok: false,
			message: address === undefined ? "it has neither a command nor a url" : "type stdio needs a command",
		};
	if (transport !== "stdio" && address === undefined)
		return { ok: false, message: `type ${transport} needs a url` };
	const warnings: string[] = [];
	return {
		ok: true,
		warnings,
		config: {
			transport,
			...(transport === "stdio"
				? {
						...(command === undefined ? {} : { command }),
						args: [...ownArgs, ...texts(raw.args)],
						env: { ...fromVariables(raw.env_vars), ...record(raw.env ?? raw.environment) },
						...optional("envFile", text(raw.envFile)),
						...optional("cwd", text(raw.cwd)),
					}
				: { ...optional("url", address), headers: headersOf(raw) }),
			enabled: enabledOf(raw, warnings),
			...optional("timeoutMs", timeoutOf(raw, warnings)),
			...optional("startTimeoutMs", startTimeoutOf(raw)),
			alwaysLoad: raw.alwaysLoad === true,
			...optional(
				"enabledTools",
				list(raw.enabledTools ?? raw.enabled_tools ?? raw.includeTools ?? raw.tools),
			),
			...optional("disabledTools", list(raw.disabledTools ?? raw.disabled_tools ?? raw.excludeTools)),
			trust: raw.trust === true,
			...optional("auth", authOf(raw)),
		},
	};
}

/** OpenCode has the whole command as a list. */
function commandOf(raw: Raw): string[] {
	if (Array.isArray(raw.command)) return texts(raw.command);
	const command = text(raw.command);
	return command === undefined ? [] : [command];
}

const types: Readonly<Record<string, McpTransport>> = {
	stdio: "stdio",
	local: "stdio",
	http: "http",
	remote: "http",
	"streamable-http": "http",
	streamableHttp: "http",
	streamable_http: "http",
	sse: "sse",
};

function transportOf(
	raw: Raw,
	command: string | undefined,
	address: string | undefined,
): McpTransport | undefined {
	const named = raw.type ?? raw.transport;
	if (named !== undefined && named !== null) {
		const type = typeof named === "string" ? types[named] : undefined;
		return type;
	}
	return command !== undefined || address === undefined ? "stdio" : "http";
}

/** Codex names variables that hold secrets instead of the secrets. */
function headersOf(raw: Raw): Record<string, string> {
	const bearer = text(raw.bearer_token_env_var);
	const named = Object.entries(record(raw.env_http_headers)).map(([name, variable]) => [
		name,
		`\${${variable}}`,
	]);
	return {
		...record(raw.http_headers),
		...Object.fromEntries(named),
		...record(raw.headers),
		...(bearer === undefined ? {} : { Authorization: `Bearer \${${bearer}}` }),
	};
}

function fromVariables(names: unknown): Record<string, string> {
	return Object.fromEntries(texts(names).map((name) => [name, `\${${name}}`]));
}

function enabledOf(raw: Raw, warnings: string[]): boolean {
	const { enabled, disabled } = raw;
	if (enabled !== undefined && typeof enabled !== "boolean")
		warnings.push("enabled is not true or false; it is ignored");
	return enabled !== false && disabled !== true;
}

/** In milliseconds, except in Codex. */
function timeoutOf(raw: Raw, warnings: string[]): number | undefined {
	const seconds = positive(raw.tool_timeout_sec);
	if (seconds !== undefined) return seconds * 1_000;
	const given = raw.timeout ?? raw.timeoutMs;
	if (given !== undefined && positive(given) === undefined)
		warnings.push("timeout is not a number of milliseconds; it is ignored");
	return positive(given);
}

function startTimeoutOf(raw: Raw): number | undefined {
	const seconds = positive(raw.startup_timeout_sec);
	return seconds === undefined ? positive(raw.startup_timeout_ms ?? raw.startTimeout) : seconds * 1_000;
}

/** Claude Code and OpenCode have `oauth`, omp and Tau `auth`. */
function authOf(raw: Raw): McpAuth | undefined {
	const auth = raw.auth ?? raw.oauth;
	if (auth === false) return { isOff: true };
	if (!isRecord(auth)) return undefined;
	const scope = text(auth.scope) ?? (texts(auth.scopes).join(" ") || undefined);
	return {
		...optional("clientId", text(auth.clientId)),
		...optional("clientSecret", text(auth.clientSecret)),
		...optional("scope", scope),
		...optional("callbackPort", positive(auth.callbackPort ?? auth.redirectPort)),
		...optional("clientMetadataUrl", text(auth.clientMetadataUrl)),
		...optional("credentialId", text(auth.credentialId)),
	};
}

function optional<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
	return (value === undefined ? {} : { [key]: value }) as { [P in K]?: V };
}

function text(value: unknown): string | undefined {
	return typeof value === "string" && value !== "" ? value : undefined;
}

function texts(value: unknown): string[] {
	return Array.isArray(value)
		? value.flatMap((one) => (typeof one === "string" ? [one] : typeof one === "number" ? [String(one)] : []))
		: [];
}

function list(value: unknown): string[] | undefined {
	return Array.isArray(value) ? texts(value) : undefined;
}

function record(value: unknown): Record<string, string> {
	if (!isRecord(value)) return {};
	return Object.fromEntries(
		Object.entries(value).flatMap(([key, one]) =>
			typeof one === "string" || typeof one === "number" || typeof one === "boolean"
				? [[key, String(one)]]
				: [],
		),
	);
}

function positive(value: unknown): number | undefined {
	return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : undefined;
}
