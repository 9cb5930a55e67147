/** Draws arrows as arrows, and the number of words below thinking. The session keeps the original text. */
import type { ExtensionAPI } from "@tau/coding-agent";
import { Text } from "@tau/tui";

export default function finePrint(pi: ExtensionAPI) {
	pi.registerMarkdownTransformer((markdown, { messageType, isStreaming }) => {
		if (isStreaming || messageType === "user") return markdown;
		// Code is not changed.
		const parts = markdown.split(/(```[^]*?```|`[^`]*`)/);
		return parts.map((part, at) => (at % 2 === 0 ? part.replaceAll("-->", "→") : part)).join("");
	});
	pi.registerAssistantThinkingRenderer(({ text }, theme) => {
		const count = text.split(/\s+/).filter(Boolean).length;
		return count < 20 ? undefined : new Text(theme.fg("dim", `${count} words`), 3, 0);
	});
}
