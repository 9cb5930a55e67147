/** Fills in what a definition leaves open: variables, secrets that commands print, directories. */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, resolve } from "node:path";

import { commandEnvironment, runProgram } from "@tau/sys";
import { expandHome, registerSecret, type Env } from "@tau/utils";

import { limits } from "./limits.ts";
import type { McpAuth, McpServerConfig } from "./types.ts";

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
	signal: AbortSignal;
	/** Receives what could not be resolved. */
	onWarning(message: string): void;
}

export async function resolveServer(
	config: McpServerConfig,
	context: ResolveContext,
): Promise<ResolvedServer> {
	const { cwd, env } = context;
	const fill = (value: string): string => expandVariables(value, { env, cwd });
	const directory = config.cwd === undefined ? cwd : expandHome(fill(config.cwd));
	const secret = (value: string | undefined): string | undefined => value && fill(value);
	return {
		transport: config.transport,
		command: [expandHome(fill(config.command ?? "")), ...(config.args ?? []).map(fill)],
		env: { ...commandEnvironment(env), ...(await resolveValues(config.env ?? {}, "env", context)) },
		cwd: isAbsolute(directory) ? directory : resolve(cwd, directory),
		url: fill(config.url ?? ""),
		headers: await resolveValues(config.headers ?? {}, "headers", context),
		auth: config.auth && {
			...config.auth,
			...(config.auth.clientId ? { clientId: fill(config.auth.clientId) } : {}),
			...(config.auth.clientSecret ? { clientSecret: secret(config.auth.clientSecret) ?? "" } : {}),
		},
	};
}

/**
 * `${VAR}`, `${VAR:-default}`, and the forms of other programs: `${env:VAR}`, `{env:VAR}`, `${workspaceFolder}`,
 * `${userHome}`. What is not set stays as it is, so that the user sees it.
 */
function expandVariables(value: string, { env, cwd }: { env: Env; cwd: string }): string {
	return value
		.replaceAll(/\$\{(?:env:)?([A-Za-z_]\w*)(?::-([^}]*))?\}/g, (whole, name: string, otherwise?: string) => {
			if (name === "workspaceFolder" || name === "workspaceRoot") return cwd;
			if (name === "userHome") return env.HOME ?? homedir();
			return env[name] || (otherwise ?? env[name] ?? whole);
		})
		.replaceAll(/(?<!\$)\{env:([A-Za-z_]\w*)\}/g, (_, name: string) => env[name] ?? "");
}

/** A value that cannot be resolved is left out: a server that gets a command line as its token would send it on. */
async function resolveValues(
	values: Readonly<Record<string, string>>,
	what: string,
	context: ResolveContext,
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

async function resolveValue(value: string, context: ResolveContext): Promise<Resolved> {
	if (value.startsWith("!")) return await secretOf(value.slice(1), context);
	// The name of a variable stands for its value, as in omp.
	const named = /^[A-Z][A-Z0-9_]*$/.test(value) ? context.env[value] : undefined;
	const filled = named ?? expandShort(expandVariables(value, context), context.env);
	const [, open] = /\$\{(?:env:)?([A-Za-z_]\w*)\}/.exec(filled) ?? [];
	if (open !== undefined) return { ok: false, message: `the variable ${open} is not set` };
	const [, input] = /\$\{input:([^}]*)\}/.exec(filled) ?? [];
	if (input !== undefined)
		return { ok: false, message: `only VS Code asks for ${input}. Use \${VARIABLE} or !command instead` };
	// A server that repeats a header in its log repeats it without its scheme.
	if (filled !== value && !existsSync(filled))
		for (const secret of [filled, filled.replace(/^\S+\s+/, "")]) registerSecret(secret);
	return { ok: true, value: filled };
}

/** `$VAR`, as Gemini CLI writes it; what is not set is no variable. */
function expandShort(value: string, env: Env): string {
	return value.replaceAll(/\$([A-Za-z_]\w*)/g, (whole, name: string) => env[name] ?? whole);
}

async function secretOf(command: string, { cwd, env, signal }: ResolveContext): Promise<Resolved> {
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
	return { ok: true, value };
}
