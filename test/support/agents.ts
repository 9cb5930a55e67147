/** A session with the tool `task` for tests: real files and commands, only the models of the agents are played. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { playModel, type Step } from "@tau/ai/testing";
import { SessionManager } from "@tau/log";
import type { SessionEvent } from "@tau/session";
import type { SessionHost } from "@tau/session/host";

import {
	callOf,
	extensionFixtureWith,
	type ExtensionFixture,
	type ExtensionFixtureOptions,
} from "./extensions.ts";

const openFixture = extensionFixtureWith(playModel);
const tools = ["read", "write", "bash", "grep", "task", "todo", "ask"];

export function hostOf(fixture: ExtensionFixture): SessionHost {
	return fixture.extensions.runner.bound.host;
}

export async function withAgents(
	steps: (Step | string)[],
	work: (fixture: ExtensionFixture, events: SessionEvent[]) => Promise<void>,
	options: ExtensionFixtureOptions & { fallback?: Step | string } = {},
): Promise<void> {
	const directory = mkdtempSync(join(tmpdir(), "tau-task-"));
	try {
		using log = SessionManager.create(directory, join(directory, "sessions"));
		const scenario = { steps, ...(options.fallback ? { fallback: options.fallback } : {}) };
		await using fixture = await openFixture(scenario, { log, tools, ...options });
		const events: SessionEvent[] = [];
		hostOf(fixture).attach({ onEvent: (event) => void events.push(event) });
		await work(fixture, events);
	} finally {
		rmSync(directory, { recursive: true, force: true });
	}
}

/** A step for the request that contains these words. */
export function on(bodyContains: string, answer: Step["answer"]): Step {
	return { when: { bodyContains }, ...(answer === undefined ? {} : { answer }) };
}

export function taskCall(...tasks: Record<string, unknown>[]) {
	return callOf("task", { tasks });
}

/** What the model read as the result of its call. */
export function resultIn(fixture: ExtensionFixture): string {
	return resultsIn(fixture).at(-1) ?? "";
}

export function resultsIn(fixture: ExtensionFixture): string[] {
	return hostOf(fixture).session.state.messages.flatMap((message) =>
		message.role === "toolResult"
			? [message.content.map((part) => (part.type === "text" ? part.text : "")).join("\n")]
			: [],
	);
}
