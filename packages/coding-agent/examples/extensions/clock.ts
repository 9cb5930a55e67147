/** Tells the model the time in each request, without a trace in the session or the stored system prompt. */
import type { ExtensionAPI } from "@tau/coding-agent";

export default function clock(pi: ExtensionAPI) {
	pi.on("context_with_system", ({ messages }) => {
		const [head, ...rest] = messages;
		if (head?.role !== "system" || typeof head.content !== "string") return;
		const time = new Date().toISOString().slice(11, 16);
		return { messages: [{ ...head, content: `${head.content}\n\nIt is ${time} UTC.` }, ...rest] };
	});
}
