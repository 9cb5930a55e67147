/** What extensions see and change of a request to a model: its whole context, its body and headers, and what comes back. */
import type { Context, Model, StreamFunction, StreamOptions } from "@tau/ai";
import { log } from "@tau/utils";
import type { AskChange, RequestWatch } from "@tau/session";

import { normalizeContext, plainContext } from "../support/system-messages.ts";
import { laterStream } from "../providers/later-stream.ts";
import { limits } from "../support/limits.ts";
import type { ExtensionRunner } from "../host/runner.ts";
import type { ContextWithSystemEvent } from "../api/event-types.ts";

/** This has no cost if no extension handles request events. */
export function askChange(runner: () => ExtensionRunner): AskChange {
	const streamEvents = new StreamEvents(runner);
	return (request) => {
		const { model, stream } = request;
		const { events, tiers, routes, tools } = runner();
		const tier = tiers.of(model);
		const options: StreamOptions = {
			...request.options,
			...(tier === undefined ? {} : { serviceTier: tier }),
			...(events.has("provider_stream_event")
				? { onProviderStreamEvent: (data: unknown) => streamEvents.emit(data, model) }
				: {}),
		};
		const sent = (whole: Context): Context => {
			const context = whole.tools ? { ...whole, tools: tools.declared(whole.tools) } : whole;
			routes.noteTurn(context);
			return context;
		};
		if (!events.has("context_with_system")) return { ...request, context: sent(request.context), options };
		const later: StreamFunction = (_, context) =>
			laterStream(model, async () => stream(model, sent(await wholeContext(runner(), context)), options));
		return { ...request, options, stream: later };
	};
}

async function wholeContext(runner: ExtensionRunner, context: Context): Promise<Context> {
	let whole = normalizeContext(context);
	await runner.events.ask(
		"context_with_system",
		(): ContextWithSystemEvent => ({ type: "context_with_system", messages: [...whole.messages] }),
		({ messages }) => {
			if (!Array.isArray(messages)) return undefined;
			// Behind `context` there are only messages of models, and handlers put back what they were given.
			const sent = messages as typeof whole.messages;
			if (sent[0]?.role === "system") whole = { messages: sent };
			else
				void runner.notify(
					"A context_with_system handler dropped the system message, so its result was ignored.",
				);
			return undefined;
		},
	);
	return plainContext(whole);
}

/** One event after the other, however long handlers take over one; the answer itself does not wait. */
class StreamEvents {
	readonly #runner: () => ExtensionRunner;
	#last: Promise<void> = Promise.resolve();
	#waiting = 0;

	constructor(runner: () => ExtensionRunner) {
		this.#runner = runner;
	}

	emit(data: unknown, { provider, api, id }: Model): void {
		if (this.#waiting >= limits.streamEvents) {
			log.warn("provider_stream_event handlers are too slow: an event was dropped", { provider });
			return;
		}
		this.#waiting++;
		this.#last = this.#last.then(async () => {
			await this.#runner().emit({ type: "provider_stream_event", provider, api, model: id, data });
			this.#waiting--;
		});
	}
}

const watchedEvents = [
	"before_provider_request",
	"before_provider_headers",
	"after_provider_response",
] as const;

export function requestWatch(runner: () => ExtensionRunner): RequestWatch {
	return {
		isActive: () => watchedEvents.some((name) => runner().events.has(name)),
		async onPayload(payload: unknown): Promise<unknown> {
			let sent = payload;
			await runner().events.ask(
				"before_provider_request",
				() => ({ type: "before_provider_request", payload: sent }),
				(answer) => {
					sent = answer;
					return undefined;
				},
			);
			return sent;
		},
		async onHeaders(headers: Record<string, string | null>): Promise<void> {
			await runner().emit({ type: "before_provider_headers", headers });
		},
		onResponse({ status, headers }: { status: number; headers: Record<string, string> }): void {
			void runner().emit({ type: "after_provider_response", status, headers });
		},
	};
}
