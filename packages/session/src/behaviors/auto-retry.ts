/** Retries a failed turn if waiting is likely to help. */
import type { AgentMessage } from "@tau/agent";
import type { Failure, FailureKind, Model } from "@tau/ai";

import type { Behavior } from "../run/behavior.ts";
import { settingsLimits as limits } from "@tau/config/settings";

export interface RetrySettings {
	/** Read after each failure, so that the user can change it during a session; absent means true. */
	enabled?: boolean;
	maxAttempts: number;
	baseDelayMs: number;
	/** The longest wait: if a server requests a longer one, the turn is not retried. */
	maxDelayMs: number;
}

const defaultRetry: RetrySettings = {
	maxAttempts: limits.defaultRetries,
	baseDelayMs: limits.retryBaseMs,
	maxDelayMs: limits.retryMaxMs,
};

const passing: ReadonlySet<FailureKind> = new Set(["rate_limit", "overloaded", "network", "timeout"]);

export interface RetryHelp {
	/** Whether a failed credential was replaced by another one: then a wrong key is worth a second try. */
	otherKey?(provider: string): boolean;
	/** The fallback model if this one does not recover; the models in `tried` have already failed. */
	fallback?(tried: readonly Model[]): Model | undefined;
}

export function autoRetry(settings: RetrySettings = defaultRetry, help: RetryHelp = {}): Behavior {
	return {
		name: "auto-retry",
		attach(session) {
			let attempt = 0;
			let tried: Model[] = [];
			let replacement: string | undefined;
			const retry = async (failure: Failure, delayMs: number): Promise<void> => {
				attempt++;
				const maxAttempts = attemptsFor(failure, settings);
				const errorMessage = failure.message;
				await session.emit({ type: "auto_retry_start", attempt, maxAttempts, delayMs, errorMessage });
				if (!(await session.retryAfter(delayMs))) await settle(failure);
			};
			const settle = async (failure?: Failure): Promise<void> => {
				if (attempt > 0) await session.emit(ended(attempt, failure));
				attempt = 0;
				if (failure) return;
				tried = [];
				if (replacement !== undefined)
					await session.emit({ type: "retry_fallback_succeeded", model: replacement, role: "default" });
				replacement = undefined;
			};
			return session.onAfter(["agent_end"], async (event) => {
				const failure = failureOf(event.messages);
				if (!failure) return await settle();
				const otherKey = help.otherKey?.(session.model.provider) ?? false;
				const delayMs = waitFor(failure, attempt, settings, otherKey);
				if (delayMs !== undefined && attempt < attemptsFor(failure, settings))
					return await retry(failure, delayMs);
				await settle(failure);
				tried = [...tried, session.model];
				const next =
					settings.enabled !== false && passing.has(failure.kind) ? help.fallback?.(tried) : undefined;
				if (!next) return;
				session.notice(
					"warning",
					`${nameOf(session.model)} does not answer. Continuing with ${nameOf(next)}.`,
				);
				const [from, to] = [nameOf(session.model), nameOf(next)];
				session.setModel(next);
				await session.emit({
					type: "retry_fallback_applied",
					from,
					to,
					role: "default",
					reason: failure.message,
				});
				replacement = to;
				await session.retryAfter(0);
			});
		},
	};
}

function failureOf(messages: readonly AgentMessage[]): Failure | undefined {
	const answer = messages.findLast((message) => message.role === "assistant");
	return answer?.stopReason === "error" ? answer.failure : undefined;
}

function nameOf({ provider, id }: Model): string {
	return `${provider}/${id}`;
}

/** A model that writes nothing usable three times in a row will not start to; gemini-cli asks as often. */
function attemptsFor({ kind }: Failure, { maxAttempts }: RetrySettings): number {
	return kind === "invalid_response" ? Math.min(maxAttempts, limits.invalidResponseRetries) : maxAttempts;
}

/** Returns undefined if waiting does not help or retries are off. */
export function waitFor(
	{ kind, retryAfterMs }: Failure,
	attempt: number,
	{ enabled = true, baseDelayMs, maxDelayMs }: RetrySettings,
	otherKey: boolean,
): number | undefined {
	if (!enabled) return undefined;
	if (otherKey && (kind === "auth" || kind === "rate_limit")) return 0;
	// The server is well, and another answer is not a matter of waiting.
	if (kind === "invalid_response") return Math.min(baseDelayMs, limits.invalidResponseMs) * (attempt + 1);
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
