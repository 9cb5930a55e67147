/** `/dump`: the whole conversation to the clipboard, as Markdown. */
import { limits } from "../selectors/limits.ts";
import type { SlashCommand } from "./command.ts";

export const dump: SlashCommand = {
	name: "dump",
	group: "Session",
	description: "Copy the whole conversation to the clipboard",
	async run(_, host) {
		if (host.log.getLeafId() === null) return host.notify("Nothing to copy yet.", "warning");
		const [{ exportSource, toMarkdown }, { copyText, osc52Copy }] = await Promise.all([
			import("@tau/session/export"),
			import("../clipboard-on-demand.ts"),
		]);
		const text = toMarkdown(exportSource(host.log));
		if (text.length > limits.dumpChars)
			throw new Error("The conversation is too long to copy. Use /export to write it to a file.");
		const done = await copyText(text);
		if (done.ok) return host.notify("Copied the conversation.", "success");
		// Over ssh no program reaches the user's clipboard; the terminal itself does.
		const sequence = osc52Copy(text);
		if (sequence === undefined) throw new Error(`${done.message} Use /export to write it to a file.`);
		host.tui.terminal.write(sequence);
		host.notify("Copied the conversation (via the terminal).", "success");
	},
};
