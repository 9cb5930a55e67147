/** Whatever the operations and their order, a session agrees with a list of entries in memory. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";

import fc from "fast-check";

import { anyCharacter } from "../../../../test/support/any-character.ts";
import { samples } from "../../../../test/support/depth.ts";
import { SessionManager } from "./session-manager.ts";
import { folder, parsedLines, said, type Folder } from "./testing/sample.ts";

let home: Folder;
beforeEach(() => {
	home = folder();
});
afterEach(() => home[Symbol.dispose]());

interface Known {
	id: string;
	parentId: string | null;
	/** Part of the conversation, and so a reason to have a file. */
	isSaid?: boolean;
	/** The text that a model would get. */
	says?: string;
	/** The first entry that a compaction kept. */
	keeps?: string;
	/** Noted beside the conversation. */
	isName?: boolean;
}

/** The simplest implementation of a session. */
class Model {
	entries: Known[] = [];
	leaf: string | null = null;
	labels = new Map<string, string>();
	name: string | undefined;

	add(id: string, fields: Partial<Known> = {}): void {
		this.entries.push({ id, parentId: this.leaf, isSaid: fields.says !== undefined, ...fields });
		this.leaf = id;
	}

	/** Where a session continues that is opened again. */
	lastRole(): string | null {
		let last = this.entries.at(-1);
		while (last?.isName && last.parentId !== null) last = this.find(last.parentId);
		return last?.id ?? null;
	}

	path(): Known[] {
		const path: Known[] = [];
		for (let at = this.find(this.leaf); at; at = this.find(at.parentId)) path.unshift(at);
		return path;
	}

	find(id: string | null): Known | undefined {
		return this.entries.find((entry) => entry.id === id);
	}

	context(): string[] {
		const path = this.path();
		const last = path.findLastIndex(({ keeps }) => keeps !== undefined);
		if (last === -1) return path.flatMap(({ says }) => says ?? []);
		const kept = path.findIndex(({ id }) => id === path[last]?.keeps);
		const before = kept === -1 ? [] : path.slice(kept, last);
		const after = path.slice(last + 1);
		const words = [...before, ...after].flatMap(({ says, keeps }) =>
			keeps === undefined ? (says ?? []) : [],
		);
		return [path[last]?.says ?? "", ...words];
	}
}

interface State {
	session: SessionManager;
	model: Model;
}

type Step = (state: State) => void;

const words = fc.string({ unit: anyCharacter, maxLength: 40 });
const anywhere = fc.double({ min: 0, max: 0.999, noNaN: true });

function pick({ model }: State, at: number): Known | undefined {
	return model.entries[Math.floor(at * model.entries.length)];
}

function reopen(state: State, damage = ""): void {
	const path = state.session.getSessionFile() ?? "";
	state.session[Symbol.dispose]();
	const wasInjected = state.model.entries.some(({ isSaid }) => isSaid);
	if (damage !== "" && wasInjected) writeFileSync(path, damage, { flag: "a" });
	state.session = SessionManager.open(path, home.path, "/work");
	// Entries without a message after them are not on disk: there is nothing to resume.
	if (!wasInjected) state.model = new Model();
	state.model.leaf = state.model.lastRole();
}

