/** Shortens old tool results in what the model reads; the session keeps them in full. */
import type { ExtensionAPI } from "@tau/coding-agent";

const keep = 4;
const longest = 500;

export default function forgetOldResults(pi: ExtensionAPI) {
	pi.on("context", ({ messages }) => {
		const results = messages.filter((message) => message.role === "toolResult");
		for (const result of results.slice(0, -keep)) {
			for (const part of result.content) {
				if (part.type !== "text" || part.text.length <= longest) continue;
				part.text = `${part.text.slice(0, longest)}\n[the rest was left out: run the tool again to see it]`;
			}
		}
		return { messages };
	});
}
