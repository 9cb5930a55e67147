/** A permission gate: asks before commands that delete, change rights or become root, and refuses where nobody can answer. */
import { isToolCallEventType, type ExtensionAPI } from "@tau/coding-agent";

const dangerous = [/\brm\s+-\w*[rf]/, /\bsudo\b/, /\bchmod\s+-R\b/];

export default function askFirst(pi: ExtensionAPI) {
	pi.on("tool_call", async (event, { ui, hasUI }) => {
		if (!isToolCallEventType("bash", event)) return undefined;
		const { command } = event.input;
		if (!dangerous.some((pattern) => pattern.test(command))) return undefined;
		const isAllowed = hasUI && (await ui.confirm("Run this command?", command));
		return isAllowed ? undefined : { block: true, reason: "The user did not allow this command." };
	});
}
