/** The memory of a project together with the user's own: what a session reads, and what a user sees and changes. */
import { oneLine, shortenHome } from "@tau/utils";

import { UserError } from "../run/user-error.ts";
import { removeArtifacts, writeArtifacts, type Document } from "./artifacts.ts";
import { dateOf } from "./extract.ts";
import { counts, type Fact, type MemoryChange, type RowChange } from "./fact.ts";
import { line } from "./answers.ts";
import { limits } from "./limits.ts";
import type { MemoryDirectories } from "./directories.ts";
import type { Match } from "./retrieve.ts";
import {
	digest,
	listLine,
	memoryDocument,
	refOf,
	skillDocument,
	type Digest,
	type Scope,
	type ScopedFact,
} from "./render.ts";
import { MemoryStore } from "./store.ts";

export interface ScopedChange {
	scope: Scope;
	change: MemoryChange;
}

export class Memory implements Disposable {
	readonly #stores: Partial<Record<Scope, MemoryStore>>;
	readonly #directories: MemoryDirectories;

	/** With `create`, databases that are missing are made, and all are checked. Throws a `UserError` if one cannot be used. */
	constructor(directories: MemoryDirectories, { create = false }: { create?: boolean } = {}) {
		const open = (directory: string): MemoryStore | undefined =>
			create ? new MemoryStore(directory, { check: true }) : MemoryStore.openExisting(directory);
		using owned = new DisposableStack();
		const project = directories.project && open(directories.project.directory);
		if (project) owned.use(project);
		const global = open(directories.global);
		this.#stores = { ...(project ? { project } : {}), ...(global ? { global } : {}) };
		this.#directories = directories;
		owned.move();
	}

	get project(): MemoryStore | undefined {
		return this.#stores.project;
	}

	get global(): MemoryStore | undefined {
		return this.#stores.global;
	}

	/** Damaged databases that were moved aside when this was opened. */
	get damaged(): string[] {
		return this.#each().flatMap(([, { setAside }]) => setAside ?? []);
	}

	get isEmpty(): boolean {
		return this.#each().every(([, store]) => store.facts().length === 0);
	}

	/** The user's own first. */
	facts(): ScopedFact[] {
		return this.#each().flatMap(([scope, store]) => store.facts().map((fact) => scoped(scope, fact)));
	}

	search(query: string, all = true): ScopedFact[] {
		return this.#matches(query, all).map(({ scope, fact }) => scoped(scope, fact));
	}

	/** What a prompt gets; without one, what every session should know. Facts that were sent before are left out. */
	digest(prompt: string | undefined, tokens: number, sent: ReadonlySet<string> = new Set()): Digest {
		const isNew = ({ ref }: ScopedFact): boolean => !sent.has(ref);
		const isFirst = sent.size === 0;
		// Later in a conversation a note has to fit well: what every session should know has been sent.
		const least = isFirst ? 0 : limits.laterWords;
		const matches = prompt === undefined ? [] : this.#matches(prompt, false);
		const relevant = matches
			.filter(({ words }) => words >= least)
			.map(({ scope, fact }) => scoped(scope, fact))
			.filter(isNew);
		const standing = isFirst
			? this.#each().flatMap(([scope, store]) => store.standing().map((fact) => scoped(scope, fact)))
			: [];
		const skills = isFirst ? (this.#stores.project?.skills() ?? []) : [];
		return digest({ relevant, standing, skills, tokens });
	}

	/** The text behind `memory://<path>`; undefined if there is no such document. */
	document(path: string, tokens: number): string | undefined {
		const [root, ...rest] = path.split("/").filter(Boolean);
		const scope = root === "root" ? "project" : root === "global" ? "global" : undefined;
		const store = scope && this.#stores[scope];
		if (!scope || !store) return undefined;
		return this.#documents(scope, store, tokens).find(
			({ path: own }) => own === (rest.length === 0 ? "memory_summary.md" : rest.join("/")),
		)?.text;
	}

