/** Fills in what a definition leaves open: variables, secrets that commands print, directories. */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, resolve } from "node:path";

import { commandEnvironment, runProgram } from "@tau/sys";
import { expandHome, parseDotenv, registerSecret, type Env } from "@tau/utils";

import { readText } from "../discovery/walk.ts";
import { limits } from "./limits.ts";
import type { FoundServer, McpAuth, McpServerConfig } from "./types.ts";

export interface ResolvedServer {
	readonly transport: McpServerConfig["transport"];
	readonly command: readonly [program: string, ...args: string[]];
	readonly env: Record<string, string>;
	readonly cwd: string;
	readonly url: string;
	readonly headers: Record<string, string>;
	readonly auth: McpAuth | undefined;
}

export interface ResolveContext {
	/** The directory of the project. */
	cwd: string;
	/** The environment that servers inherit, without the keys of providers. */
	env: Env;
	/** What the user was asked for. */
	inputs: ReadonlyMap<string, string>;
	/** What commands have printed already: a server that is started again does not open a password manager again. */
	secrets: Map<string, string>;
	/** The token of the stored credential that the definition names, if it is there. */
	token?: string | undefined;
	signal: AbortSignal;
	/** Receives what could not be resolved. */
	onWarning(message: string): void;
}

export async function resolveServer(
	{ config, origin }: Pick<FoundServer, "config" | "origin">,
	parts: ResolveContext,
): Promise<ResolvedServer> {
	const context = { ...parts, base: dirname(origin.path) };
	const { cwd, env, token } = context;
	const fill = (value: string): string => {
		const { text, input } = expand(value, context);
		if (input !== undefined) throw new Error(`it needs a value for ${input}, which nobody has given`);
		return text;
	};
	const directory = config.cwd === undefined ? cwd : expandHome(fill(config.cwd));
	const secret = (value: string | undefined): string | undefined => value && fill(value);
	return {
		transport: config.transport,
		command: [expandHome(fill(config.command ?? "")), ...(config.args ?? []).map(fill)],
		env: {
			...commandEnvironment(env),
			...(config.envFile === undefined ? {} : variablesIn(fill(config.envFile), context)),
			...(await resolveValues(config.env ?? {}, "env", context)),
			...(token === undefined ? {} : { OAUTH_ACCESS_TOKEN: token }),
		},
		cwd: isAbsolute(directory) ? directory : resolve(cwd, directory),
		url: fill(config.url ?? ""),
		headers: {
			...(await resolveValues(config.headers ?? {}, "headers", context)),
			...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
		},
		auth: config.auth && {
			...config.auth,
			...(config.auth.clientId ? { clientId: fill(config.auth.clientId) } : {}),
			...(config.auth.clientSecret ? { clientSecret: secret(config.auth.clientSecret) ?? "" } : {}),
		},
	};
}

/** The context with the directory of the file that the definition is in. */
interface FileContext extends ResolveContext {
	base: string;
}

/** The variables of VS Code's `envFile`. */
function variablesIn(path: string, { cwd, onWarning }: ResolveContext): Record<string, string> {
	const file = resolve(cwd, expandHome(path));
	try {
		const variables = parseDotenv(smallFile(file));
		for (const value of Object.values(variables)) registerSecret(value);
		return { ...variables };
	} catch (error) {
		onWarning(`envFile: ${error instanceof Error ? error.message : String(error)}`);
		return {};
	}
}

function smallFile(path: string): string {
	const read = readText(path, limits.secretBytes);
	if (!read?.ok) throw new Error(`${path} ${read?.message ?? "does not exist"}`);
	return read.text;
}

const forms =
	/\$\{input:(?<input>[^}]*)\}|\$\{(?:env:)?(?<name>[A-Za-z_]\w*)(?::-(?<otherwise>[^}]*))?\}|(?<!\$)\{env:(?<braced>[A-Za-z_]\w*)\}|(?<!\$)\{file:(?<file>[^}]+)\}|\$(?<short>[A-Za-z_]\w*)/g;

interface Expanded {
	text: string;
	/** A variable, and a value that the user is asked for, that are missing. */
	variable?: string;
	input?: string;
}

/**
 * `${VAR}`, `${VAR:-default}`, and the forms of other programs: `${env:VAR}`, `{env:VAR}`, `{file:path}`,
 * `${workspaceFolder}`, `${userHome}`, `${input:id}`, and where it cannot mean anything else `$VAR`. What is missing stays
 * as it is, so that the user sees it. Values are not looked at again: a secret may contain any character.
 */
