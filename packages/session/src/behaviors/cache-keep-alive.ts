/** Keeps the conversation in the provider's cache while tools run longer than it stays there, if the user wants that. */
import { cacheLifetimeMs, type Model } from "@tau/ai";
import { log as logger, timer } from "@tau/utils";

import type { SessionManager } from "@tau/log";
import type { Behavior, SessionHandle } from "../run/behavior.ts";

/** A request is sent when so much of the time has passed, so that it arrives before the rest has. */
const shareOfLifetime = 0.8;

export interface KeepAliveParts {
	/** How many requests may be sent during the tools of one turn. */
	most(): number;
	/** How long the provider keeps a prefix; undefined if it does not say. */
	lifetimeMs?(model: Model): number | undefined;
}

/** The kind of its entries in the log. */
export const keepAliveKind = "keep-alive";

export function cacheKeepAlive(
	log: SessionManager,
	{ most, lifetimeMs = (model) => cacheLifetimeMs(model) }: KeepAliveParts,
): Behavior {
	return {
		name: "cache-keep-alive",
		attach(session) {
			using owned = new DisposableStack();
			let waiting: Disposable | undefined;
			let sent = 0;
			/** When the provider has read the prefix last. */
			let readAt = 0;
			const cancel = (): void => waiting?.[Symbol.dispose]();
			const wait = (): void => {
				cancel();
				const lifetime = most() > sent ? lifetimeMs(session.model) : undefined;
				if (lifetime === undefined) return;
				waiting = timer(Math.max(0, readAt + lifetime * shareOfLifetime - Date.now()), () => void ping());
			};
			const ping = async (): Promise<void> => {
				if (session.state.pendingToolCalls.size === 0) return;
				sent++;
				readAt = Date.now();
				if (await keepAlive(session, log)) wait();
			};
			owned.defer(cancel);
			owned.use(
				session.onAfter(["message_start", "tool_execution_start", "turn_start", "agent_end"], (event) => {
					if (event.type === "message_start" && event.message.role === "assistant") readAt = Date.now();
					if (event.type === "tool_execution_start") wait();
					if (event.type === "turn_start" || event.type === "agent_end") {
						cancel();
						sent = 0;
					}
				}),
			);
			return owned.move();
		},
	};
}

/** Sends the last request again and reads only the beginning of the answer. Returns whether that went well. */
async function keepAlive(session: SessionHandle, log: SessionManager): Promise<boolean> {
	const { signal } = session;
	if (!signal || signal.aborted) return false;
	const sessionId = log.getSessionId();
	try {
		const { context, options } = await session.nextRequest(signal);
		// A thinking budget is derived from the maximum, and another budget would miss the cache.
		const maxTokens = options.reasoning === "off" ? { maxTokens: 1 } : {};
		const answer = await session.sideTurn({
			context,
			options: { ...options, ...maxTokens },
			isPing: true,
			signal,
		});
		const { provider, model, usage, stopReason, errorMessage } = answer;
		if (usage.totalTokens > 0 || usage.cacheRead > 0) {
			session.recordUsage(keepAliveKind, answer);
			if (log.getSessionId() === sessionId) log.appendUsage(keepAliveKind, provider, model, usage);
		}
		if (stopReason === "error") logger.warn("the cache was not kept alive", { reason: errorMessage ?? "" });
		return stopReason !== "error" && !signal.aborted;
	} catch (error) {
		logger.warn("the cache was not kept alive", { reason: String(error) });
		return false;
	}
}
