/** Whether an answer failed because the conversation is too long, and whether another try may help. */
import { classify, type AssistantMessage, type FailureKind } from "@tau/ai";
import { delay } from "@tau/utils";

/** Answers of extension providers have a text, but no kind. */
function kindOf({ failure, errorMessage, stopReason }: AssistantMessage): FailureKind | undefined {
	if (stopReason !== "error") return undefined;
	return failure?.kind ?? (errorMessage === undefined ? "unknown" : classify({ body: errorMessage }).kind);
}

/** Some servers accept what is too long silently: their counts and the window reveal it. */
export function isContextOverflow(message: AssistantMessage, contextWindow?: number): boolean {
	if (kindOf(message) === "overflow") return true;
	if (!contextWindow || message.stopReason === "error") return false;
	const { input, cacheRead, output } = message.usage;
	const sent = input + cacheRead;
	return (
		sent > contextWindow || (message.stopReason === "length" && output === 0 && sent >= contextWindow * 0.99)
	);
}

/** An answer that was cut off before its token limit. */
function isRecoverableLength({ stopReason, usage }: AssistantMessage, desiredMaxOutput: number): boolean {
	return stopReason === "length" && usage.output < desiredMaxOutput;
}

const retryable: ReadonlySet<FailureKind | undefined> = new Set([
	"rate_limit",
	"overloaded",
	"network",
	"timeout",
	"invalid_response",
]);

function isRetryableAssistantError(message: AssistantMessage): boolean {
	return retryable.has(kindOf(message));
}

const DEFAULT_MAX_AGENT_RETRY_DELAY_MS = 60_000;

interface RetryPolicy {
	enabled: boolean;
	maxRetries: number;
	baseDelayMs: number;
	maxAgentDelayMs?: number;
}

interface RetryCallbacks {
	onRetryScheduled?(attempt: number, maxAttempts: number, delayMs: number, error: string): unknown;
	onRetryAttemptStart?(): unknown;
	onRetryFinished?(success: boolean, attempt: number, finalError?: string): unknown;
}

/** Twice as long each time. */
function retryDelayMs(
	{
		baseDelayMs,
		maxAgentDelayMs = DEFAULT_MAX_AGENT_RETRY_DELAY_MS,
	}: Omit<RetryPolicy, "enabled" | "maxRetries">,
	attempt: number,
): number {
	return Math.min(baseDelayMs * 2 ** Math.max(0, attempt - 1), maxAgentDelayMs);
}

export async function retryAssistantCall(
	produce: () => Promise<AssistantMessage>,
	policy: RetryPolicy | undefined,
	signal: AbortSignal | undefined,
	callbacks: RetryCallbacks = {},
): Promise<AssistantMessage> {
	let answer = await produce();
	if (!policy?.enabled) return answer;
	const most = policy.maxRetries;
	let attempt = 0;
	while (attempt < most && isRetryableAssistantError(answer)) {
		attempt++;
		const waitMs = answer.failure?.retryAfterMs ?? retryDelayMs(policy, attempt);
		await callbacks.onRetryScheduled?.(attempt, most, waitMs, answer.errorMessage ?? "");
		// Aborting the wait returns the existing answer.
		await delay(waitMs, signal).catch(() => {});
		if (signal?.aborted) break;
		await callbacks.onRetryAttemptStart?.();
		answer = await produce();
	}
	if (attempt > 0) {
		const failed = answer.stopReason === "error";
		await callbacks.onRetryFinished?.(!failed, attempt, failed ? answer.errorMessage : undefined);
	}
	return answer;
}

/** What extensions get of it. */
export const overflowExports = {
	isContextOverflow,
	isRecoverableLength,
	isRetryableAssistantError,
	DEFAULT_MAX_AGENT_RETRY_DELAY_MS,
	retryDelayMs,
	retryAssistantCall,
};
