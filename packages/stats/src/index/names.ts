/** Numbers instead of words: a model, a project or a tool is written once. */
import type { Database } from "bun:sqlite";

import { stripControls } from "@tau/utils";

import { sources, type Answer, type SessionFacts, type ToolCall } from "../event.ts";
import { limits } from "../limits.ts";

/** A table that gives a number to each combination of its other columns. */
interface Combinations {
	table: "dims" | "tool_dims";
	columns: readonly string[];
	known: Map<string, number>;
}

export class Names {
	readonly #database: Database;
	readonly #numbers = new Map<string, number>();
	readonly #dims: Combinations = {
		table: "dims",
		columns: ["source", "provider", "model", "project", "role", "agent"],
		known: new Map(),
	};
	readonly #toolDims: Combinations = {
		table: "tool_dims",
		columns: ["source", "tool", "project"],
		known: new Map(),
	};
	/** Answers of a session follow each other, mostly of one model. */
	#lastAnswer: { answer: Answer; dim: number } | undefined;
	/** So do its calls of tools. */
	#lastTools: { session: SessionFacts; dims: Map<string, number> } | undefined;

	constructor(database: Database) {
		this.#database = database;
	}

	/** The number of a word, which becomes part of a page: control characters are removed. */
	of(text: string): number {
		const known = this.#numbers.get(text);
		if (known !== undefined) return known;
		const clean = stripControls(text.slice(0, limits.nameChars)).replaceAll(/\s+/g, " ").trim();
		this.#database.query("INSERT OR IGNORE INTO names (text) VALUES (?)").run(clean);
		const row = this.#database
			.query<{ id: number }, [string]>("SELECT id FROM names WHERE text = ?")
			.get(clean);
		const number = row?.id ?? 0;
		this.#numbers.set(text, number);
		return number;
	}

	/** The number of what the sums of an hour are divided by. */
	dim(answer: Answer): number {
		const { session, provider, model, role } = answer;
		const last = this.#lastAnswer;
		if (
			last?.answer.session === session &&
			last.answer.model === model &&
			last.answer.provider === provider &&
			last.answer.role === role
		)
			return last.dim;
		const dim = this.#combination(this.#dims, session.source, [
			provider,
			model,
			session.project,
			role,
			session.agent,
		]);
		this.#lastAnswer = { answer, dim };
		return dim;
	}

	toolDim({ session, tool }: ToolCall): number {
		if (this.#lastTools?.session !== session) this.#lastTools = { session, dims: new Map() };
		const { dims } = this.#lastTools;
		let dim = dims.get(tool);
		if (dim === undefined) {
			dim = this.#combination(this.#toolDims, session.source, [tool, session.project]);
			dims.set(tool, dim);
		}
		return dim;
	}

	#combination(
		{ table, columns, known }: Combinations,
		source: Answer["session"]["source"],
		texts: string[],
	): number {
		const key = `${source}\n${texts.join("\n")}`;
		const found = known.get(key);
		if (found !== undefined) return found;
		const values = [sources.indexOf(source), ...texts.map((text) => this.of(text))];
		const places = columns.map(() => "?").join(", ");
		this.#database
			.query(`INSERT OR IGNORE INTO ${table} (${columns.join(", ")}) VALUES (${places})`)
			.run(...values);
		const row = this.#database
			.query<{ id: number }, number[]>(
				`SELECT id FROM ${table} WHERE ${columns.map((column) => `${column} = ?`).join(" AND ")}`,
			)
			.get(...values);
		const number = row?.id ?? 0;
		known.set(key, number);
		return number;
	}
}