	/** The addresses of all documents. */
	addresses(): string[] {
		return this.#each().flatMap(([scope, store]) => {
			const root = `memory://${scope === "project" ? "root" : "global"}`;
			return [
				root,
				`${root}/MEMORY.md`,
				...store.skills().map(({ name }) => `${root}/skills/${name}/SKILL.md`),
			];
		});
	}

	/** Writes the documents beside the databases. */
	writeDocuments(tokens: number): void {
		for (const [scope, store] of this.#each())
			writeArtifacts(store.directory, this.#documents(scope, store, tokens));
	}

	/** Throws a `UserError` if there is no such fact. */
	find(ref: string): ScopedFact {
		const [, prefix, digits] = /^\[?(g?)(\d+)\]?$/i.exec(ref.trim()) ?? [];
		const scope: Scope = prefix ? "global" : "project";
		const fact = digits === undefined ? undefined : this.#stores[scope]?.fact(Number(digits));
		if (!fact)
			throw new UserError(`There is no memory ${ref || "without a number"}. The list shows the numbers.`);
		return scoped(scope, fact);
	}

	line(each: ScopedFact): string {
		return listLine(each, (session) => this.#nameOf(each.scope, session));
	}

	/** Where a fact comes from, what was said, and what it replaced. */
	why(ref: string): string[] {
		const { scope, fact } = this.find(ref);
		const store = this.#stores[scope];
		const session = store?.sessions.get(fact.session);
		const related = (store?.facts() ?? []).filter(
			({ id, replacedBy }) => replacedBy === fact.id || fact.replacedBy === id,
		);
		const where =
			fact.session === ""
				? ["You wrote it."]
				: [
						`Said by ${fact.who === "user" ? "you" : "the model"} on ${dateOf(fact.said)} in "${session?.name ?? fact.session}":`,
						`  “${fact.quote}”`,
						`  session ${fact.session}, entry ${fact.entry}`,
						...(session ? [`  ${shortenHome(session.path)}`] : []),
					];
		return [
			this.line(scoped(scope, fact)),
			...where,
			...related.map((other) =>
				fact.replacedBy === other.id
					? `Replaced by ${this.line(scoped(scope, other))}`
					: `Replaces ${this.line(scoped(scope, other))}`,
			),
			...(fact.session === "" ? [] : (store?.factsOfSession(fact.session) ?? []))
				.filter(
					(other) =>
						Math.abs(other.position - fact.position) === 1 && !related.some(({ id }) => id === other.id),
				)
				.map((other) => `Beside it: [${refOf(scope, other.id)}] ${other.text}`),
		];
	}

	delete(ref: string, forever: boolean): ScopedFact {
		const found = this.find(ref);
		this.#stores[found.scope]?.delete(found.fact, forever);
		return found;
	}

	/** Newest first. */
	changes(state: MemoryChange["state"] = "applied"): ScopedChange[] {
		return this.#each()
			.flatMap(([scope, store]) => store.changes(state).map((change) => ({ scope, change })))
			.toSorted((a, b) => b.change.at - a.change.at || b.change.id - a.change.id);
	}

	undo(): ScopedChange | undefined {
		const [last] = this.changes();
		const change = last && this.#stores[last.scope]?.undo();
		return last && change && { scope: last.scope, change };
	}

	accept({ scope, change }: ScopedChange, isWanted?: (row: RowChange) => boolean): void {
		this.#stores[scope]?.accept(change.id, isWanted);
	}

	reject({ scope, change }: ScopedChange): void {
		this.#stores[scope]?.reject(change.id);
	}

	/** One scope, or all of it. */
	clear(scopes: readonly Scope[], forever: boolean): void {
		for (const scope of scopes) {
			const store = this.#stores[scope];
			store?.clear(forever);
			if (store) removeArtifacts(store.directory);
		}
	}

	/** All sessions of the project are read again by the next update. */
	requestRebuild(): void {
		this.#stores.project?.sessions.reset();
	}

	/** The list that a user edits: one fact per line. */
	editable(): string {
		const rows = this.facts()
			.filter(({ fact }) => counts(fact))
			.map(({ ref, fact }) => `[${ref}] ${fact.text}`);
		return `${rows.join("\n")}\n`;
	}

	/** Applies an edited list: changed lines, removed lines, and new lines without a number. Returns how many. */
	applyEdit(before: string, after: string): number {
		const old = editedRows(before).byRef;
		const { byRef, added } = editedRows(after.slice(0, limits.editedChars));
		let done = 0;
		for (const [scope, store] of this.#each()) {
			const change = store.change({ label: "edited by you" }, (draft) => {
				for (const [ref, text] of old) {
					const found = ref.startsWith("g") === (scope === "global") ? this.find(ref) : undefined;
					const now = byRef.get(ref);
					if (!found || now === text) continue;
					if (now === undefined) {
						draft.remove(found.fact);
						store.tombstones.add(found.fact);
					} else {
						store.tombstones.add(found.fact);
						// From now on it is the user's: another look at the session does not change it.
						draft.update(found.fact, { text: now, who: "user", session: "", entry: "", quote: now });
					}
				}
				const isHome = scope === (this.#stores.project ? "project" : "global");
				if (isHome) for (const text of added) draft.add(ownFact(text));
			});
			done += change?.rows.length ?? 0;
		}
		return done;
	}

	get directories(): MemoryDirectories {
		return this.#directories;
	}

	[Symbol.dispose](): void {
		for (const [, store] of this.#each()) store[Symbol.dispose]();
	}

	#each(): [Scope, MemoryStore][] {
		const { global, project } = this.#stores;
		return [
			...(global ? [["global", global] as [Scope, MemoryStore]] : []),
			...(project ? [["project", project] as [Scope, MemoryStore]] : []),
		];
	}

	#matches(query: string, all: boolean): (Match & { scope: Scope })[] {
		return this.#each()
			.flatMap(([scope, store]) => store.search(query, { all }).map((match) => ({ scope, ...match })))
			.toSorted((a, b) => b.score - a.score);
	}

	#documents(scope: Scope, store: MemoryStore, tokens: number): Document[] {
		const facts = store.facts().map((fact) => scoped(scope, fact));
		const skills = store.skills();
		const standing = store.standing().map((fact) => scoped(scope, fact));
		const title =
			scope === "project" ? `Memory of ${this.#directories.project?.root ?? ""}` : "Memory of all projects";
		const summary = digest({ relevant: [], standing, skills, tokens }).text;
		return [
			{ path: "memory_summary.md", text: `${summary || "Nothing is remembered yet."}\n` },
			{
				path: "MEMORY.md",
				text: memoryDocument({ title, facts, skills, names: (session) => this.#nameOf(scope, session) }),
			},
			...skills.map((skill) => ({ path: `skills/${skill.name}/SKILL.md`, text: skillDocument(skill) })),
		];
	}

	#nameOf(scope: Scope, session: string): string | undefined {
		const name =
			this.#stores[scope]?.sessions.get(session)?.name ?? this.#stores.project?.sessions.get(session)?.name;
		return name === undefined || name === "" ? undefined : `"${oneLine(name, limits.nameChars)}"`;
	}
}

function scoped(scope: Scope, fact: Fact): ScopedFact {
	return { scope, fact, ref: refOf(scope, fact.id) };
}

function editedRows(text: string): { byRef: Map<string, string>; added: string[] } {
	const byRef = new Map<string, string>();
	const added: string[] = [];
	for (const row of text.split("\n")) {
		const [, ref, known = ""] = /^\s*-?\s*\[(g?\d+)\]\s*(.*)$/.exec(row) ?? [];
		const words = line(ref === undefined ? row.replace(/^\s*-\s+/, "") : known, limits.factChars);
		if (words === "") continue;
		if (ref === undefined) added.push(words);
		else byRef.set(ref, words);
	}
	return { byRef, added };
}

function ownFact(text: string): Omit<Fact, "id"> {
	const now = Date.now();
	return {
		kind: "preference",
		text,
		subject: "",
		who: "user",
		session: "",
		entry: "",
		quote: text.slice(0, limits.quoteChars),
		position: 0,
		said: now,
		expires: null,
		replacedBy: null,
	};
}
