/** Queries to the terminal, each with its own sentinel. */
import { expect, test } from "bun:test";

import { Probes, type Probe } from "./probes.ts";
import type { Reply } from "./replies.ts";

function ask(...probes: Probe[]) {
	const answers: [Probe, Reply["kind"] | undefined][] = [];
	const queries = new Probes((probe, reply) => answers.push([probe, reply?.kind]));
	const bytes = queries.ask(probes);
	return { queries, answers, bytes };
}

test("a query that the terminal ignores is known to have no answer, and is not mixed up with another", () => {
	using stack = new DisposableStack();
	const { queries, answers } = ask("keyboard", "background", "syncOutput");
	stack.use(queries);
	queries.onReply({ kind: "sentinel", showsSixel: false });
	queries.onReply({ kind: "background", red: 0, green: 0, blue: 0 });
	queries.onReply({ kind: "sentinel", showsSixel: false });
	expect(queries.waiting).toBe(true);
	queries.onReply({ kind: "mode", mode: 2026, state: 2 });
	queries.onReply({ kind: "sentinel", showsSixel: false });
	expect(answers).toEqual([
		["keyboard", undefined],
		["background", "background"],
		["syncOutput", "mode"],
	]);
	expect(queries.waiting).toBe(false);
});

test("every query is followed by a sentinel", () => {
	using stack = new DisposableStack();
	const { queries, bytes } = ask("keyboard", "cellSize");
	stack.use(queries);
	expect(bytes).toBe("\x1b[?u\x1b[c\x1b[16t\x1b[c");
});

test("unsolicited reports of the terminal are handled too", () => {
	const { queries, answers } = ask();
	queries.onReply({ kind: "background", red: 1, green: 1, blue: 1 });
	queries.onReply({ kind: "sentinel", showsSixel: false });
	expect(answers).toEqual([["background", "background"]]);
	queries[Symbol.dispose]();
});
