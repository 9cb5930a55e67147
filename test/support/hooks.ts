/** Hooks in a session for tests: real shells and tools, only the model is played. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { HookSource, parseHooks } from "@tau/extensions/hooks";
import {
	type AgentSession,
	type Behavior,
	Compactor,
	persistence,
	SessionManager,
	type SessionEvent,
} from "@tau/session";
import { bash } from "@tau/tools/bash";
import type { ToolPlace } from "@tau/tools/tool";
import { write } from "@tau/tools/write";

import { smallWindow } from "./compaction.ts";
import { testPlace, type TestPlace } from "./place.ts";
import { testModel, testSession } from "./session.ts";

/** The model that is played, as far as a stage needs it. */
interface Played extends AsyncDisposable {
	readonly anthropicUrl: string;
	readonly requests: readonly { readonly rawBody: string }[];
}

export interface HookStage extends AsyncDisposable {
	session: AgentSession;
	played: Played;
	place: TestPlace;
	notices: string[];
	/** What a hook was told that kept its input in this file. */
	told(file: string): Record<string, unknown>;
	/** What the calls gave back, in order. */
	results(): string[];
}

/** A command for each event; or the whole groups of one. */
export type Hooks = Readonly<Record<string, string | readonly unknown[]>>;

interface StageOptions {
	place?: Partial<ToolPlace>;
	patience?: { idleMs?: number; slowMs?: number };
	/** Attached behind the hooks. */
	behaviors?: readonly Behavior[];
}

/** Tests say how the model is played: `hookStageWith((steps) => playModel({ steps }))`. */
export function hookStageWith<S>(
	play: (steps: S) => Promise<Played>,
): (hooks: Hooks, steps: S, options?: StageOptions) => Promise<HookStage> {
	return async (hooks, steps, { place: more = {}, patience = {}, behaviors = [] } = {}) => {
		await using owned = new AsyncDisposableStack();
		const played = owned.use(await play(steps));
		const place = owned.use(await testPlace(more));
		const session = owned.use(sessionOf(hooks, place, played, { patience, behaviors }));
		const notices: string[] = [];
		session.subscribe((event: SessionEvent) => {
			if (event.type === "notice") notices.push(event.message);
		});
		const kept = owned.move();
		return {
			session,
			played,
			place,
			notices,
			told: (name) => JSON.parse(readFileSync(join(place.cwd, name), "utf8")) as Record<string, unknown>,
			results: () => resultsOf(session),
			[Symbol.asyncDispose]: () => kept.disposeAsync(),
		};
	};
}

function sessionOf(
	hooks: Hooks,
	place: TestPlace,
	{ anthropicUrl }: Played,
	{ patience, behaviors }: Required<Omit<StageOptions, "place">>,
): AgentSession {
	const written = Object.entries(hooks).map(([event, command]) => [
		event,
		typeof command === "string" ? [{ hooks: [{ type: "command", command }] }] : command,
	]);
	const file = { source: "claude", level: "user", path: "/settings.json" } as const;
	const { items, warnings } = parseHooks(Object.fromEntries(written), file);
	const [wrong] = warnings;
	if (wrong) throw new Error(wrong.message);
	const source = new HookSource(items, place.cwd, patience);
	const log = SessionManager.inMemory(place.cwd);
	return testSession(testModel({ baseUrl: anthropicUrl }), {
		tools: [bash.bind(place), write.bind(place)],
		compactor: new Compactor(log, { ...smallWindow, enabled: false }),
		behaviors: [
			persistence(log),
			source.behavior({ place, sessionId: "s-1", transcriptPath: () => "/log.jsonl", isResumed: false }),
			...behaviors,
		],
		owns: place.shelf,
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

/** Until the process has ended; one that nobody has asked for its last word is still listed. */
export async function gone(pid: number): Promise<void> {
	while (!["", "Z"].includes(stateOf(pid))) await Bun.sleep(5);
}

function stateOf(pid: number): string {
	const file = `/proc/${pid}/stat`;
	return existsSync(file) ? (/.*\) (\w)/s.exec(readFileSync(file, "utf8"))?.[1] ?? "") : "";
}
