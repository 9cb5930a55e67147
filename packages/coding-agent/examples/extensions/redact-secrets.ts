/** Removes text that looks like a key from tool results before the model reads them. */
import type { ExtensionAPI } from "@tau/coding-agent";

const keys = /\b(?:sk-[\w-]{16,}|ghp_\w{20,}|AKIA[A-Z0-9]{16})\b/g;

export default function redactSecrets(pi: ExtensionAPI) {
	pi.on("tool_result", ({ content }) => {
		let count = 0;
		const clean = content.map((part) => {
			if (part.type !== "text") return part;
			const text = part.text.replace(keys, () => {
				count++;
				return "[redacted]";
			});
			return { ...part, text };
		});
		// Fields that are not returned stay as they are.
		return count > 0 ? { content: clean } : undefined;
	});
}
