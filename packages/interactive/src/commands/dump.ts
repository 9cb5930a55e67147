/** `/dump`: the whole conversation to the clipboard, as Markdown. */
import { dump as row, type DumpData } from "@tau/session-commands/rows";
import { drawReply } from "../run-row.ts";
import { onScreen } from "./on-screen.ts";

export const dump = onScreen(row, async (reply, host) => {
	const { markdown } = (reply.data ?? {}) as Partial<DumpData>;
	if (markdown === undefined) return drawReply(reply, host);
	const { copyText, osc52Copy } = await import("../clipboard-on-demand.ts");
	const done = await copyText(markdown);
	if (done.ok) return host.notify("Copied the conversation.", "success");
	// Over ssh no program reaches the user's clipboard; the terminal itself does.
	const sequence = osc52Copy(markdown);
	if (sequence === undefined) throw new Error(`${done.message} Use /export to write it to a file.`);
	host.tui.terminal.write(sequence);
	host.notify("Copied the conversation (via the terminal).", "success");
});
