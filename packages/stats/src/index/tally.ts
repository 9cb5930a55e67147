/** Collects what a batch of files has, and adds it to the index: each answer once. */
import type { Database } from "bun:sqlite";

import { stripControls } from "@tau/utils";

import { sources, type Answer, type Counter, type SessionFacts, type ToolCall } from "../event.ts";
import { limits } from "../limits.ts";
import type { Names } from "./names.ts";

export const hourMs = 3_600_000;
/** More than there are hours until the year 9999, and room for 16 million combinations below. */
const dimRoom = 2 ** 24;

const sumColumns = [
	"answers",
	"failed",
	"unpriced",
	"input",
	"output",
	"cacheRead",
	"cacheWrite",
	"costInput",
	"costOutput",
	"costRead",
	"costWrite",
	"fees",
	"estimate",
	"ms",
	"timed",
	"timedOutput",
	"ttft",
	"ttftTimed",
] as const;

const sessionColumns = [
	"id",
	"source",
	"project",
	"agent",
	"title",
	"first",
	"last",
	"answers",
	"failed",
	"tokens",
	"cost",
	"estimate",
	"unpriced",
	"tools",
	"linesFrom",
] as const;
const summed = ["answers", "failed", "tokens", "cost", "estimate", "unpriced", "tools"] as const;
const sessionUpsert = [
	`INSERT INTO sessions (${sessionColumns.join(", ")}) VALUES (${sessionColumns.map(() => "?").join(", ")})`,
	"ON CONFLICT (id) DO UPDATE SET title = coalesce(excluded.title, title),",
	"first = min(first, excluded.first), last = max(last, excluded.last),",
	"linesFrom = min(coalesce(linesFrom, excluded.linesFrom), coalesce(excluded.linesFrom, linesFrom)),",
	summed.map((name) => `${name} = ${name} + excluded.${name}`).join(", "),
	"RETURNING num",
].join(" ");

interface SessionSums {
	facts: SessionFacts;
	num: number;
	first: number;
	last: number;
	answers: number;
	failed: number;
	tokens: number;
	cost: number;
	estimate: number;
	unpriced: number;
	tools: number;
	linesFrom: number | undefined;
}

export class Tally implements Counter {
	readonly #database: Database;
	readonly #names: Names;
	#answers = new Map<number, Answer>();
	#tools: ToolCall[] = [];
	#sessions = new Map<string, SessionSums>();
	#recent: Kept[] = [];
	#failed: Kept[] = [];

	constructor(database: Database, names: Names) {
		this.#database = database;
		this.#names = names;
	}

	get size(): number {
		return this.#answers.size + this.#tools.length;
	}

