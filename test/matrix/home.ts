/** A temporary home and project with a played model, settings, extensions, hooks and rules. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { modelsYml, type ReceivedRequest, type Scenario, type Step } from "@tau/ai/testing";

import { launch, type Launched } from "../support/launch.ts";
import { limits } from "./limits.ts";

export interface Setup {
	steps?: Scenario["steps"];
	/** Answers every request after the last step. */
	fallback?: Step | string;
	/** The text of config.yml. */
	settings?: string;
	/** Extension sources by file name. */
	extensions?: Readonly<Record<string, string>>;
	/** A shell command for each hook event. */
	hooks?: Readonly<Record<string, string>>;
	/** Rules of the user by name. */
	rules?: Readonly<Record<string, string>>;
	contextWindow?: number;
	/** Whether `played/played-2` has thinking levels; it has by default, as `played/played-1` has. */
	secondModelThinks?: boolean;
}

export interface LogEntry {
	readonly type: string;
	readonly [field: string]: unknown;
}

export interface Home extends Launched {
	/** The extension files, for clients that have to name them. */
	readonly extensionFiles: readonly string[];
}

export async function openHome(setup: Setup = {}): Promise<Home> {
	const { steps = [], fallback = "Done." } = setup;
	const launched = await launch({ steps, fallback });
	const { agentDir, played } = launched;
	const writeFixture = (path: string, text: string): string => {
		const file = join(agentDir, path);
		mkdirSync(join(file, ".."), { recursive: true });
		writeFileSync(file, text);
		return file;
	};
	writeFixture("models.yml", twoModels(played, setup));
	writeFixture("config.yml", setup.settings ?? "");
	if (setup.hooks) writeFixture("hooks.json", JSON.stringify({ hooks: hookGroups(setup.hooks) }));
	for (const [name, text] of Object.entries(setup.rules ?? {})) writeFixture(`rules/${name}.md`, text);
	const extensionFiles = Object.entries(setup.extensions ?? {}).map(([name, source]) =>
		writeFixture(`extensions/${name}.ts`, source),
	);
	return { ...launched, extensionFiles };
}

/** `played/played-1` and `played/played-2`. */
function twoModels(
	played: Parameters<typeof modelsYml>[0],
	{ contextWindow = 200_000, secondModelThinks = true }: Setup,
): string {
	const text = modelsYml(played, { api: "anthropic-messages", reasoning: true, contextWindow });
	const [head = "", first = ""] = text.split(/(?<=models:\n)/);
	const second = first
		.replace("played-1", "played-2")
		.replace("reasoning: true", `reasoning: ${secondModelThinks}`);
	return `${head}${first}${second}`;
}

function hookGroups(hooks: Readonly<Record<string, string>>): Record<string, unknown> {
	const groups = Object.entries(hooks).map(([event, command]) => [
		event,
		[{ hooks: [{ type: "command", command }] }],
	]);
	return Object.fromEntries(groups);
}

/** Waits for a condition, and fails with its name when the time is over. */
export async function until(
	what: string,
	holds: () => boolean | Promise<boolean>,
	boundMs: number = limits.waitMs,
): Promise<void> {
	const deadline = performance.now() + boundMs;
	while (!(await holds())) {
		if (performance.now() > deadline) throw new Error(`It never happened: ${what}`);
		await Bun.sleep(limits.pollMs);
	}
}

/** The text of a file of the project; empty while there is none. */
export function projectFile({ project }: Pick<Home, "project">, name: string): string {
	const path = join(project, name);
	return existsSync(path) ? readFileSync(path, "utf8") : "";
}

/** Releases a command of the model that waits with `waitsFor`. */
export function release({ project }: Pick<Home, "project">, name: string): void {
	writeFileSync(join(project, name), "");
}

/** A shell command that reports its start, then waits for a file. */
export function waitsFor(name: string): string {
	return `touch ${name}-waits; until [ -e ${name} ]; do sleep 0.02; done`;
}

export async function untilWaiting(home: Home, name: string): Promise<void> {
	await until(`the command waits for ${name}`, () => existsSync(join(home.project, `${name}-waits`)));
}

export function logFiles({ agentDir }: Pick<Home, "agentDir">): string[] {
	const folder = join(agentDir, "sessions");
	if (!existsSync(folder)) return [];
	const names = readdirSync(folder, { recursive: true }).map(String);
	return names.filter((name) => name.endsWith(".jsonl")).map((name) => join(folder, name));
}

/** The log that was written last. */
export function latestLog(home: Pick<Home, "agentDir">): string | undefined {
	const byTime = logFiles(home).map((path) => ({ path, time: statSync(path, { bigint: true }).mtimeNs }));
	return byTime.toSorted((a, b) => (a.time < b.time ? -1 : 1)).at(-1)?.path;
}

export function logEntries(file: string): LogEntry[] {
	const text = readFileSync(file, "utf8");
	// The program may be in the middle of a line.
	const lines = text
		.slice(0, text.lastIndexOf("\n") + 1)
		.split("\n")
		.filter(Boolean);
	return lines.map((line): LogEntry => JSON.parse(line));
}

interface RequestBody {
	model?: string;
	thinking?: { type?: string; budget_tokens?: number };
	tools?: { name: string }[];
	messages?: { role: string; content: unknown }[];
}

export function bodyOf(request: ReceivedRequest | undefined): RequestBody {
	return (request?.body ?? {}) as RequestBody;
}

/** The conversation in a request: its messages, without the system prompt and the tools. */
export function conversationIn(request: ReceivedRequest | undefined): string {
	return JSON.stringify(bodyOf(request).messages ?? []);
}

/** The last request that the model received. */
export function lastRequest({ played }: Pick<Home, "played">): ReceivedRequest | undefined {
	return played.requests.at(-1);
}

export function toolNames(request: ReceivedRequest | undefined): string[] {
	return (bodyOf(request).tools ?? []).map(({ name }) => name);
}

/** An answer that calls a tool. */
export function call(name: string, args: Record<string, unknown>): Step {
	return { answer: { blocks: [{ toolCall: { name, arguments: args } }] } };
}
