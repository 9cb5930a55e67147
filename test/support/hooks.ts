/** Hooks in a session for tests: real shells and tools, only the model is played. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { HookSource, parseHooks } from "@tau/extensions/hooks";
import { type AgentSession, type Behavior, Compactor, persistence, type SessionEvent } from "@tau/session";
import { SessionManager } from "@tau/log";
import { bash } from "@tau/tools/bash";
import type { ToolEnv } from "@tau/tools/tool";
import { write } from "@tau/tools/write";

import { smallWindow } from "./compaction.ts";
import { testToolEnv, type TestToolEnv } from "./tool-env.ts";
import { testModel, testSession } from "./session.ts";

/** The part of a played model that the fixture uses. */
interface Played extends AsyncDisposable {
	readonly anthropicUrl: string;
	readonly requests: readonly { readonly rawBody: string }[];
}

export interface HookFixture extends AsyncDisposable {
	session: AgentSession;
	played: Played;
	env: TestToolEnv;
	notices: string[];
	/** The inputs of a hook that saved them to this file. */
	hookInput(file: string): Record<string, unknown>;
	/** The results of the calls, in order. */
	results(): string[];
}

/** A command for each event; or the whole groups of one. */
export type Hooks = Readonly<Record<string, string | readonly unknown[]>>;

interface HookFixtureOptions {
	env?: Partial<ToolEnv>;
	deadline?: { idleMs?: number; slowMs?: number };
	/** Attached after the hooks. */
	behaviors?: readonly Behavior[];
}

/** A test passes a function that starts the model: `hookFixtureWith((steps) => playModel({ steps }))`. */
export function hookFixtureWith<S>(
	play: (steps: S) => Promise<Played>,
): (hooks: Hooks, steps: S, options?: HookFixtureOptions) => Promise<HookFixture> {
	return async (hooks, steps, { env: more = {}, deadline = {}, behaviors = [] } = {}) => {
		await using owned = new AsyncDisposableStack();
		const played = owned.use(await play(steps));
		const env = owned.use(await testToolEnv(more));
		const session = owned.use(sessionOf(hooks, env, played, { deadline, behaviors }));
		const notices: string[] = [];
		session.subscribe((event: SessionEvent) => {
			if (event.type === "notice") notices.push(event.message);
		});
		const kept = owned.move();
		return {
			session,
			played,
			env,
			notices,
			hookInput: (name) => JSON.parse(readFileSync(join(env.cwd, name), "utf8")) as Record<string, unknown>,
			results: () => resultsOf(session),
			[Symbol.asyncDispose]: () => kept.disposeAsync(),
		};
	};
}

function sessionOf(
	hooks: Hooks,
	env: TestToolEnv,
	{ anthropicUrl }: Played,
	{ deadline, behaviors }: Required<Omit<HookFixtureOptions, "env">>,
): AgentSession {
	const written = Object.entries(hooks).map(([event, command]) => [
		event,
		typeof command === "string" ? [{ hooks: [{ type: "command", command }] }] : command,
	]);
	const file = { source: "claude", level: "user", path: "/settings.json" } as const;
	const { items, warnings } = parseHooks(Object.fromEntries(written), file);
	const [wrong] = warnings;
	if (wrong) throw new Error(wrong.message);
	const source = new HookSource(items, env.cwd, deadline);
	const log = SessionManager.inMemory(env.cwd);
	return testSession(testModel({ baseUrl: anthropicUrl }), {
		tools: [bash.bind(env), write.bind(env)],
		compactor: new Compactor(log, { ...smallWindow, enabled: false }),
		behaviors: [
			persistence(log),
			source.behavior({ env, sessionId: "s-1", transcriptPath: () => "/log.jsonl", isResumed: false }),
			...behaviors,
		],
		owns: env.services,
	});
}

function resultsOf({ state }: AgentSession): string[] {
	return state.messages.flatMap((message) =>
		message.role === "toolResult"
			? [message.content.map((part) => (part.type === "text" ? part.text : part.type)).join("|")]
			: [],
	);
}

/** An answer that calls a tool. */
export function call(name: string, args: Record<string, unknown>) {
	return { answer: { blocks: [{ toolCall: { name, arguments: args } }] } };
}

export function matching(matcher: string, command: string, more: object = {}): unknown[] {
	return [{ matcher, hooks: [{ type: "command", command, ...more }] }];
}

/** The command of a hook that prints this answer. */
export function says(answer: object): string {
	return `cat <<'END'\n${JSON.stringify(answer)}\nEND`;
}

export async function there(file: string): Promise<void> {
	while (!existsSync(file)) await Bun.sleep(5);
}

/** Waits until the process has ended; a zombie counts as ended. */
export async function gone(pid: number): Promise<void> {
	while (!["", "Z"].includes(stateOf(pid))) await Bun.sleep(5);
}

function stateOf(pid: number): string {
	const file = `/proc/${pid}/stat`;
	return existsSync(file) ? (/.*\) (\w)/s.exec(readFileSync(file, "utf8"))?.[1] ?? "") : "";
}
