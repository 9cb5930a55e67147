/** Gives a conversation what past sessions taught, and reads finished sessions in the background. Off by default. */
import type { AgentMessage } from "@tau/agent";
import type { Model, StreamFunction } from "@tau/ai";
import { isAbort, isRecord, log as logger, timer } from "@tau/utils";

import type { RunContext } from "../host/parts.ts";
import type { AskMemory, Memory, MemorySettings, UpdateReport } from "../memory/index.ts";
import { limits } from "../memory/limits.ts";
import { askRole, type ModelRegistry, modelBeside, namedModel } from "@tau/config/models";
import type { Behavior, SessionHandle } from "../run/behavior.ts";
import type { Prompt } from "../run/prompt.ts";
import type { Settings } from "@tau/config/settings";

export interface MemoryParts {
	settings: Pick<Settings, "get" | "onChange">;
	registry: ModelRegistry;
	stream?: StreamFunction | undefined;
	/** Whether the client stays: otherwise nothing is read in the background. */
	staysOpen: boolean;
	/** Sessions of a project that the user does not trust are not read. */
	isUntrusted(cwd: string): boolean;
}

type Source = Pick<RunContext, "cwd" | "log" | "credentials">;

const customType = "memory";
const nothing: UpdateReport = { sessions: 0, failed: 0, changes: [], damaged: [] };

/** Lives as long as the owner of the session: a step to another session does not start the work again. */
export class SessionMemory implements Disposable {
	readonly #parts: MemoryParts;
	readonly #ended = new AbortController();
	readonly #owned = new DisposableStack();
	#current: { session: SessionHandle; source: Source } | undefined;
	#updating: Promise<UpdateReport | undefined> | undefined;
	#isStarted = false;

