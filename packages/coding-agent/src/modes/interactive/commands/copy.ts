/** `/copy`: the last answer to the clipboard. */
import type { SlashCommand } from "./command.ts";

export const copy: SlashCommand = {
	name: "copy",
	description: "Copy the last answer to the clipboard",
	async run(_, host) {
		const answer = host.session.state.messages.findLast(({ role }) => role === "assistant");
		const text =
			answer?.role === "assistant"
				? answer.content.map((part) => (part.type === "text" ? part.text : "")).join("")
				: "";
		if (text.trim() === "") return host.notify("No answer to copy yet.", "warning");
		const { copyText, osc52Copy } = await import("@tau/sys");
		const done = await copyText(text.trim());
		if (done.ok) return host.notify("Copied the last answer.", "success");
		// Over ssh no program reaches the user's clipboard; the terminal itself does.
		const sequence = osc52Copy(text.trim());
		if (sequence === undefined) return host.notify(done.message, "error");
		host.tui.terminal.write(sequence);
		host.notify("Copied the last answer (via the terminal).", "success");
	},
};
