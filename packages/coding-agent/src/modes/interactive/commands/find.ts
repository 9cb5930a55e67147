/** `/find`: searches all messages of this session. */
import { wrapTextWithAnsi } from "@tau/tui";
import { isRecord, stripControls } from "@tau/utils";
import { userTextOf, type SessionEntry } from "@tau/session";

import type { InteractiveHost } from "../host.ts";
import { findSelector, type SaidMessage } from "../selectors/find/selector.ts";
import { report } from "../selectors/kit/report.ts";
import { limits } from "../selectors/limits.ts";
import { openSelector } from "../selectors/open.ts";
import type { SlashCommand } from "./command.ts";

export const find: SlashCommand = {
	name: "find",
	group: "Session",
	aliases: ["search"],
	argumentHint: "[text]",
	description: "Find something that was said in this session, tool output included",
	run(args, host) {
		const messages = host.log.getBranch().slice(-limits.searchedEntries).flatMap(messagesIn).toReversed();
		if (messages.length === 0) return host.notify("Nothing was said yet.");
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

function messagesIn(entry: SessionEntry): SaidMessage[] {
	if (entry.type !== "message") return [];
	const { message } = entry;
	const said = (who: string, text: string): SaidMessage[] =>
		text.trim() === "" ? [] : [{ id: entry.id, who, text: stripControls(text) }];
	if (message.role === "user") return said("you", userTextOf(message));
	if (message.role === "bashExecution") return said("!", `${message.command}\n${message.output}`);
	if (message.role === "assistant") return said("model", textOf(message.content));
	if (message.role === "toolResult") return said(message.toolName, textOf(message.content));
	return [];
}

function textOf(content: unknown): string {
	if (!Array.isArray(content)) return typeof content === "string" ? content : "";
	return content
		.map((part) => (isRecord(part) && part.type === "text" ? String(part.text) : ""))
		.filter(Boolean)
		.join("\n");
}

function show(host: InteractiveHost, { who, text }: SaidMessage): void {
	host.print(
		report(host.theme, (width, theme) => [
			theme.bold(who),
			...wrapTextWithAnsi(text.trimEnd(), width).slice(0, limits.diffRows),
		]),
	);
}