	constructor(parts: MemoryParts) {
		this.#parts = parts;
		this.#owned.defer(() => this.#ended.abort());
		this.#owned.use(
			parts.settings.onChange((path) => {
				if (path === "memories.enabled") this.#startLater();
			}),
		);
	}

	get isEnabled(): boolean {
		return this.#parts.settings.get("memories.enabled");
	}

	behavior(source: Source): Behavior {
		return {
			name: "memory",
			attach: (session) => {
				this.#current = { session, source };
				this.#startLater();
				return session.hooks.preparers.add(async (prompt) => {
					const message = this.isEnabled ? await this.#noteFor(prompt, session, source) : undefined;
					return message && { messages: [message] };
				});
			},
		};
	}

	/** Reads the sessions that are due, now. Undefined if it was stopped; a second call waits for the first. */
	async update(onProgress?: (done: number, total: number) => void): Promise<UpdateReport | undefined> {
		this.#isStarted = true;
		this.#updating ??= this.#update(onProgress).finally(() => (this.#updating = undefined));
		return await this.#updating;
	}

	[Symbol.dispose](): void {
		this.#owned.dispose();
	}

	/** Once, and not in the way of the first prompt. */
	#startLater(): void {
		if (this.#isStarted || !this.#parts.staysOpen || !this.isEnabled || this.#ended.signal.aborted) return;
		this.#isStarted = true;
		this.#owned.use(timer(limits.startMs, () => void this.#updateAndReport()));
	}

	async #updateAndReport(): Promise<void> {
		try {
			const report = await this.update();
			const words = report && formatReport(report);
			if (words) await this.#notice("info", words);
		} catch (error) {
			await this.#notice("warning", `Memory was not updated: ${reasonOf(error)}`);
		}
	}

	/** At once: nothing else may happen in this session for a long time. */
	async #notice(level: "info" | "warning", message: string): Promise<void> {
		if (!this.#ended.signal.aborted) await this.#current?.session.emit({ type: "notice", level, message });
	}

	async #update(
		onProgress: ((done: number, total: number) => void) | undefined,
	): Promise<UpdateReport | undefined> {
		const { session, source } = this.#current ?? {};
		if (!session || !source) return undefined;
		const { log, cwd } = source;
		const { memoryDirectories, updateMemory } = await import("../memory/index.ts");
		if (this.#parts.isUntrusted(cwd))
			return { ...nothing, problem: "The project is not trusted, so its sessions are not read." };
		try {
			return await updateMemory({
				directories: memoryDirectories(cwd),
				settings: memorySettings(this.#parts.settings),
				ask: this.#ask(session, source),
				sessionDir: log.usesDefaultSessionDir() ? undefined : log.getSessionDir(),
				current: log.getSessionId(),
				signal: this.#ended.signal,
				...(onProgress ? { onProgress } : {}),
			});
		} catch (error) {
			if (isAbort(error) || this.#ended.signal.aborted) return undefined;
			throw error;
		}
	}

	/** The requests count toward the session's budget, and respect it. */
	#ask(session: SessionHandle, { credentials }: Source): AskMemory {
		const { registry, stream } = this.#parts;
		return async (question) => {
			const model = memoryModel(this.#parts, session.model);
			if (!model) return undefined;
			for (const watch of session.hooks.sideTurns) watch.before();
			const keys = { for: async (asked: Model) => ({ headers: {}, ...(await credentials(asked)) }) };
			const answer = await askRole({ registry, stream, keys }, model, question);
			if (!answer) return undefined;
			session.recordUsage("memory", answer);
			for (const watch of session.hooks.sideTurns) watch.after(answer);
			return answer;
		};
	}

	/** After the prompt, so that everything before it stays in the provider's cache. */
	async #noteFor(
		prompt: Prompt,
		{ state, notice }: SessionHandle,
		{ cwd }: Source,
	): Promise<AgentMessage | undefined> {
		if (prompt.customType !== undefined) return undefined;
		const { refs, tokens } = sentBefore(state.messages);
		const left = this.#parts.settings.get("memories.summaryInjectionTokenLimit") - tokens;
		if (left <= 0) return undefined;
		const { Memory: Opened, memoryDirectories } = await import("../memory/index.ts");
		using memory: Memory = new Opened(memoryDirectories(cwd));
		const words = formatReport({ ...nothing, damaged: memory.damaged });
		if (words) notice("warning", words);
		const { text, refs: added } = memory.digest(prompt.text, left, refs);
		if (text === "") return undefined;
		return {
			role: "custom",
			customType,
			content: text,
			display: false,
			details: { refs: added, tokens: Math.ceil(text.length / 4) },
			timestamp: Date.now(),
		};
	}
}

/** Read from the conversation: what a compaction has removed may be sent again. */
function sentBefore(messages: readonly AgentMessage[]): { refs: Set<string>; tokens: number } {
	const refs = new Set<string>();
	let tokens = 0;
	for (const message of messages) {
		if (message.role !== "custom" || message.customType !== customType || !isRecord(message.details))
			continue;
		const { refs: sent, tokens: size } = message.details;
		if (Array.isArray(sent)) for (const ref of sent) refs.add(String(ref));
		if (typeof size === "number") tokens += size;
	}
	return { refs, tokens };
}

export function memorySettings(settings: Pick<Settings, "get">): MemorySettings {
	return {
		maxAgeDays: settings.get("memories.maxRolloutAgeDays"),
		minIdleHours: settings.get("memories.minRolloutIdleHours"),
		maxSessions: settings.get("memories.maxRolloutsPerStartup"),
		concurrency: settings.get("memories.concurrency"),
		extractionTokens: settings.get("memories.extractionTokenLimit"),
		consolidationTokens: settings.get("memories.consolidationTokenLimit"),
		injectionTokens: settings.get("memories.summaryInjectionTokenLimit"),
		confirm: settings.get("memories.confirm"),
		global: settings.get("memories.global"),
	};
}

/** The user's choice, the role `smol`, or the conversation's own model. */
export function memoryModel(
	{ settings, registry }: Pick<MemoryParts, "settings" | "registry">,
	current: Model,
): Model | undefined {
	const name = settings.get("memories.model");
	return name ? namedModel(name, current, registry)?.model : modelBeside("smol", current, registry);
}

/** Undefined if nothing was written: then there is nothing to show. */
function formatReport({ changes, damaged, failed, problem }: UpdateReport): string | undefined {
	if (problem !== undefined) logger.debug("memory was not updated", { problem });
	const labels = changes.map(({ change }) => change.label);
	const isProposed = changes.some(({ change }) => change.state === "proposed");
	const lines = [
		...damaged.map(
			(path) =>
				`A damaged memory was moved to ${path}, and an empty one was started. /memory rebuild reads your sessions again.`,
		),
		...(labels.length === 0 ? [] : [`Memory${isProposed ? " proposes" : ""}: ${labels.join("; ")}.`]),
		...(labels.length === 0
			? []
			: [isProposed ? "/memory review asks you." : "/memory list shows it, /memory undo takes it back."]),
		...(failed > 0 && labels.length > 0 ? [`${failed} could not be read and will be tried again.`] : []),
	];
	return lines.length === 0 ? undefined : lines.join(" ");
}

/** What the user who asked for it reads, also if nothing was written. */
export function formatUpdate(report: UpdateReport): string {
	const { sessions, failed, failure = "" } = report;
	const words = formatReport(report);
	if (words !== undefined || failed === 0)
		return words ?? `${sessions} sessions were read; there was nothing new.`;
	const count = failed === 1 ? "1 session" : `${failed} sessions`;
	const others = sessions > 0 ? ` ${sessions} others were read; there was nothing new.` : "";
	return `${count} could not be read: ${failure.replace(/\.$/, "")}. The next update tries again.${others}`;
}

function reasonOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