function expand(value: string, context: FileContext, { short = false } = {}): Expanded {
	const { env, cwd, base, inputs } = context;
	const missing: Omit<Expanded, "text"> = {};
	const text = value.replaceAll(forms, (whole, ...matched) => {
		const groups = matched.at(-1) as Partial<Record<string, string>>;
		if (groups.input !== undefined) {
			if (!inputs.has(groups.input)) missing.input = groups.input;
			return inputs.get(groups.input) ?? whole;
		}
		if (groups.file !== undefined) return fileText(resolve(base, expandHome(groups.file)));
		if (groups.braced !== undefined) return env[groups.braced] ?? "";
		if (groups.short !== undefined) return (short ? env[groups.short] : undefined) ?? whole;
		const { name = "", otherwise } = groups;
		if (name === "workspaceFolder" || name === "workspaceRoot") return cwd;
		if (name === "userHome") return env.HOME ?? homedir();
		if (env[name] === undefined && otherwise === undefined) missing.variable = name;
		return env[name] || (otherwise ?? env[name] ?? whole);
	});
	return { text, ...missing };
}

/** A value that cannot be resolved is left out: a server that gets a command line as its token would send it on. */
async function resolveValues(
	values: Readonly<Record<string, string>>,
	what: string,
	context: FileContext,
): Promise<Record<string, string>> {
	const entries = await Promise.all(
		Object.entries(values).map(async ([name, value]): Promise<[string, string][]> => {
			const resolved = await resolveValue(value, context);
			if (resolved.ok) return [[name, resolved.value]];
			context.onWarning(`${what}.${name} is not set: ${resolved.message}`);
			return [];
		}),
	);
	return Object.fromEntries(entries.flat());
}

type Resolved = { ok: true; value: string } | { ok: false; message: string };

async function resolveValue(value: string, context: FileContext): Promise<Resolved> {
	if (value.startsWith("!")) return await secretOf(value.slice(1), context);
	try {
		return textOf(value, context);
	} catch (error) {
		return { ok: false, message: error instanceof Error ? error.message : String(error) };
	}
}

function textOf(value: string, context: FileContext): Resolved {
	// The name of a variable stands for its value, as in omp.
	const named = /^[A-Z][A-Z0-9_]*$/.test(value) ? context.env[value] : undefined;
	const {
		text: filled,
		variable,
		input,
	} = named === undefined ? expand(value, context, { short: true }) : { text: named };
	if (variable !== undefined) return { ok: false, message: `the variable ${variable} is not set` };
	if (input !== undefined) return { ok: false, message: `nobody has given a value for ${input}` };
	// A server that repeats a header in its log repeats it without its scheme.
	if (filled !== value && !existsSync(filled))
		for (const secret of [filled, filled.replace(/^\S+\s+/, "")]) registerSecret(secret);
	return { ok: true, value: filled };
}

/** OpenCode keeps secrets in files. */
function fileText(path: string): string {
	const text = smallFile(path).trim();
	registerSecret(text);
	return text;
}

async function secretOf(command: string, { cwd, env, secrets, signal }: ResolveContext): Promise<Resolved> {
	const known = secrets.get(command);
	if (known !== undefined) return { ok: true, value: known };
	const chunks: Buffer[] = [];
	let bytes = 0;
	try {
		const outcome = await runProgram({
			command,
			cwd,
			env: commandEnvironment(env),
			input: "",
			timeoutMs: limits.secretMs,
			signal,
			onOutput: (chunk) => {
				bytes += chunk.length;
				if (bytes <= limits.secretBytes) chunks.push(Buffer.from(chunk));
			},
			onError: () => {},
		});
		if (outcome.stopped) return { ok: false, message: "its command took too long" };
		if (outcome.exitCode !== 0)
			return { ok: false, message: `its command failed with code ${outcome.exitCode ?? "?"}` };
	} catch (error) {
		return { ok: false, message: error instanceof Error ? error.message : String(error) };
	}
	const value = Buffer.concat(chunks).toString("utf8").trim();
	if (value === "") return { ok: false, message: "its command printed nothing" };
	registerSecret(value);
	secrets.set(command, value);
	return { ok: true, value };
}
