/** Phase 2: lets a model merge facts, mark what is outdated and write skills; nothing is deleted. */
import { maskSecrets, stripControls, fill } from "@tau/utils";

import { askJson, line, records, type AskMemory } from "./answers.ts";
import consolidation from "./consolidation.md" with { type: "text" };
import { dateOf } from "./extract.ts";
import { counts, type Fact, type MemoryChange, type Skill } from "./fact.ts";
import { limits } from "./limits.ts";
import type { ChangeDraft, MemoryStore } from "./store.ts";

export interface ConsolidateOptions {
	ask: AskMemory;
	tokenLimit: number;
	propose: boolean;
	signal: AbortSignal;
	now?: number;
}

/** Undefined if there was nothing to change. Rejects if the model fails; then nothing has changed. */
export async function consolidate(
	store: MemoryStore,
	{ ask, tokenLimit, propose, signal, now = Date.now() }: ConsolidateOptions,
): Promise<MemoryChange | undefined> {
	const current = store.facts().filter((fact) => counts(fact, now));
	const state = stateOf(store);
	if (current.length < 2) {
		store.setMeta("consolidated", state);
		return undefined;
	}
	const room = tokenLimit * 4;
	const shown = newestWithin(current.map(factLine), room);
	const sessions = newestWithin(store.sessions.synopses().map(sessionLine).toReversed(), room / 4);
	const systemPrompt = fill(consolidation, {
		raw_memories: shown.join("\n"),
		rollout_summaries: sessions.join("\n"),
	});
	const answer = await askJson(
		ask,
		{ systemPrompt, text: "Consolidate these facts.", maxTokens: limits.consolidationTokens },
		signal,
	);
	const change = store.change({ label: "consolidation", propose }, (draft) => {
		// What the user has deleted or edited while the model was thinking is not touched.
		const unchanged = current.filter(({ id, text }) => store.fact(id)?.text === text);
		const known = new Map(unchanged.map((fact) => [fact.id, fact]));
		mergeFacts(draft, answer, known, store);
		replaceFacts(draft, answer, known, now);
		putSkills(draft, answer, new Map(unchanged.map((fact) => [fact.id, fact])), store.skills());
	});
	store.setMeta("consolidated", stateOf(store));
	return change;
}

/** Whether there are facts that no consolidation has seen. */
export function needsConsolidation(store: MemoryStore): boolean {
	return store.meta("consolidated") !== stateOf(store);
}

function stateOf(store: MemoryStore): string {
	return Bun.hash(JSON.stringify(store.facts())).toString(36);
}

function factLine({ id, kind, said, subject, text }: Fact): string {
	return `${id}. [${kind}, ${dateOf(said)}, ${subject}] ${text}`;
}

function sessionLine({
	modified,
	name,
	synopsis,
}: {
	modified: number;
	name: string;
	synopsis: string;
}): string {
	return `- ${dateOf(modified)} ${name}: ${synopsis}`;
}

/** Lines are oldest first; the oldest are left out if there are too many. */
function newestWithin(lines: readonly string[], chars: number): string[] {
	let room = chars;
	const kept: string[] = [];
	for (const each of lines.toReversed()) {
		room -= each.length + 1;
		if (room < 0) break;
		kept.unshift(each);
	}
	return kept;
}

function mergeFacts(
	draft: ChangeDraft,
	answer: Record<string, unknown>,
	known: Map<number, Fact>,
	{ tombstones }: MemoryStore,
): void {
	for (const { ids, text, subject } of records(answer.merged)) {
		const isWhole = Array.isArray(ids) && ids.every((id: unknown) => factIn(known, id));
		const parts = isWhole ? [...new Set(ids)].flatMap((id: unknown) => factIn(known, id) ?? []) : [];
		const whole = line(text, limits.factChars);
		const newest = parts.toSorted((a, b) => b.said - a.said)[0];
		if (parts.length < 2 || !newest || whole === "" || whole.includes("[masked]")) continue;
		const expires = parts.every((part) => part.expires !== null)
			? Math.max(...parts.map((part) => part.expires ?? 0))
			: null;
		const { id: _, ...source } = newest;
		if (tombstones.covers({ text: whole, session: newest.session })) continue;
		const who = parts.every((part) => part.who === "user") ? "user" : "assistant";
		const merged = draft.add({
			...source,
			who,
			text: whole,
			subject: line(subject, limits.subjectChars) || newest.subject,
			expires,
		});
		for (const part of parts) {
			draft.update(part, { replacedBy: merged });
			known.delete(part.id);
		}
	}
}

/** The newer one wins, whatever the model says about their order. */
function replaceFacts(
	draft: ChangeDraft,
	answer: Record<string, unknown>,
	known: ReadonlyMap<number, Fact>,
	now: number,
): void {
	const gone = new Set<number>();
	for (const { older, newer } of records(answer.replaced)) {
		const [one, two] = [factIn(known, older), factIn(known, newer)];
		if (!one || !two || one.id === two.id) continue;
		const [old, recent] = one.said > two.said ? [two, one] : [one, two];
		if (gone.has(old.id) || gone.has(recent.id)) continue;
		gone.add(old.id);
		draft.update(old, { replacedBy: recent.id });
	}
	for (const id of Array.isArray(answer.expired) ? answer.expired : []) {
		const fact = factIn(known, id);
		if (fact && !gone.has(fact.id)) draft.update(fact, { expires: now });
	}
}

/** A list that is missing retires nothing. */
function putSkills(
	draft: ChangeDraft,
	answer: Record<string, unknown>,
	known: ReadonlyMap<number, Fact>,
	before: readonly Skill[],
): void {
	if (!Array.isArray(answer.skills)) return;
	const kept = new Set<string>();
	for (const { name, description, body, sources } of records(answer.skills)) {
		const proof = Array.isArray(sources) ? sources.filter((id: unknown) => factIn(known, id)) : [];
		const isNamed = typeof name === "string" && /^[a-z0-9][a-z0-9-]{0,63}$/.test(name);
		if (!isNamed || typeof body !== "string" || kept.size >= limits.skills) continue;
		// A playbook that no fact supports was made up, unless it was there before.
		const isKnown = before.some((skill) => skill.name === name);
		if (proof.length === 0 && !isKnown) continue;
		kept.add(name);
		const clean = maskSecrets(stripControls(body)).slice(0, limits.skillChars).trim();
		const skill = { name, description: line(description, limits.factChars), body: clean };
		const same = before.find((each) => each.name === name);
		if (same?.body !== skill.body || same.description !== skill.description) draft.putSkill(skill);
	}
	for (const { name } of before) if (!kept.has(name)) draft.removeSkill(name);
}

function factIn(known: ReadonlyMap<number, Fact>, id: unknown): Fact | undefined {
	return typeof id === "number" ? known.get(id) : undefined;
}
