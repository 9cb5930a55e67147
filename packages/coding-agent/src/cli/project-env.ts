/** Takes from a project's `.env` what may count: nothing before trust, then harmless variables, and keys that are allowed. */
import { keyVariables, providerOf, providers } from "@tau/ai";
import {
	addFromProject,
	dirs,
	isFromFile,
	isHarmlessVariable,
	log,
	nearest,
	readProjectDotenv,
	shortenHome,
	type Env,
	type ProjectDotenv,
	UsageError,
} from "@tau/utils";

import type { KeyHolder } from "@tau/config/models";
import { isTrusted, keyAnswer, trustOf } from "@tau/extensions/trust";
import type { Args } from "./args.ts";
import { limits } from "./limits.ts";
import type { AskTrust } from "@tau/extensions/assembly";

/** A key that the project's `.env` offers, and the providers that would be used with it. */
export interface ProjectKey {
	file: string;
	variable: string;
	value: string;
	holders: readonly KeyHolder[];
}

/** Undefined when the user postpones the question: then the other keys are not asked about either. */
export type AskKey = (key: ProjectKey) => Promise<boolean | undefined>;

export interface ProjectEnvOptions {
	args: Pick<Args, "flags" | "repeated">;
	cwd: string;
	holders: readonly KeyHolder[];
	/** The function fills this object in place. */
	env?: Env;
	/** Both are absent when no user can be asked. */
	askTrust?: AskTrust | undefined;
	askKey?: AskKey | undefined;
	onNotice(message: string): void;
}

export async function useProjectEnv(options: ProjectEnvOptions): Promise<void> {
	const { cwd, holders, env = process.env } = options;
	rejectUnknownProviders(options);
	const project = readProjectDotenv(cwd);
	if (!project) return noticeIdleFlags([], options);
	const keys = keysOf(project, holders, env).filter((key) => answerTo(key, options) !== false);
	const taken = (await mayRead(project, keys, options)) ? await takenFrom(project, keys, options) : [];
	addFromProject(project, taken, env);
	noticeIdleFlags(keys, options);
	const { file, values, problem } = project;
	const ignored = Object.keys(values).filter((name) => !taken.includes(name));
	if (problem !== undefined) log.warn("an .env file was not read", { file, problem });
	else if (ignored.length > 0) log.info("variables of a project's .env are ignored", { file, ignored });
}

/** The providers of the table that are not served by something stored: what a command without a registry goes by. */
export function tableHolders(env: Env, isStored: (provider: string) => boolean): KeyHolder[] {
	return providers
		.filter(({ id }) => !isStored(id))
		.map((row) => ({ id: row.id, label: row.label, variables: keyVariables(row, env) }));
}

/**
 * For each provider the strongest variable of the file. The environment that Tau was started with wins: where it has a
 * key for the provider, also an empty one, that of the project is not looked at.
 */
function keysOf({ file, values }: ProjectDotenv, holders: readonly KeyHolder[], env: Env): ProjectKey[] {
	const isOwn = (name: string): boolean => env[name] !== undefined && !isFromFile(env, name);
	const byVariable = new Map<string, KeyHolder[]>();
	for (const holder of holders) {
		const variable = holder.variables.find((name) => values[name]);
		if (variable === undefined || holder.variables.some(isOwn)) continue;
		byVariable.set(variable, [...(byVariable.get(variable) ?? []), holder]);
	}
	return [...byVariable].map(([variable, served]) => ({
		file,
		variable,
		value: values[variable] ?? "",
		holders: served,
	}));
}

/** A key of the project alone is reason enough to ask whether the project is trusted. */
async function mayRead(
	{ file }: ProjectDotenv,
	keys: readonly ProjectKey[],
	{ args, cwd, askTrust, onNotice }: ProjectEnvOptions,
): Promise<boolean> {
	const { agent } = dirs();
	if (args.flags.has("trust") || isTrusted(cwd, agent)) return true;
	if (keys.length === 0 || trustOf(cwd, agent) === false) return false;
	if (askTrust) return askTrust([file]);
	onNotice(unusedNotice(keys, "the project is not trusted", "--trust "));
	return false;
}

async function takenFrom(
	{ values }: ProjectDotenv,
	keys: readonly ProjectKey[],
	options: ProjectEnvOptions,
): Promise<string[]> {
	const taken = Object.keys(values).filter(isHarmlessVariable);
	const { askKey, onNotice } = options;
	const open: ProjectKey[] = [];
	for (const key of keys) {
		if (answerTo(key, options) === true) taken.push(key.variable);
		else open.push(key);
	}
	if (!askKey) {
		if (open.length > 0) onNotice(unusedNotice(open, "you have not allowed it for this project"));
		return taken;
	}
	for (const key of open) {
		const answer = await askKey(key);
		if (answer === undefined) break;
		if (answer) taken.push(key.variable);
	}
	return taken;
}

/** Returns the known answer: the flag first, then the user's decision about exactly this key for all its providers. */
function answerTo({ holders, value }: ProjectKey, { args, cwd }: ProjectEnvOptions): boolean | undefined {
	const { agent } = dirs();
	const allowed = flaggedProviders(args);
	const answers = new Set(
		holders.map(({ id }) => allowed.has(id) || keyAnswer({ cwd, provider: id, value }, agent)),
	);
	if (answers.has(false)) return false;
	return answers.has(undefined) ? undefined : true;
}

function flaggedProviders({ repeated }: Pick<Args, "repeated">): Set<string> {
	const argv = repeated?.get("project-key") ?? [];
	return new Set(argv.flatMap((word) => [word, providerOf(word.toLowerCase())?.id ?? word]));
}

function rejectUnknownProviders({ args, holders }: ProjectEnvOptions): void {
	const known = [...providers.map(({ id }) => id), ...holders.map(({ id }) => id)];
	for (const word of args.repeated?.get("project-key") ?? []) {
		if (known.includes(word) || providerOf(word.toLowerCase())) continue;
		const [near] = nearest(word, known);
		throw new UsageError(
			`--project-key: there is no provider "${word}"${near === undefined ? "" : `; did you mean ${near}?`}`,
		);
	}
}

/** A flag that allows a missing key is more likely a mistake than intended. */
function noticeIdleFlags(keys: readonly ProjectKey[], { args, onNotice }: ProjectEnvOptions): void {
	const offered = new Set(keys.flatMap(({ holders }) => holders.map(({ id }) => id)));
	for (const word of args.repeated?.get("project-key") ?? []) {
		const id = providerOf(word.toLowerCase())?.id ?? word;
		if (offered.has(id) || offered.has(word)) continue;
		onNotice(
			`--project-key ${word} has no effect: this project's .env has no key for ${word}, or your own key takes precedence.`,
		);
	}
}

function unusedNotice(keys: readonly ProjectKey[], why: string, before = ""): string {
	const shown = keys.slice(0, limits.namedKeys);
	const names = shown.map(({ variable }) => variable).join(", ");
	const more = keys.length > shown.length ? ` and ${keys.length - shown.length} more` : "";
	const flags = shown.map(({ holders }) => `--project-key ${holders[0]?.id}`).join(" ");
	const file = shortenHome(keys[0]?.file ?? "");
	return `${names}${more} in ${file} is not used, because ${why}. To use it in this run: ${before}${flags}. To always allow it, start tau here on a terminal and answer yes.`;
}
