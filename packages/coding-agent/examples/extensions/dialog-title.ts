/** Shows in the title of the terminal that a question is waiting for an answer. */
import type { ExtensionAPI } from "@tau/coding-agent";

export default function dialogTitle(pi: ExtensionAPI) {
	pi.on("ui_prompt_start", ({ kind, title }, ctx) => ctx.ui.setTitle(`? ${title ?? kind}`));
	pi.on("ui_prompt_end", (_event, ctx) => ctx.ui.setTitle("tau"));
}