const step: fc.Arbitrary<Step> = fc.oneof(
	{
		weight: 6,
		arbitrary: words.map(
			(says): Step =>
				({ session, model }) =>
					model.add(session.appendMessage(said(says)), { says }),
		),
	},
	words.map((says): Step => ({ session, model }) => {
		model.add(session.appendCustomMessageEntry("note", says, true), { says });
	}),
	fc.jsonValue({ maxDepth: 2 }).map((data): Step => ({ session, model }) => {
		model.add(session.appendCustomEntry("state", data));
	}),
	fc.constantFrom("low", "high").map((level): Step => ({ session, model }) => {
		model.add(session.appendThinkingLevelChange(level));
	}),
	words.map((name): Step => ({ session, model }) => {
		model.add(session.appendSessionInfo(name), { isName: true });
		model.name = name.trim() || undefined;
	}),
	fc.tuple(anywhere, words).map(([at, label]): Step => (state) => {
		const target = pick(state, at);
		if (!target) return;
		state.model.add(state.session.appendLabelChange(target.id, label));
		if (label === "") state.model.labels.delete(target.id);
		else state.model.labels.set(target.id, label);
	}),
	fc.tuple(anywhere, words).map(([at, says]): Step => ({ session, model }) => {
		const path = model.path();
		const keeps = path[Math.floor(at * path.length)]?.id ?? "none";
		model.add(session.appendCompaction(says, keeps, 1), { says, keeps });
	}),
	anywhere.map((at): Step => (state) => {
		const target = pick(state, at);
		if (!target) return;
		state.session.branch(target.id);
		state.model.leaf = target.id;
	}),
	fc.tuple(anywhere, words).map(([at, summary]): Step => (state) => {
		const target = pick(state, at)?.id ?? null;
		const id = state.session.branchWithSummary(target, summary);
		state.model.leaf = target;
		state.model.add(id, summary === "" ? { isSaid: true } : { says: summary });
	}),
	fc.constant<Step>(({ session, model }) => {
		session.resetLeaf();
		model.leaf = null;
	}),
	fc.constant<Step>((state) => reopen(state)),
	fc
		.constantFrom(
			"{",
			'{"type":"message","id":"0000',
			"\0\0\0",
			'{"type":"message","id":"ffffffff","parentId":null,"timestamp":"now","message":{',
		)
		.map(
			(damage): Step =>
				(state) =>
					reopen(state, damage),
		),
	fc.constant<Step>(({ session }) => void session.fork()),
	fc.constant<Step>((state) => {
		const { session, model } = state;
		if (model.leaf === null) return;
		const path = model.path();
		const outside = [...model.labels].filter(([id]) => path.some((entry) => entry.id === id));
		session.createBranchedSession(model.leaf);
		// Labels that were set from another branch are set again.
		const added = session.getHeads().slice(path.length);
		model.entries = path;
		model.labels = new Map(outside);
		for (const { id, type } of added) model.add(id, { isName: type === "session_info" });
		const names = session.getEntries().filter((entry) => entry.type === "session_info");
		model.name = names.at(-1)?.name?.trim() || undefined;
	}),
);

function wordsOf(session: SessionManager): string[] {
	return session
		.buildSessionContext()
		.messages.map((message) =>
			"summary" in message ? message.summary : "content" in message ? String(message.content) : "",
		);
}

function expectSame({ session, model }: State): void {
	expect(session.getHeads().map(({ id, parentId }) => [id, parentId])).toEqual(
		model.entries.map(({ id, parentId }) => [id, parentId]),
	);
	expect(session.getLeafId()).toBe(model.leaf);
	expect(session.getBranch().map(({ id }) => id)).toEqual(model.path().map(({ id }) => id));
	expect(wordsOf(session)).toEqual(model.context());
	expect(session.getSessionName()).toBe(model.name);
	for (const { id } of model.entries) expect(session.getLabel(id)).toBe(model.labels.get(id));
}

test("property: a session on disk and a list in memory never disagree", () => {
	fc.assert(
		fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
			const state: State = { session: SessionManager.create("/work", home.path), model: new Model() };
			try {
				for (const take of steps) {
					take(state);
					expectSame(state);
				}
				const path = state.session.getSessionFile() ?? "";
				if (state.model.entries.some(({ isSaid }) => isSaid)) {
					expect(parsedLines(path).slice(1)).toEqual(JSON.parse(JSON.stringify(state.session.getEntries())));
				}
			} finally {
				state.session[Symbol.dispose]();
			}
		}),
		{ numRuns: samples(150) },
	);
});
