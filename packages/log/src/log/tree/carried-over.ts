/** Writes what a compaction carries over, behind its summary: facts by section, then the user's messages. */
import type { CarriedFact } from "@tau/agent";
import { isRecord, fill } from "@tau/utils";

import factsTemplate from "./carried-facts.md" with { type: "text" };
import messagesTemplate from "./carried-messages.md" with { type: "text" };
import resultsTemplate from "./carried-results.md" with { type: "text" };
import olderNote from "./carried-older.md" with { type: "text" };
import type { CarriedMessage, CarriedOver, CarriedResult } from "./entry.ts";

/** Their order is the order in the text. */
const sections: Readonly<Record<CarriedFact["section"], string>> = {
	todo: "todo-list",
	decision: "decisions-of-the-user",
	failing: "failing-checks",
};

/** A file may hold anything here; what is not valid is left out. */
export function readCarried(value: unknown): CarriedOver {
	const { messages, omitted, facts, results, omittedResults } = isRecord(value) ? value : {};
	return {
		messages: Array.isArray(messages) ? messages.filter(isMessage) : [],
		...(typeof omitted === "number" && omitted > 0 ? { omitted } : {}),
		facts: Array.isArray(facts) ? facts.filter(isFact) : [],
		...(Array.isArray(results) ? { results: results.filter(isResult) } : {}),
		...(typeof omittedResults === "number" && omittedResults > 0 ? { omittedResults } : {}),
	};
}

/** Empty if there is nothing to carry over. `isReadable`: whether the whole messages can be read by their addresses. */
export function carriedText(value: unknown, isReadable = true): string {
	if (value === undefined) return "";
	const { messages, omitted = 0, facts = [], results = [], omittedResults = 0 } = readCarried(value);
	const parts = Object.entries(sections).map(([section, tag]) => {
		const own = facts.filter((fact) => fact.section === section);
		const lines = own.map(({ text }) => closed(text)).join("\n");
		return own.length === 0 ? "" : fill(factsTemplate, { section: tag, facts: lines });
	});
	const listed = isReadable ? resultsText(results, omittedResults) : "";
	return [...parts, listed, messagesText(messages, omitted, isReadable)]
		.filter((part) => part !== "")
		.join("\n\n");
}

/**
 * Reads a text of `carriedText` behind a summary back, after a user has changed it. Facts whose text is no longer there
 * are dropped, and messages are as the user left them.
 */
export function readCarriedText(text: string, before: unknown): { summary: string; carried: CarriedOver } {
	const { omitted = 0, facts = [], results = [], omittedResults = 0 } = readCarried(before);
	const [block = ""] = /<user-messages>[^]*<\/user-messages>/.exec(text) ?? [];
	const messages = Array.from(
		block.matchAll(/<message id="([^"]*)"( shortened)?>\n([^]*?)\n<\/message>/g),
		([, id = "", cut, content = ""]): CarriedMessage => ({
			id,
			text: content.replaceAll("<\\/", "</"),
			...(cut ? { cut: true } : {}),
		}),
	);
	let summary = text.replace(block, "");
	for (const tag of [...Object.values(sections), "tool-results"])
		summary = summary.replaceAll(new RegExp(`<${tag}>[^]*?</${tag}>`, "g"), "");
	return {
		summary: summary.replaceAll(/\n{3,}/g, "\n\n").trim(),
		carried: {
			messages,
			...(omitted > 0 ? { omitted } : {}),
			facts: facts.filter((fact) => text.includes(closed(fact.text))),
			results: results.filter(({ id }) => text.includes(`session://${id}`)),
			...(omittedResults > 0 ? { omittedResults } : {}),
		},
	};
}

function resultsText(results: readonly CarriedResult[], omitted: number): string {
	if (results.length === 0) return "";
	return fill(resultsTemplate, {
		omitted: omitted > 0 ? ` (${omitted} more)` : "",
		results: results.map(({ id, about }) => `session://${id}  ${closed(about)}`).join("\n"),
	});
}

function messagesText(messages: readonly CarriedMessage[], omitted: number, isReadable: boolean): string {
	if (messages.length === 0) return "";
	const shown = messages.map(({ id, text, cut }) => {
		const part = cut ? " shortened" : "";
		return `<message${isReadable ? ` id="${id}"` : ""}${part}>\n${closed(text)}\n</message>`;
	});
	const notes = isReadable && messages.some(({ cut }) => cut) ? [olderNote.trim()] : [];
	const before = omitted > 0 ? [`(${omitted} older messages)`] : [];
	return fill(messagesTemplate, { messages: [...notes, ...before, ...shown].join("\n") });
}

const closings = new RegExp(
	`</(${["summary", "user-messages", "message", "tool-results", ...Object.values(sections)].join("|")})>`,
	"gi",
);

/** No text can close a tag around it. */
function closed(text: string): string {
	return text.replaceAll(closings, "<\\/$1>");
}

function isMessage(value: unknown): value is CarriedMessage {
	return isRecord(value) && typeof value.id === "string" && typeof value.text === "string";
}

function isResult(value: unknown): value is CarriedResult {
	return isRecord(value) && typeof value.id === "string" && typeof value.about === "string";
}

function isFact(value: unknown): value is CarriedFact {
	return (
		isRecord(value) &&
		typeof value.section === "string" &&
		Object.hasOwn(sections, value.section) &&
		typeof value.key === "string" &&
		typeof value.text === "string"
	);
}