	/** The first one counts: a copy is in a file that was made later. */
	answer(answer: Answer): boolean {
		if (this.#answers.has(answer.key)) return false;
		this.#answers.set(answer.key, answer);
		return true;
	}

	tool(call: ToolCall): void {
		this.#tools.push(call);
	}

	lines(session: SessionFacts, at: number): void {
		const sums = this.#sessionOf(session);
		sums.linesFrom = Math.min(sums.linesFrom ?? Infinity, at);
	}

	linesFrom(id: string): number {
		const here = this.#sessions.get(id)?.linesFrom;
		if (here !== undefined) return here;
		const row = this.#database
			.query<{ at: number | null }, [string]>("SELECT linesFrom AS at FROM sessions WHERE id = ?")
			.get(id);
		return row?.at ?? Infinity;
	}

	/** Writes everything, inside the transaction of the caller; returns how many answers were new. */
	flush(): number {
		const fresh = this.#unseen();
		const hours = new Map<number, Float64Array>();
		for (const answer of fresh) this.#count(answer, hours);
		this.#writeHours(hours);
		this.#writeTools();
		this.#writeSessions();
		this.#remember(fresh);
		return fresh.length;
	}

	/** The number of a session that was written; null if there is none. */
	numberOf(id: string): number | null {
		const here = this.#sessions.get(id)?.num;
		if (here) return here;
		const row = this.#database
			.query<{ num: number }, [string]>("SELECT num FROM sessions WHERE id = ?")
			.get(id);
		return row?.num ?? null;
	}

	/** Forgets what was collected. */
	clear(): void {
		this.#answers = new Map();
		this.#tools = [];
		this.#sessions = new Map();
	}

	/** The answers that no file had before. */
	#unseen(): Answer[] {
		if (this.#answers.size === 0) return [];
		const keys = JSON.stringify([...this.#answers.keys()].toSorted((a, b) => a - b));
		const seen = this.#database
			.query<{ key: number }, [string]>("SELECT key FROM seen WHERE key IN (SELECT value FROM json_each(?))")
			.all(keys);
		for (const { key } of seen) this.#answers.delete(key);
		this.#database.query("INSERT OR IGNORE INTO seen SELECT value FROM json_each(?)").run(keys);
		return [...this.#answers.values()];
	}

	#count(answer: Answer, hours: Map<number, Float64Array>): void {
		const { at, session, input, output, cacheRead, cacheWrite, nanos, durationMs, ttftMs } = answer;
		const cell = Math.floor(at / hourMs) * dimRoom + this.#names.dim(answer);
		let sums = hours.get(cell);
		if (!sums) hours.set(cell, (sums = new Float64Array(sumColumns.length)));
		const tokens = input + output + cacheRead + cacheWrite;
		const isFailed = answer.failure === "" ? 0 : 1;
		const isUnpriced = nanos === undefined && tokens > 0 ? 1 : 0;
		const [costInput = 0, costOutput = 0, costRead = 0, costWrite = 0, fees = 0] = nanos ?? [];
		const cost = costInput + costOutput + costRead + costWrite + fees;
		const estimate = answer.isEstimate ? cost : 0;
		const isTimed = durationMs > 0 ? 1 : 0;
		const values = [
			1,
			isFailed,
			isUnpriced,
			input,
			output,
			cacheRead,
			cacheWrite,
			costInput,
			costOutput,
			costRead,
			costWrite,
			fees,
			estimate,
			durationMs,
			isTimed,
			isTimed * output,
			ttftMs,
			ttftMs > 0 ? 1 : 0,
		];
		for (let index = 0; index < values.length; index++)
			sums[index] = (sums[index] ?? 0) + (values[index] ?? 0);
		const own = this.#sessionOf(session);
		own.first = Math.min(own.first, at);
		own.last = Math.max(own.last, at);
		own.answers++;
		own.failed += isFailed;
		own.tokens += tokens;
		own.cost += cost;
		own.estimate += estimate;
		own.unpriced += isUnpriced;
	}

	#sessionOf(facts: SessionFacts): SessionSums {
		const known = this.#sessions.get(facts.id);
		if (known) {
			if (facts.title !== undefined) known.facts = facts;
			return known;
		}
		const none = { answers: 0, failed: 0, tokens: 0, cost: 0, estimate: 0, unpriced: 0, tools: 0 };
		const sums = { facts, num: 0, first: Infinity, last: 0, ...none, linesFrom: undefined };
		this.#sessions.set(facts.id, sums);
		return sums;
	}

	#writeHours(hours: Map<number, Float64Array>): void {
		const put = this.#database.query(
			`INSERT INTO hours VALUES (${Array(sumColumns.length + 2)
				.fill("?")
				.join(", ")}) ON CONFLICT DO UPDATE SET ${sumColumns
				.map((name) => `${name} = ${name} + excluded.${name}`)
				.join(", ")}`,
		);
		for (const cell of [...hours.keys()].toSorted((a, b) => a - b))
			put.run(Math.floor(cell / dimRoom), cell % dimRoom, ...(hours.get(cell) ?? []));
	}

