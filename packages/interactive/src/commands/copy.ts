/** `/copy`: an answer, or a code block of one, to the clipboard. */
import { isRecord, stripControls } from "@tau/utils";
import { branchEntries, type Entry } from "@tau/wire";

import { copyToClipboard } from "../clipboard.ts";
import type { InteractiveHost } from "../host.ts";
import { codeBlocks, copyItems, copySelector } from "../selectors/copy/selector.ts";
import { limits } from "../selectors/limits.ts";
import { openSelector } from "../selectors/open.ts";
import type { SlashCommand } from "./command.ts";

export const copy: SlashCommand = {
	name: "copy",
	group: "Session",
	argumentHint: "[n | list]",
	words: ["list"],
	description: "Copy the last answer, the nth last, or a code block",
	async run(args, host) {
		// As many as the view has, unless an earlier answer is wanted by its number.
		const most = /^\d+$/.test(args) ? limits.searchedEntries : host.client.view.tail.entries.length;
		const entries = await branchEntries(host.client, most);
		const answers = entries.toReversed().map(textOf).filter(Boolean);
		const [last] = answers;
		if (last === undefined) return host.notify("No answer to copy yet.", "warning");
		if (/^\d+$/.test(args)) {
			const answer = answers[Number(args) - 1];
			if (answer === undefined)
				throw new Error(`There is no answer ${args}; this session has ${answers.length}.`);
			return copyText(host, answer, args === "1" ? "the last answer" : `answer ${args}`);
		}
		if (args !== "" && args !== "list") throw new Error("Usage: /copy, /copy <n> or /copy list");
		if (args === "" && codeBlocks(last).length === 0) return copyText(host, last, "the last answer");
		openSelector(host, (screen, close) => ({
			component: copySelector(screen, {
				items: copyItems(answers),
				copy: ({ id, kind, text }) =>
					copyText(host, text, id.includes(".") ? `a ${kind} block` : `the ${kind}`),
				close,
			}),
		}));
	},
};

function textOf({ message }: Entry): string {
	if (!isRecord(message) || message.role !== "assistant" || !Array.isArray(message.content)) return "";
	return message.content
		.map((part: unknown) => (isRecord(part) && part.type === "text" ? String(part.text) : ""))
		.join("")
		.trim();
}

/** Pasted into a terminal, control sequences of an answer would act there. */
async function copyText(host: InteractiveHost, text: string, what: string): Promise<void> {
	const copied = await copyToClipboard(host.tui.terminal, stripControls(text));
	if (!copied.ok) return host.notify(copied.message, "error");
	host.notify(`Copied ${what}${copied.viaTerminal ? " (via the terminal)" : ""}.`, "success");
}
