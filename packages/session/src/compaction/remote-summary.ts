/** Has a summary written by a server of the user's choice: `{ systemPrompt, prompt }` is sent, `{ summary }` comes back. */
import {
	failure,
	MessageBuilder,
	type AssistantMessage,
	type Context,
	type Failure,
	type Model,
} from "@tau/ai";
import { isRecord } from "@tau/utils";

import { readBounded } from "@tau/config/models";
import { limits } from "./limits.ts";
import type { Ask } from "./summarize.ts";

/** An answer looks like one of the model; it costs nothing that Tau knows of. */
export function askRemote(endpoint: string, model: Model): Ask {
	return async (context, { signal }) => {
		const { message } = new MessageBuilder(model);
		try {
			const answer = await post(endpoint, context, signal);
			return typeof answer === "string"
				? { ...message, content: [{ type: "text", text: answer }], stopReason: "stop" }
				: failed(message, answer);
		} catch (error) {
			return failed(message, failure("network", `${endpoint}: ${String(error)}`));
		}
	};
}

async function post(
	endpoint: string,
	{ systemPrompt = "", messages }: Context,
	signal: AbortSignal,
): Promise<string | Failure> {
	const [first] = messages;
	const prompt = typeof first?.content === "string" ? first.content : "";
	const response = await fetch(endpoint, {
		method: "POST",
		signal,
		// The conversation must not be forwarded to another server.
		redirect: "error",
		headers: { "content-type": "application/json", accept: "application/json" },
		body: JSON.stringify({ systemPrompt, prompt }),
	});
	const text = (await readBounded(response, limits.remoteSummaryBytes)) ?? "";
	if (!response.ok) return failure("unknown", `${endpoint} answered with status ${response.status}`);
	const body: unknown = JSON.parse(text);
	if (isRecord(body) && typeof body.summary === "string") return body.summary;
	return failure("unknown", `${endpoint} answered without a summary`);
}

function failed(message: AssistantMessage, why: Failure): AssistantMessage {
	return { ...message, stopReason: "error", failure: why, errorMessage: why.message };
}
