/** Adds a provider with its own model, which answers without a server: --model echo/parrot. */
import type { AssistantMessage, ExtensionAPI, Message } from "@tau/coding-agent";

export default function echoProvider(pi: ExtensionAPI) {
	pi.registerProvider("echo", {
		api: "echo",
		models: [{ id: "parrot", name: "Parrot", contextWindow: 8000, maxTokens: 1000 }],
		streamSimple(model, { messages }) {
			const text = userTextIn(messages);
			const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
			const message: AssistantMessage = {
				role: "assistant",
				content: [{ type: "text", text }],
				api: model.api,
				provider: model.provider,
				model: model.id,
				usage: { ...none, totalTokens: 0, cost: { ...none, total: 0 } },
				stopReason: "stop",
				timestamp: Date.now(),
			};
			const events = [
				{ type: "start", partial: message },
				{ type: "text_start", contentIndex: 0, partial: message },
				{ type: "text_delta", contentIndex: 0, delta: text, partial: message },
				{ type: "text_end", contentIndex: 0, content: text, partial: message },
				{ type: "done", reason: "stop", message },
			] as const;
			return {
				async *[Symbol.asyncIterator]() {
					yield* events;
				},
				result: async () => message,
			};
		},
	});
}

function userTextIn(messages: readonly Message[]): string {
	const last = messages.findLast((message) => message.role === "user");
	if (!last) return "";
	if (typeof last.content === "string") return last.content;
	return last.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}
