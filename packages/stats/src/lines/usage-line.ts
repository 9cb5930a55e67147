/** The format of a usage line: one JSON object for each ended answer or tool call (docs/session-format.md). */

/** What an answer cost, as the session that asked for it knows it. */
export interface AnswerUsage {
	/** When it ended, as `Date.now()`; the time that the session's log has for it. */
	at: number;
	session: string;
	cwd: string;
	/** The type of agent; absent for the session that the user sees. */
	agent?: string;
	/** `turn`, or what else it was for: `title`, `compaction`, `commit` … */
	kind: string;
	provider: string;
	model: string;
	usage: {
		input: number;
		output: number;
		cacheRead: number;
		cacheWrite: number;
		cost: { input: number; output: number; cacheRead: number; cacheWrite: number; total: number };
	};
	durationMs?: number;
	ttftMs?: number;
	/** Why it failed: the kind of the failure, or `aborted`. */
	failure?: string;
	/** Paid by a subscription: the cost is an estimate by the public price. */
	isSubscription?: boolean;
}

export interface ToolUsage {
	at: number;
	session: string;
	cwd: string;
	tool: string;
	isError: boolean;
	durationMs?: number;
}

export type UsageRecord = AnswerUsage | ToolUsage;

/** A dollar in the smallest unit: sums of integers do not drift. */
export const nanosPerDollar = 1e9;

export function nanos(dollars: number): number {
	return Math.round(dollars * nanosPerDollar);
}

/** With its newline. Fields that are zero or absent are left out. */
export function lineOf(record: UsageRecord): string {
	const { at, session, cwd } = record;
	if ("tool" in record) {
		const { tool, isError, durationMs } = record;
		return line({ at, session, cwd, tool, error: isError ? 1 : undefined, ms: durationMs });
	}
	const { kind, agent, provider, model, usage, durationMs, ttftMs, failure, isSubscription } = record;
	const { cost } = usage;
	const parts = [cost.input, cost.output, cost.cacheRead, cost.cacheWrite].map(nanos);
	// Fees are in the total alone: a search is paid by the request.
	const rest = nanos(cost.total) - parts.reduce((sum, part) => sum + part, 0);
	return line({
		at,
		session,
		cwd,
		agent,
		kind: kind === "turn" ? undefined : kind,
		provider,
		model,
		tokens: [usage.input, usage.output, usage.cacheRead, usage.cacheWrite],
		nanos: cost.total > 0 ? [...parts, rest] : undefined,
		ms: durationMs,
		ttft: ttftMs,
		failure,
		sub: isSubscription ? 1 : undefined,
	});
}

function line(fields: Record<string, unknown>): string {
	return `${JSON.stringify(fields)}\n`;
}
