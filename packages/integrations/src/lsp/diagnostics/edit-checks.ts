/** The checks of the edits of a session: which errors each one has introduced, and what servers find later. */
import type { AgentToolResult, FrozenCall } from "@tau/agent";
import { fill, isRecord, log, timer } from "@tau/utils";
import type { SessionHandle } from "@tau/session/run";

import type { ToolEnv } from "@tau/tools/tool";
import { serversOf } from "../language-servers.ts";
import { limits } from "../limits.ts";
import { EditCheck } from "./edit-check.ts";
import { formatWritten } from "./format-on-write.ts";
import lateNote from "./late-note.md" with { type: "text" };
import type { Problem } from "./new-diagnostics.ts";
import { problemCounts, problemRows } from "./report.ts";

export class Checks {
	readonly #env: ToolEnv;
	readonly #session: SessionHandle;
	readonly #begun = new Map<string, EditCheck>();
	readonly #ended = new AbortController();
	/** The check whose result is still missing. */
	#late: { check: EditCheck; done: Promise<void> } | undefined;

	constructor(env: ToolEnv, session: SessionHandle) {
		this.#env = env;
		this.#session = session;
	}

	async begin({ id, touches }: FrozenCall): Promise<void> {
		const paths = touches.flatMap((touch) =>
			touch.kind === "write" || touch.kind === "delete" ? [touch.path] : [],
		);
		const servers = serversOf(this.#env);
		if (!servers.mayStart) return;
		const known = await Promise.all(paths.map(async (path) => (await servers.chosen(path)).length > 0));
		if (!known.includes(true)) return;
		const { signal } = this.#ended;
		const [oldest] = this.#begun.keys();
		if (this.#begun.size >= limits.begunChecks && oldest !== undefined) this.#begun.delete(oldest);
		this.#begun.set(
			id,
			await EditCheck.begin(this.#env, servers, paths, { signal, unfinished: this.#late?.check }),
		);
	}

	async change(
		call: FrozenCall,
		result: AgentToolResult,
		signal: AbortSignal,
	): Promise<AgentToolResult | undefined> {
		// Formatting changes the text that the check compares with.
		await this.#ready(call);
		const formatted = await formatWritten(this.#env, call, result, signal);
		return (await this.#finish(call, formatted ?? result, signal)) ?? formatted;
	}

	/** The servers have said what was wrong before the edit, or take too long for that. */
	async #ready({ id }: FrozenCall): Promise<void> {
		const check = this.#begun.get(id);
		if (check && this.#env.settings.get("lsp.formatOnWrite")) await within(check.ready, limits.afterEditMs);
	}

	async #finish(
		{ id }: FrozenCall,
		result: AgentToolResult,
		signal: AbortSignal,
	): Promise<AgentToolResult | undefined> {
		const check = this.#begun.get(id);
		this.#begun.delete(id);
		if (!check || result.isError) return undefined;
		let isHeld = true;
		const { first, others } = check.finish();
		const found = first.catch(failed);
		const late = (async (): Promise<void> => {
			const problems = await found;
			if (!isHeld) await this.#note(problems);
			await this.#note(await others.catch(failed));
			if (this.#late?.check === check) this.#late = undefined;
		})();
		this.#late = { check, done: late };
		const problems = signal.aborted ? undefined : await within(found, await this.#patience(check));
		isHeld = problems !== undefined;
		return problems === undefined || problems.length === 0
			? undefined
			: withProblems(result, problems, this.#env.cwd);
	}

	/** What was wrong before is asked within the same time. */
	async #patience(check: EditCheck): Promise<number> {
		const start = performance.now();
		const ms = (await within(check.patienceMs(), limits.afterEditMs)) ?? 0;
		return Math.max(0, ms - (performance.now() - start));
	}

	/** A run does not end with errors that the model has not seen, if they are found soon. */
	async settle(): Promise<void> {
		const late = this.#late;
		if (late) await within(late.done, limits.runEndMs);
	}

	stop(): void {
		this.#ended.abort();
	}

	async #note(problems: readonly Problem[]): Promise<void> {
		if (problems.length === 0 || this.#ended.signal.aborted) return;
		const content = fill(lateNote, { problems: problemRows(this.#env.cwd, problems) }).trim();
		const details = { diagnostics: detailsOf(problems, this.#env.cwd) };
		await this.#session.deliver(
			{ role: "custom", customType: "diagnostics", content, display: true, details, timestamp: Date.now() },
			this.#session.signal ? "steer" : "append",
		);
	}
}

function failed(error: unknown): Problem[] {
	log.warn("diagnostics after an edit failed", { reason: String(error) });
	return [];
}

/** Undefined if it takes longer; the work continues. */
async function within<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
	const late = Promise.withResolvers<undefined>();
	using _timer = timer(ms, () => late.resolve(undefined));
	return await Promise.race([work, late.promise]);
}

interface DiagnosticDetails {
	summary: string;
	messages: string[];
	errored: boolean;
	problems: readonly Problem[];
}

function detailsOf(problems: readonly Problem[], cwd: string): DiagnosticDetails {
	return {
		summary: problemCounts(problems),
		messages: problems.map((problem) => problemRows(cwd, [problem]).replace("\n ", ":")),
		errored: problems.some(({ severity }) => severity === "error"),
		problems: problems.slice(0, limits.diagnostics),
	};
}

function withProblems(result: AgentToolResult, problems: readonly Problem[], cwd: string): AgentToolResult {
	const text = `New errors, as a language server found:\n${problemRows(cwd, problems)}`;
	const details: Record<string, unknown> = isRecord(result.details) ? result.details : {};
	const diagnostics = detailsOf(problems, cwd);
	// Programs and extensions for omp read them in both places.
	const { summary, messages } = diagnostics;
	const meta = { ...(isRecord(details.meta) ? details.meta : {}), diagnostics: { summary, messages } };
	return {
		...result,
		content: [...result.content, { type: "text", text }],
		details: { ...details, diagnostics, meta },
	};
}
