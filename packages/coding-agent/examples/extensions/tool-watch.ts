/** Lists running tools above the editor, with their current output. */
import type { ExtensionAPI, ExtensionContext } from "@tau/coding-agent";

export default function toolWatch(pi: ExtensionAPI) {
	const running = new Map<string, string>();
	const show = ({ ui }: ExtensionContext): void =>
		ui.setWidget("tools", running.size > 0 ? [...running.values()] : undefined);
	pi.on("tool_execution_start", ({ toolCallId, toolName, args }, ctx) => {
		running.set(toolCallId, pi.describeToolCall(toolName, args));
		show(ctx);
	});
	pi.on("tool_execution_update", ({ toolCallId, toolName, partialResult }, ctx) => {
		const [part] = partialResult.content;
		if (part?.type === "text") running.set(toolCallId, `${toolName}: ${part.text.split("\n").at(-1) ?? ""}`);
		show(ctx);
	});
	pi.on("tool_execution_end", ({ toolCallId, toolName, isError }, ctx) => {
		running.delete(toolCallId);
		show(ctx);
		if (isError) ctx.ui.notify(`${toolName} failed.`, "warning");
	});
}
