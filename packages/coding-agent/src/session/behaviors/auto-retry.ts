/** Asks again when a turn failed and waiting is likely to help. */
import type { Failure, FailureKind } from "@tau/ai";

import type { Behavior } from "../behavior.ts";
import { limits } from "../limits.ts";

export interface RetrySettings {
	/** Looked at after each failure, so that a person can change their mind; absent means yes. */
	enabled?: boolean;
	maxAttempts: number;
	baseDelayMs: number;
	/** A server that asks for a longer wait is not waited for. */
	maxDelayMs: number;
}

const defaultRetry: RetrySettings = {
	maxAttempts: limits.retries,
	baseDelayMs: limits.retryBaseMs,
	maxDelayMs: limits.retryMaxMs,
};

const passing: ReadonlySet<FailureKind> = new Set(["rate_limit", "overloaded", "network", "timeout"]);

/** `otherKey` says whether a failed credential has given way to another one: then a wrong key is worth a second try. */
export function autoRetry(
	settings: RetrySettings = defaultRetry,
	otherKey: (provider: string) => boolean = () => false,
): Behavior {
	return {
		name: "auto-retry",
		attach(session) {
			let attempt = 0;
			return session.on(async (event) => {
				if (event.type !== "agent_end") return;
				const answer = event.messages.findLast((message) => message.role === "assistant");
				const failure = answer?.stopReason === "error" ? answer.failure : undefined;
				const delayMs = failure && waitFor(failure, attempt, settings, otherKey(answer?.provider ?? ""));
				if (!failure || delayMs === undefined || attempt >= settings.maxAttempts) {
					if (attempt > 0) await session.tell(ended(attempt, failure));
					attempt = 0;
					return;
				}
				attempt++;
				const { maxAttempts } = settings;
				const errorMessage = failure.message;
				await session.tell({ type: "auto_retry_start", attempt, maxAttempts, delayMs, errorMessage });
				if (await session.again(delayMs)) return;
				await session.tell(ended(attempt, failure));
				attempt = 0;
			});
		},
	};
}

/** Undefined where waiting does not help, or is not wanted. */
function waitFor(
	{ kind, retryAfterMs }: Failure,
	attempt: number,
	{ enabled = true, baseDelayMs, maxDelayMs }: RetrySettings,
	otherKey: boolean,
): number | undefined {
	if (!enabled) return undefined;
	if (otherKey && (kind === "auth" || kind === "rate_limit")) return 0;
	if (!passing.has(kind)) return undefined;
	const wait = retryAfterMs ?? Math.min(baseDelayMs * 2 ** attempt, maxDelayMs);
	return wait <= maxDelayMs ? wait : undefined;
}

function ended(attempt: number, failure: Failure | undefined) {
	const success = failure === undefined;
	return {
		type: "auto_retry_end" as const,
		success,
		attempt,
		...(failure ? { finalError: failure.message } : {}),
	};
}
