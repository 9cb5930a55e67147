/** Phase 1: asks a model for the durable facts of one session, and keeps those that the session proves. */
import { fill } from "@tau/utils";
import { askJson, line, records, type AskMemory } from "./answers.ts";
import { factKinds, type FactKind, type NewFact } from "./fact.ts";
import { dayMs, limits } from "./limits.ts";
import input from "./stage_one_input.md" with { type: "text" };
import system from "./stage_one_system.md" with { type: "text" };
import { comparable, type SessionWords, type Words } from "./words.ts";

export interface Extracted {
	/** In the order in which they were said. */
	facts: (NewFact & { scope: "project" | "user" })[];
	synopsis: string;
}

export interface ExtractOptions {
	ask: AskMemory;
	/** The length of the conversation in the request. */
	tokenLimit: number;
	signal: AbortSignal;
}

/** Rejects if the model fails; a session in which nobody said anything has no facts. */
export async function extract(
	id: string,
	session: SessionWords,
	{ ask, tokenLimit, signal }: ExtractOptions,
): Promise<Extracted> {
	const words = fitting(session.words, tokenLimit * charsPerToken);
	if (!words.some(({ role }) => role === "user")) return { facts: [], synopsis: "" };
	const items = words.map(({ role, said, text }, n) => ({ n, role, date: dateOf(said), text }));
	const text = fill(input, { thread_id: id, response_items_json: JSON.stringify(items, null, 1) });
	const question = { systemPrompt: system.trim(), text, maxTokens: limits.extractionTokens };
	const answer = await askJson(ask, question, signal);
	const facts = records(answer.facts)
		.flatMap((record) => proven(id, record, words, session) ?? [])
		.slice(0, limits.factsPerSession)
		.toSorted((a, b) => a.said - b.said)
		.map((fact, position) => ({ ...fact, position }));
	return { facts, synopsis: line(answer.synopsis, limits.synopsisChars) };
}

const charsPerToken = 4;

export function dateOf(ms: number): string {
	return new Date(ms).toISOString().slice(0, 10);
}

/** Undefined without words of the user or the model that prove it, or if those only repeat what a tool returned. */
function proven(
	id: string,
	record: Record<string, unknown>,
	words: readonly Words[],
	session: SessionWords,
): Extracted["facts"][number] | undefined {
	const source = typeof record.n === "number" ? words[record.n] : undefined;
	const quote = line(record.quote, limits.quoteChars);
	const text = line(record.text, limits.factChars);
	if (!source || text === "" || comparable(quote).length < limits.quoteLeastChars) return undefined;
	if (!comparable(source.text).includes(comparable(quote))) return undefined;
	if (source.role === "assistant" && session.isToolOutput(quote)) return undefined;
	// What had to be masked is useless without it, and hints at where a secret is.
	if (`${text} ${quote}`.includes("[masked]")) return undefined;
	const days = record.expires_days;
	return {
		kind: kindOf(record.kind, source.role),
		text,
		subject: line(record.subject, limits.subjectChars),
		who: source.role,
		session: id,
		entry: source.entry,
		quote,
		position: 0,
		said: source.said,
		expires: typeof days === "number" && days > 0 ? source.said + days * dayMs : null,
		replacedBy: null,
		// Only the user can say what holds everywhere.
		scope: record.scope === "user" && source.role === "user" ? "user" : "project",
	};
}

/** What a model says about what must be done, or what the user likes, is no more than a statement. */
function kindOf(named: unknown, who: Words["role"]): FactKind {
	const kind = factKinds.find((each) => each === named) ?? "fact";
	return who === "assistant" && (kind === "constraint" || kind === "preference") ? "fact" : kind;
}

/** The user's messages come first: answers are shortened before anything is left out from the middle. */
function fitting(words: readonly Words[], chars: number): Words[] {
	const cut = (most: number): Words[] =>
		words.map((each) => ({
			...each,
			text: each.text.slice(0, each.role === "user" ? limits.messageChars : most),
		}));
	const sizeOf = (list: readonly Words[]): number => list.reduce((sum, { text }) => sum + text.length, 0);
	for (const most of [limits.messageChars, limits.messageChars / 8]) {
		const shorter = cut(most);
		if (sizeOf(shorter) <= chars) return shorter;
	}
	const shorter = cut(limits.messageChars / 8);
	const head: Words[] = [];
	const tail: Words[] = [];
	let room = chars;
	// Two from the end for each from the beginning: how it ended matters more.
	for (let step = 0; shorter.length > 0 && room > 0; step++) {
		const next = step % 3 === 0 ? shorter.shift() : shorter.pop();
		if (!next) break;
		room -= next.text.length;
		if (room < 0) break;
		if (step % 3 === 0) head.push(next);
		else tail.unshift(next);
	}
	return [...head, ...tail];
}
