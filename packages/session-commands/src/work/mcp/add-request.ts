/** A server that the user adds in one line: `/mcp add name --url …`, `tau mcp add name -- command …`. */
import { isRecord } from "@tau/utils";

export interface AddRequest {
	name: string;
	level: "user" | "project";
	/** The program and its arguments. */
	command: readonly string[];
	url?: string | undefined;
	/** Sent as `Authorization: Bearer …`. */
	token?: string | undefined;
	transport?: string | undefined;
	/** `Name: value` or `Name=value`. */
	headers: readonly string[];
	/** `NAME=value`. */
	env: readonly string[];
	timeoutMs?: number | undefined;
	alwaysLoad?: boolean | undefined;
}

export interface ServerToAdd {
	name: string;
	level: "user" | "project";
	config: Record<string, unknown>;
}

/** Throws what is wrong with it, for the user. */
export function serverToAdd(request: AddRequest): ServerToAdd {
	const { name, level, token, transport, headers, env, timeoutMs, alwaysLoad } = request;
	const { url, command } = addressOf(request);
	if (url !== undefined && command.length > 0)
		throw new Error("Use either --url or -- <command...>, not both.");
	if (url === undefined && token !== undefined)
		throw new Error("--token requires --url (HTTP/SSE transport).");
	if (url === undefined && headers.length > 0) throw new Error("--header requires --url.");
	if (url !== undefined && env.length > 0) throw new Error("--env requires a command.");
	if (url === undefined && command.length === 0)
		throw new Error(`Give a --url, or a command: add ${name} -- npx -y some-mcp-server`);
	const more = {
		...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
		...(alwaysLoad ? { alwaysLoad: true } : {}),
	};
	if (url !== undefined) {
		if (!URL.canParse(url)) throw new Error(`Invalid server config: "${url}" is not a URL.`);
		const sent = { ...pairs(headers, /[:=]/), ...(token ? { Authorization: `Bearer ${token}` } : {}) };
		const type = transport ?? "http";
		return { name, level, config: { type, url, ...unlessEmpty("headers", sent), ...more } };
	}
	const [program = "", ...args] = command;
	const config = { command: program, ...(args.length > 0 ? { args } : {}) };
	return { name, level, config: { ...config, ...unlessEmpty("env", pairs(env, /=/)), ...more } };
}

/** An address in the place of the command is an address. */
function addressOf({ url, command }: AddRequest): Pick<AddRequest, "url" | "command"> {
	const [first, ...rest] = command;
	const isAddress = first !== undefined && rest.length === 0 && /^https?:\/\//.test(first);
	return url === undefined && isAddress ? { url: first, command: [] } : { url, command };
}

function pairs(texts: readonly string[], separator: RegExp): Record<string, string> {
	return Object.fromEntries(
		texts.map((text) => {
			const at = text.search(separator);
			if (at <= 0) throw new Error(`"${text}" has no value: use NAME=value.`);
			return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
		}),
	);
}

function unlessEmpty(key: string, value: Record<string, string>): Record<string, unknown> {
	return Object.keys(value).length > 0 ? { [key]: value } : {};
}

/** The flags of a line, by their names. */
const valued = ["url", "token", "transport", "header", "env", "timeout"] as const;
type Valued = (typeof valued)[number];

/** Reads the words after `add`; throws what is wrong with them. */
export function readAddRequest(words: readonly string[]): AddRequest {
	const values = new Map<Valued, string[]>();
	const plain: string[] = [];
	let level: AddRequest["level"] = "user";
	let alwaysLoad = false;
	const rest = [...words];
	for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
		if (word === "--") plain.push(...rest.splice(0));
		else if (word === "--project") level = "project";
		else if (word === "--always-load") alwaysLoad = true;
		else if (word.startsWith("--") && plain.length < 2) {
			const [flag = "", inline] = word.slice(2).split(/=(.*)/s);
			const name = valued.find((each) => each === flag);
			if (!name) throw new Error(`Unknown flag --${flag}.`);
			const value = inline ?? rest.shift();
			if (value === undefined) throw new Error(`--${flag} needs a value.`);
			values.set(name, [...(values.get(name) ?? []), value]);
		} else plain.push(word);
	}
	const [name = "", ...command] = plain;
	if (name === "") throw new Error("Give the server a name.");
	const last = (flag: Valued): string | undefined => values.get(flag)?.at(-1);
	return {
		name,
		level,
		command,
		url: last("url"),
		token: last("token"),
		transport: last("transport"),
		headers: values.get("header") ?? [],
		env: values.get("env") ?? [],
		timeoutMs: timeoutOf(last("timeout")),
		alwaysLoad,
	};
}

export function timeoutOf(text: string | undefined): number | undefined {
	if (text === undefined) return undefined;
	const ms = Number(text);
	if (Number.isFinite(ms) && ms > 0) return ms;
	throw new Error(`--timeout ${text} is not a number of milliseconds.`);
}

/** What a user pastes instead of typing: one server as other programs' files have it. */
export function serverInJson(text: string): { name: string | undefined; config: Record<string, unknown> } {
	const value: unknown = Bun.JSONC.parse(text);
	const servers = isRecord(value) ? (value.mcpServers ?? value.servers ?? value) : undefined;
	if (!isRecord(servers)) throw new Error("That is not the JSON of a server.");
	if ("command" in servers || "url" in servers) return { name: undefined, config: servers };
	const [[name, config] = [], ...others] = Object.entries(servers);
	if (name === undefined || !isRecord(config) || others.length > 0)
		throw new Error("Paste the JSON of exactly one server.");
	return { name, config };
}