	#writeTools(): void {
		const sums = new Map<number, number[]>();
		for (const call of this.#tools) {
			if (call.of !== undefined && !this.#answers.has(call.of)) continue;
			this.#sessionOf(call.session).tools++;
			const cell = Math.floor(call.at / hourMs) * dimRoom + this.#names.toolDim(call);
			const [calls = 0, failed = 0, ms = 0, timed = 0] = sums.get(cell) ?? [];
			const isTimed = call.durationMs > 0 ? 1 : 0;
			sums.set(cell, [calls + 1, failed + (call.isError ? 1 : 0), ms + call.durationMs, timed + isTimed]);
		}
		const put = this.#database.query(
			`INSERT INTO tools VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
			calls = calls + excluded.calls, failed = failed + excluded.failed, ms = ms + excluded.ms, timed = timed + excluded.timed`,
		);
		for (const cell of [...sums.keys()].toSorted((a, b) => a - b))
			put.run(Math.floor(cell / dimRoom), cell % dimRoom, ...(sums.get(cell) ?? []));
	}

	#writeSessions(): void {
		const put = this.#database.query<{ num: number }, (string | number | null)[]>(sessionUpsert);
		for (const sums of this.#sessions.values()) {
			const { facts, answers, failed, tokens, cost, estimate, unpriced, tools } = sums;
			if (answers + tools === 0 && sums.linesFrom === undefined && facts.title === undefined) continue;
			const { id, source, project, agent, title } = facts;
			const where = [sources.indexOf(source), this.#names.of(project), this.#names.of(agent)];
			const shown = title === undefined ? null : titleOf(title);
			const first = Number.isFinite(sums.first) ? sums.first : Number.MAX_SAFE_INTEGER;
			const times = [first, sums.last];
			const row = put.get(
				id,
				...where,
				shown,
				...times,
				answers,
				failed,
				tokens,
				cost,
				estimate,
				unpriced,
				tools,
				sums.linesFrom ?? null,
			);
			sums.num = row?.num ?? 0;
		}
	}

	/** Of a first scan most answers are too old to be kept one by one, and are never written. */
	#remember(fresh: readonly Answer[]): void {
		const kept = fresh.map((answer) => ({ answer, num: this.#sessions.get(answer.session.id)?.num ?? 0 }));
		const failed = kept.filter(({ answer: { failure } }) => failure !== "" && failure !== "aborted");
		this.#recent = newest([...this.#recent, ...kept], limits.recentRows);
		this.#failed = newest([...this.#failed, ...failed], limits.errorRows);
	}

	/** Writes the last answers and failures; to be called once, after everything was read. */
	writeRecent(): void {
		const recent = this.#recent.map(({ answer, num }) => {
			const { key, at, entry, input, output, cacheRead, cacheWrite, nanos, isEstimate } = answer;
			const cost = nanos ? nanos.reduce((sum, part) => sum + part, 0) : null;
			const counts = [input, output, cacheRead, cacheWrite, cost, isEstimate ? 1 : 0];
			const times = [answer.durationMs, answer.ttftMs, answer.failure || null];
			return [key, at, this.#names.dim(answer), num, entry || null, ...counts, ...times];
		});
		this.#replace("recent", limits.recentRows, recent);
		const failed = this.#failed.map(({ answer, num }) => {
			const { key, at, entry, failure, errorText } = answer;
			const message = stripControls(errorText.slice(0, limits.errorChars));
			return [key, at, this.#names.dim(answer), num, entry || null, failure, message || null];
		});
		this.#replace("errors", limits.errorRows, failed);
		this.#recent = this.#failed = [];
	}

	#replace(table: "recent" | "errors", most: number, rows: readonly (string | number | null)[][]): void {
		if (rows.length === 0) return;
		const places = Array(rows[0]?.length ?? 0).fill("?");
		const put = this.#database.query(`INSERT OR REPLACE INTO ${table} VALUES (${places.join(", ")})`);
		for (const values of rows) put.run(...values);
		this.#database.run(
			`DELETE FROM ${table} WHERE at < coalesce((SELECT at FROM ${table} ORDER BY at DESC LIMIT 1 OFFSET ${most - 1}), 0)`,
		);
	}
}

interface Kept {
	answer: Answer;
	/** The number of its session. */
	num: number;
}

function newest(kept: readonly Kept[], most: number): Kept[] {
	return kept.length <= most ? [...kept] : kept.toSorted((a, b) => b.answer.at - a.answer.at).slice(0, most);
}

function titleOf(text: string): string {
	return stripControls(text.slice(0, 4 * limits.titleChars))
		.replaceAll(/\s+/g, " ")
		.trim()
		.slice(0, limits.titleChars);
}
