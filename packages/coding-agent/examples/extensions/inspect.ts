/** Shows the current state of Tau: /inspect. */
import type { ExtensionAPI } from "@tau/coding-agent";

export default function inspect(pi: ExtensionAPI) {
	pi.setLabel("Inspector");
	pi.registerCommand("inspect", {
		description: "Show the current state of Tau",
		handler(_args, ctx) {
			const active = new Set(pi.getActiveTools());
			const tools = pi
				.getAllTools()
				.map(
					({ name, sourceInfo }) => `${name}${active.has(name) ? "" : " (off)"} from ${sourceInfo.source}`,
				);
			const { contextFiles = [] } = ctx.getSystemPromptOptions();
			const lines = [
				`agent ${ctx.agent.id}, mode ${ctx.mode}, in ${ctx.cwd}, ${ctx.isProjectTrusted() ? "trusted" : "not trusted"}`,
				`tools: ${tools.join(", ")}`,
				`commands: ${pi
					.getCommands()
					.map(({ name, source }) => `/${name} (${source})`)
					.join(", ")}`,
				`system prompt: ${ctx.getSystemPrompt().length} characters, ${contextFiles.length} files`,
				`settings: ${Object.keys(pi.getSettings()).length} groups, steering ${String(pi.getSetting("steeringMode"))}`,
				`exports: ${Object.keys(pi.pi).length}, and ${Object.keys(pi.typebox).length} of typebox`,
			];
			ctx.ui.notify(lines.join("\n"));
		},
	});
}
