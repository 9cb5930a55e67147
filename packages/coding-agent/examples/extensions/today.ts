/** Tells the model the date in each request, without a trace in the session or in the system prompt that is kept. */
import type { ExtensionAPI } from "@tau/coding-agent";

export default function today(pi: ExtensionAPI) {
	pi.on("context_with_system", ({ messages }) => {
		const [head, ...rest] = messages;
		if (head?.role !== "system" || typeof head.content !== "string") return;
		const date = new Date().toISOString().slice(0, 10);
		return { messages: [{ ...head, content: `${head.content}\n\nToday is ${date}.` }, ...rest] };
	});
}
