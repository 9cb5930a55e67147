/** Blocks calls that would write to protected files: secrets, and files that other programs generate. */
import { isToolCallEventType, type ExtensionAPI } from "@tau/coding-agent";

const untouched = [/(?:^|\/)\.env(?:\.|$)/, /(?:^|\/)node_modules\//, /(?:^|\/)\.git\//];

export default function protectedPaths(pi: ExtensionAPI) {
	pi.on("tool_call", (event) => {
		if (isToolCallEventType("bash", event)) {
			// Changing the input changes the call.
			event.input.command = `umask 077\n${event.input.command}`;
			return undefined;
		}
		if (event.toolName !== "write" && event.toolName !== "edit") return undefined;
		const path = String(event.input.path ?? "");
		if (!untouched.some((pattern) => pattern.test(path))) return undefined;
		return { block: true, reason: `${path} is protected: ask the user to change it.` };
	});
}
