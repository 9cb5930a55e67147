/** Adds up what a batch of files has, and writes it to the index: each answer once. */
import type { Database, Statement } from "bun:sqlite";

import { stripControls } from "@tau/utils";

import { sources, type Answer, type Counter, type SessionFacts, type ToolCall } from "../event.ts";
import { limits } from "../limits.ts";
import type { Names } from "./names.ts";

export const hourMs = 3_600_000;
/** More than there are hours until the year 9999, and room for 16 million combinations below. */
export const dimRoom = 2 ** 24;

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

interface ToolSums {
	calls: number;
	failed: number;
	ms: number;
	timed: number;
}

/** Inside the transaction of the caller: what has been counted is known to the index at once, its sums when they are written. */
export class Tally implements Counter {
	readonly #database: Database;
	readonly #names: Names;
	readonly #see: Statement<unknown, [number]>;
	#answers = 0;
	#hours = new Map<number, Float64Array>();
	#tools = new Map<number, ToolSums>();
	#sessions = new Map<string, SessionSums>();
	readonly #recent = new Newest(limits.recentRows);
	readonly #failed = new Newest(limits.errorRows);

	constructor(database: Database, names: Names) {
		this.#database = database;
		this.#names = names;
		this.#see = database.query("INSERT OR IGNORE INTO seen VALUES (?)");
	}

	/** How many answers have been counted that are not written yet. */
	get size(): number {
		return this.#answers;
	}

	/** The first one counts: a copy is in a file that was made later. Answers are not collected: a first scan would keep the garbage collector busy. */
	answer(answer: Answer): boolean {
		if (this.#see.run(answer.key).changes === 0) return false;
		this.#answers++;
		this.#count(answer);
		this.#recent.add(answer);
		if (answer.failure !== "" && answer.failure !== "aborted") this.#failed.add(answer);
		return true;
	}

	tool(call: ToolCall): void {
		this.#sessionOf(call.session).tools++;
		const cell = Math.floor(call.at / hourMs) * dimRoom + this.#names.toolDim(call);
		let sums = this.#tools.get(cell);
		if (!sums) this.#tools.set(cell, (sums = { calls: 0, failed: 0, ms: 0, timed: 0 }));
		sums.calls++;
		if (call.isError) sums.failed++;
		sums.ms += call.durationMs;
		if (call.durationMs > 0) sums.timed++;
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

	/** Writes all sums; returns how many answers were new. */
	flush(): number {
		this.#writeHours();
		this.#writeTools();
		this.#writeSessions();
		return this.#answers;
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

	/** Forgets what was written. */
	clear(): void {
		this.#answers = 0;
		this.#hours = new Map();
		this.#tools = new Map();
		this.#sessions = new Map();
	}

	#count(answer: Answer): void {
		const { at, session, input, output, cacheRead, cacheWrite, nanos, durationMs, ttftMs } = answer;
		const cell = Math.floor(at / hourMs) * dimRoom + this.#names.dim(answer);
		let sums = this.#hours.get(cell);
		if (!sums) this.#hours.set(cell, (sums = new Float64Array(sumColumns.length)));
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

	#writeHours(): void {
		const put = this.#database.query(
			`INSERT INTO hours VALUES (${Array(sumColumns.length + 2)
				.fill("?")
				.join(", ")}) ON CONFLICT DO UPDATE SET ${sumColumns
				.map((name) => `${name} = ${name} + excluded.${name}`)
				.join(", ")}`,
		);
		for (const [cell, sums] of [...this.#hours].toSorted(([a], [b]) => a - b))
			put.run(Math.floor(cell / dimRoom), cell % dimRoom, ...sums);
	}

	#writeTools(): void {
		const put = this.#database.query(
			`INSERT INTO tools VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
			calls = calls + excluded.calls, failed = failed + excluded.failed, ms = ms + excluded.ms, timed = timed + excluded.timed`,
		);
		for (const [cell, { calls, failed, ms, timed }] of [...this.#tools].toSorted(([a], [b]) => a - b))
			put.run(Math.floor(cell / dimRoom), cell % dimRoom, calls, failed, ms, timed);
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

	/** Writes the last answers and failures; to be called once, after everything was read. */
	writeRecent(): void {
		const recent = this.#recent.take().map((answer) => {
			const { key, at, entry, input, output, cacheRead, cacheWrite, nanos, isEstimate } = answer;
			const cost = nanos ? nanos.reduce((sum, part) => sum + part, 0) : null;
			const counts = [input, output, cacheRead, cacheWrite, cost, isEstimate ? 1 : 0];
			const times = [answer.durationMs, answer.ttftMs, answer.failure || null];
			const session = this.numberOf(answer.session.id);
			return [key, at, this.#names.dim(answer), session, entry || null, ...counts, ...times];
		});
		this.#replace("recent", limits.recentRows, recent);
		const failed = this.#failed.take().map((answer) => {
			const { key, at, entry, failure, errorText } = answer;
			const message = stripControls(errorText.slice(0, limits.errorChars));
			const session = this.numberOf(answer.session.id);
			return [key, at, this.#names.dim(answer), session, entry || null, failure, message || null];
		});
		this.#replace("errors", limits.errorRows, failed);
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

/** The newest answers: most of a first scan are too old to be kept one by one, and are never written. */
class Newest {
	readonly #most: number;
	#kept: Answer[] = [];
	/** What is older is not among them. */
	#from = 0;

	constructor(most: number) {
		this.#most = most;
	}

	add(answer: Answer): void {
		if (answer.at < this.#from) return;
		this.#kept.push(answer);
		if (this.#kept.length >= 2 * this.#most) this.#shorten();
	}

	/** Returns and forgets them. */
	take(): Answer[] {
		this.#shorten();
		const kept = this.#kept;
		this.#kept = [];
		this.#from = 0;
		return kept;
	}

	#shorten(): void {
		if (this.#kept.length <= this.#most) return;
		this.#kept = this.#kept.toSorted((a, b) => b.at - a.at).slice(0, this.#most);
		this.#from = this.#kept.at(-1)?.at ?? 0;
	}
}

function titleOf(text: string): string {
	return stripControls(text.slice(0, 4 * limits.titleChars))
		.replaceAll(/\s+/g, " ")
		.trim()
		.slice(0, limits.titleChars);
}
