/** `/find`: searches all messages of this session. */
import { wrapTextWithAnsi } from "@tau/tui";
import { isRecord, stripControls } from "@tau/utils";
import { branchEntries, userTextOf, type Entry, type WireMessage } from "@tau/wire";

import type { InteractiveHost } from "../host.ts";
import { findSelector, type SearchableMessage } from "../selectors/find/selector.ts";
import { report } from "../selectors/kit/report.ts";
import { limits } from "../selectors/limits.ts";
import { openSelector } from "../selectors/open.ts";
import type { SlashCommand } from "./command.ts";

export const find: SlashCommand = {
	name: "find",
	group: "Session",
	aliases: ["search"],
	argumentHint: "[text]",
	takesText: true,
	description: "Find text in the messages of this session, tool output included",
	async run(args, host) {
		const entries = await branchEntries(host.client, limits.searchedEntries);
		const messages = entries.flatMap(messagesIn).toReversed();
		if (messages.length === 0) return host.notify("There are no messages yet.");
		openSelector(host, (screen, close) => ({
			component: findSelector(screen, {
				messages,
				...(args === "" ? {} : { search: args }),
				show: (message) => show(host, message),
				close,
			}),
		}));
	},
};

function messagesIn(entry: Entry): SearchableMessage[] {
	if (entry.type !== "message" || !isRecord(entry.message)) return [];
	// Lines of the log of this type have one.
	const message = entry.message as WireMessage;
	const messageOf = (who: string, text: string): SearchableMessage[] =>
		text.trim() === "" ? [] : [{ id: entry.id, who, text: stripControls(text) }];
	if (message.role === "user") return messageOf("you", userTextOf(message));
	if (message.role === "bashExecution") return messageOf("!", `${message.command}\n${message.output}`);
	if (message.role === "assistant") return messageOf("model", textOf(message.content));
	if (message.role === "toolResult") return messageOf(message.toolName, textOf(message.content));
	return [];
}

function textOf(content: unknown): string {
	if (!Array.isArray(content)) return typeof content === "string" ? content : "";
	return content
		.map((part) => (isRecord(part) && part.type === "text" ? String(part.text) : ""))
		.filter(Boolean)
		.join("\n");
}

function show(host: InteractiveHost, { who, text }: SearchableMessage): void {
	host.print(
		report(host.theme, (width, theme) => [
			theme.bold(who),
			...wrapTextWithAnsi(text.trimEnd(), width).slice(0, limits.diffRows),
		]),
	);
}
