/** Facts, answers of a model and sessions on disk, for tests of memory. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { AgentMessage } from "@tau/agent";
import { MessageBuilder, type AssistantMessage } from "@tau/ai";
import { testModel } from "@tau/ai/testing";

import { SessionManager } from "@tau/log";
import type { AskMemory } from "../answers.ts";
import type { NewFact } from "../fact.ts";
import type { MemoryDirectories } from "../directories.ts";
import { Memory } from "../memory.ts";
import { updateMemory, type MemorySettings, type UpdateOptions, type UpdateReport } from "../update.ts";

export function newFact(text: string, more: Partial<NewFact> = {}): NewFact {
	return {
		kind: "fact",
		text,
		subject: "",
		who: "user",
		session: "s1",
		entry: "e1",
		quote: text,
		position: 0,
		said: Date.parse("2026-11-01"),
		expires: null,
		replacedBy: null,
		...more,
	};
}

export const memorySettings: MemorySettings = {
	maxAgeDays: 30,
	minIdleHours: 0,
	maxSessions: 64,
	concurrency: 1,
	extractionTokens: 24_000,
	consolidationTokens: 24_000,
	injectionTokens: 1_000,
	confirm: false,
	global: true,
};

/** A project and its memory below one directory. */
export function directoriesIn(home: string): MemoryDirectories {
	const root = join(home, "project");
	mkdirSync(root, { recursive: true });
	return {
		project: { root, directory: join(home, "memories/project") },
		global: join(home, "memories/global"),
	};
}

export type Line = readonly [role: "user" | "assistant" | "tool", text: string];

export interface StoredSession {
	id: string;
	path: string;
}

/** A session that ended `hoursAgo`. */
export function storeSession(
	home: string,
	lines: readonly Line[],
	{ hoursAgo = 1, more }: { hoursAgo?: number; more?: (log: SessionManager) => void } = {},
): StoredSession {
	const ended = Date.now() - hoursAgo * 3_600_000;
	const stored = { id: "", path: "" };
	{
		using log = SessionManager.create(join(home, "project"), join(home, "sessions"));
		for (const [at, [role, text]] of lines.entries()) log.appendMessage(messageOf(role, text, ended + at));
		more?.(log);
		log.flushSync();
		Object.assign(stored, { id: log.getSessionId(), path: log.getSessionFile() ?? "" });
	}
	const dated = readFileSync(stored.path, "utf8").replaceAll(
		/"timestamp":"[^"]*"/g,
		`"timestamp":"${new Date(ended).toISOString()}"`,
	);
	writeFileSync(stored.path, dated);
	return stored;
}

function messageOf(role: Line[0], text: string, timestamp: number): AgentMessage {
	if (role === "user") return { role, content: text, timestamp };
	if (role === "assistant") return { ...answerOf(text), timestamp };
	const content = [{ type: "text" as const, text }];
	return { role: "toolResult", toolCallId: "c", toolName: "read", isError: false, content, timestamp };
}

function answerOf(text: string): AssistantMessage {
	const builder = new MessageBuilder(testModel());
	builder.append(builder.openText(), text);
	builder.done("stop");
	return builder.message;
}

export interface Asked {
	systemPrompt: string;
	text: string;
}

/** Answers with what `reply` returns as JSON; consolidation changes nothing unless `consolidated` says so. */
export function modelThat(
	reply: (asked: Asked) => unknown,
	consolidated: (asked: Asked) => unknown = () => ({}),
): AskMemory & { asked: Asked[] } {
	const asked: Asked[] = [];
	const ask: AskMemory = async ({ systemPrompt, text }) => {
		const question = { systemPrompt, text };
		asked.push(question);
		const isConsolidation = text === "Consolidate these facts.";
		return answerOf(JSON.stringify((isConsolidation ? consolidated : reply)(question)));
	};
	return Object.assign(ask, { asked });
}

/** An empty home with a project, in which memory is built. */
export class MemoryFixture implements Disposable {
	readonly home: string;
	readonly #before = process.env.TAU_CONFIG_DIR;
	readonly #remove: () => void;

	constructor() {
		const home = mkdtempSync(join(tmpdir(), "tau-memory-"));
		this.home = home;
		this.#remove = () => rmSync(home, { recursive: true, force: true });
		// The list of sessions has its cache there.
		process.env.TAU_CONFIG_DIR = this.home;
	}

	async update(ask: AskMemory, more: Partial<UpdateOptions> = {}): Promise<UpdateReport> {
		return await updateMemory({
			directories: directoriesIn(this.home),
			settings: memorySettings,
			ask,
			sessionDir: join(this.home, "sessions"),
			signal: new AbortController().signal,
			...more,
		});
	}

	open(): Memory {
		return new Memory(directoriesIn(this.home), { create: true });
	}

	texts(): string[] {
		using memory = this.open();
		return memory.facts().map(({ ref, fact }) => `${ref} ${fact.text}`);
	}

	[Symbol.dispose](): void {
		if (this.#before === undefined) delete process.env.TAU_CONFIG_DIR;
		else process.env.TAU_CONFIG_DIR = this.#before;
		this.#remove();
	}
}

/** A conversation with a fact of the project and one of the user. */
export const lines: readonly Line[] = [
	["user", "Please make the tests faster."],
	["assistant", "They run in parallel now. We use vitest with four workers."],
	["user", "Good. Never commit directly to main, in none of my projects."],
];

export const vitest = {
	kind: "decision",
	subject: "test runner",
	text: "Tests run with vitest and four workers.",
	n: 1,
	quote: "We use vitest with four workers",
	scope: "project",
	expires_days: null,
};

export const noMain = {
	kind: "constraint",
	subject: "git",
	text: "Never commit directly to main.",
	n: 2,
	quote: "Never commit directly to main",
	scope: "user",
	expires_days: null,
};
